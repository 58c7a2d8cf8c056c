package dev.charcloth.spark;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * A folder of any Hadoop file system. Where {@code hflush} shows readers what was written, {@code <stem>.jfr} grows;
 * elsewhere each segment becomes {@code <stem>.<n>.jfr}, n = 1, 2, 3… No file that was there before is touched.
 *
 * <p>A growing file is whole up to the last segment put; behind that there may be a piece of the next one, for as long
 * as that is being written, or for good if the process dies meanwhile. When writing fails, the file is cut back to its
 * last whole segment where the file system can do that, and the next segment begins {@code <stem>.<n>.jfr}.
 */
final class HadoopSink implements Sink {
    private final Hadoop hadoop;
    private final Path folder;
    private final String stem;
    private final FsPermission folderMode;
    private final FsPermission fileMode;
    private final boolean parentMustExist;
    private final byte[] buffer = new byte[1 << 16];

    private FileSystem opened;
    private FileSystem fs;
    /** Null until a file system was there to tell. */
    private Way way;
    private int next;
    private FSDataOutputStream growing;
    private Path growingPath;
    private long whole;

    /**
     * @param stem             what {@link Layout#file} makes the names of files from
     * @param folderMode       for the folder if it is made here; null: as the file system has it
     * @param fileMode         null: as the file system has it
     * @param parentMustExist  whether only the last part of the folder's path may be made
     */
    HadoopSink(Hadoop hadoop, Path folder, String stem, FsPermission folderMode, FsPermission fileMode,
            boolean parentMustExist) {
        this.hadoop = hadoop;
        this.folder = folder;
        this.stem = stem;
        this.folderMode = folderMode;
        this.fileMode = fileMode;
        this.parentMustExist = parentMustExist;
    }

    @Override
    public String where() {
        return new Path(folder, Layout.file(stem, 0)).toString();
    }

    @Override
    public void open() throws IOException {
        orAbandon(() -> { });
    }

    @Override
    public void put(java.nio.file.Path segment) throws IOException {
        try (InputStream in = Files.newInputStream(segment)) {
            orAbandon(() -> write(in));
        }
    }

    @Override
    public void close() throws IOException {
        FSDataOutputStream out = growing;
        FileSystem toClose = opened;

        growing = null;
        fs = null;
        opened = null;
        try {
            if (out != null) {
                out.close();
            }
        } catch (FSError e) {
            throw unwrapped(e);
        } finally {
            if (toClose != null) {
                toClose.close();
            }
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void orAbandon(Step step) throws IOException {
        try {
            if (fs == null) {
                connect();
            }
            if (way == null) {
                way = Way.of(fs, hidden("probe"));
            }
            step.run();
        } catch (FSError e) {
            abandon();
            throw unwrapped(e);
        } catch (IOException | RuntimeException | Error e) {
            abandon();
            throw e;
        }
    }

    /** Hadoop's local file system says so of a full disk, as if nothing could be done about it. */
    private static IOException unwrapped(FSError e) {
        return new IOException(e.getCause() == null ? e.toString() : e.getCause().getMessage(), e);
    }

    private void write(InputStream in) throws IOException {
        if (way == Way.GROWING) {
            grow(in);
        } else {
            putPart(in);
        }
    }

    private void connect() throws IOException {
        try {
            opened = hadoop.open(folder);
        } catch (UnsupportedFileSystemException e) {
            throw new Refused(e.getMessage(), e);
        }
        // The raw one leaves no .crc files behind, and hides nothing in the buffer of a checksum.
        fs = opened instanceof LocalFileSystem ? ((LocalFileSystem) opened).getRaw() : opened;
        makeFolder();
    }

    private void makeFolder() throws IOException {
        if (fs.exists(folder)) {
            return;
        }
        if (parentMustExist && !isFolder(folder.getParent())) {
            throw new Refused("the folder " + folder.getParent() + " does not exist", null);
        }
        if (!fs.mkdirs(folder)) {
            throw new IOException("cannot make the folder " + folder);
        }
        // Said again since the umask applies to what mkdirs is told.
        if (folderMode != null) {
            fs.setPermission(folder, folderMode);
        }
    }

    private boolean isFolder(Path path) throws IOException {
        try {
            return fs.getFileStatus(path).isDirectory();
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    /** Hidden from readers: they pass over names that begin with a dot. */
    private Path hidden(String what) {
        return new Path(folder, "." + stem + "." + what);
    }

    /** {@code <stem>.jfr} for 0, which only a growing file has. */
    private Path nextFree() throws IOException {
        Path path;

        do {
            path = new Path(folder, Layout.file(stem, next));
            next++;
        } while (fs.exists(path));
        return path;
    }

    private FSDataOutputStream create(Path path, boolean overwrite) throws IOException {
        FSDataOutputStream out = fs.create(path, overwrite);

        try {
            if (fileMode != null && way != Way.PARTS) {
                fs.setPermission(path, fileMode);
            }
            return out;
        } catch (IOException | RuntimeException e) {
            closeQuietly(out);
            throw e;
        }
    }

    private long copy(InputStream in, FSDataOutputStream out) throws IOException {
        long bytes = 0;

        for (int n; (n = in.read(buffer)) > 0; bytes += n) {
            out.write(buffer, 0, n);
        }
        return bytes;
    }

    private void grow(InputStream in) throws IOException {
        if (growing == null) {
            whole = 0;
            growingPath = nextFree();
            growing = create(growingPath, false);
        }
        long bytes = copy(in, growing);
        growing.hflush();
        // A file that somebody has removed takes all that is written to it.
        if (!fs.exists(growingPath)) {
            throw new Lost(growingPath + " was removed while it was being written");
        }
        whole += bytes;
    }

    private void putPart(InputStream in) throws IOException {
        next = Math.max(next, 1);
        Path path = nextFree();
        Path written = way == Way.PARTS ? path : hidden("part");
        FSDataOutputStream out = create(written, way != Way.PARTS);

        try {
            copy(in, out);
            out.close();
            if (way == Way.PARTS_RENAMED && !fs.rename(written, path)) {
                throw new IOException("cannot rename " + written + " to " + path);
            }
        } catch (IOException | RuntimeException | Error e) {
            // Closing may well publish half of it.
            closeQuietly(out);
            deleteQuietly(written);
            throw e;
        }
    }

    /**
     * After a failure, which may have any cause, the next try begins from nothing. What is in the growing file behind
     * the last whole segment comes again elsewhere: if it arrived in spite of all, it would count twice.
     */
    private void abandon() {
        if (growing != null) {
            closeQuietly(growing);
            growing = null;
            cutBack();
        }
        FileSystem toClose = opened;
        fs = null;
        opened = null;
        closeQuietly(toClose);
    }

    private void cutBack() {
        try {
            if (whole == 0) {
                fs.delete(growingPath, false);
            } else if (isClosed()) {
                fs.truncate(growingPath, whole);
            }
        } catch (IOException | RuntimeException e) {
            // Most file systems cannot; readers pass over a torn end.
        }
    }

    /** HDFS closes what its writer could not; until it has, a data node that comes back does not show its last block. */
    private boolean isClosed() throws IOException {
        return !(fs instanceof DistributedFileSystem) || ((DistributedFileSystem) fs).recoverLease(growingPath);
    }

    private void deleteQuietly(Path path) {
        try {
            fs.delete(path, false);
        } catch (IOException | RuntimeException e) {
            // The failure that led here is the one to tell.
        }
    }

    private static void closeQuietly(Closeable c) {
        try {
            if (c != null) {
                c.close();
            }
        } catch (IOException | RuntimeException | FSError e) {
            // As above.
        }
    }
}
