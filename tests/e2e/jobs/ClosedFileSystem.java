package jobs;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** As an object store: a file is there once it is closed, whole, and never grows. Its objects are local files. */
public final class ClosedFileSystem extends FileSystem {
    private final RawLocalFileSystem local = new RawLocalFileSystem();
    private URI uri;

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        super.initialize(name, conf);
        uri = URI.create(name.getScheme() + "://" + name.getAuthority());
        local.initialize(URI.create("file:///"), conf);
        setConf(conf);
    }

    @Override
    public String getScheme() {
        return "closed";
    }

    @Override
    public URI getUri() {
        return uri;
    }

    private static Path here(Path path) {
        return new Path("file://" + path.toUri().getPath());
    }

    @Override
    public FSDataOutputStream create(Path path, FsPermission mode, boolean overwrite, int buffer, short copies,
            long block, Progressable progress) throws IOException {
        String name = path.toUri().getPath();
        if (!overwrite && Files.exists(Paths.get(name))) {
            throw new IOException(name + " is there already");
        }
        OutputStream kept = new ByteArrayOutputStream() {
            private boolean closed;

            @Override
            public void close() throws IOException {
                if (!closed) {
                    closed = true;
                    java.nio.file.Path whole = Paths.get(name + ".being-put");
                    Files.write(whole, toByteArray());
                    Files.move(whole, Paths.get(name), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
                }
            }
        };
        return new FSDataOutputStream(kept, null);
    }

    @Override
    public FSDataOutputStream append(Path path, int buffer, Progressable progress) {
        throw new UnsupportedOperationException("append");
    }

    @Override
    public FSDataInputStream open(Path path, int buffer) throws IOException {
        return local.open(here(path), buffer);
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        return local.rename(here(from), here(to));
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return local.delete(here(path), recursive);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws FileNotFoundException, IOException {
        return local.listStatus(here(path));
    }

    @Override
    public void setWorkingDirectory(Path path) {
        // Object stores have none.
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(uri.toString() + "/");
    }

    @Override
    public boolean mkdirs(Path path, FsPermission mode) throws IOException {
        return local.mkdirs(here(path));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return local.getFileStatus(here(path));
    }
}
