package dev.charcloth.spark;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;

/** A file system that shows readers just what its {@link Store} says: stands for those which no test can have. */
public final class MemoryFileSystem extends FileSystem {
    /** When readers see what was written. */
    enum Seen { WHEN_CLOSED, WHEN_FLUSHED, AT_ONCE }

    /** What all clients of one authority see, and what shall go wrong there. */
    static final class Store {
        private static final Map<String, Store> ALL = new ConcurrentHashMap<>();

        final Seen seen;
        final Map<String, byte[]> files = new ConcurrentSkipListMap<>();
        final Map<String, FsPermission> modes = new ConcurrentSkipListMap<>();
        final List<String> renames = new ArrayList<>();
        int opened;
        /** Who opened it last. */
        String user;
        int closed;
        boolean truncates;
        /** How many bytes may still be written before each write fails. */
        long room = Long.MAX_VALUE;
        /** Closing a file waits for this. */
        CountDownLatch close = new CountDownLatch(0);
        final CountDownLatch inClose = new CountDownLatch(1);

        Store(Seen seen) {
            this.seen = seen;
        }

        /** Names that readers do not pass over, in the folder /out. */
        Map<String, String> readable() {
            Map<String, String> found = new TreeMap<>();
            files.forEach((path, bytes) -> {
                String name = path.substring(path.lastIndexOf('/') + 1);
                if (!name.startsWith(".")) {
                    found.put(name, new String(bytes));
                }
            });
            return found;
        }
    }

    private URI uri;
    private Store store;

    static Configuration conf(String scheme, String authority, Store store) {
        Configuration conf = new Configuration(false);

        Store.ALL.put(authority, store);
        conf.setClass("fs." + scheme + ".impl", MemoryFileSystem.class, FileSystem.class);
        return conf;
    }

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
        super.initialize(name, conf);
        uri = URI.create(name.getScheme() + "://" + name.getAuthority());
        store = Store.ALL.get(name.getAuthority());
        store.opened++;
        store.user = UserGroupInformation.getCurrentUser().getShortUserName();
    }

    @Override
    public void close() throws IOException {
        store.closed++;
        super.close();
    }

    @Override
    public URI getUri() {
        return uri;
    }

    private static String key(Path path) {
        return path.toUri().getPath();
    }

    @Override
    public FSDataOutputStream create(Path path, FsPermission mode, boolean overwrite, int bufferSize,
            short replication, long blockSize, Progressable progress) throws IOException {
        if (!overwrite && store.files.containsKey(key(path))) {
            throw new FileAlreadyExistsException(key(path));
        }
        if (store.seen != Seen.WHEN_CLOSED) {
            store.files.put(key(path), new byte[0]);
        }
        return new FSDataOutputStream(new Stream(key(path)), null);
    }

    private final class Stream extends OutputStream implements StreamCapabilities, Syncable {
        private final String key;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean isClosed;

        Stream(String key) {
            this.key = key;
        }

        @Override
        public void write(int b) throws IOException {
            if (store.room-- <= 0) {
                throw new IOException("no room");
            }
            written.write(b);
            if (store.seen == Seen.AT_ONCE) {
                publish();
            }
        }

        @Override
        public void hflush() {
            publish();
        }

        @Override
        public void hsync() {
            publish();
        }

        @Override
        public void close() throws IOException {
            if (isClosed) {
                return;
            }
            isClosed = true;
            try {
                store.inClose.countDown();
                store.close.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            publish();
        }

        private void publish() {
            store.files.put(key, written.toByteArray());
        }

        @Override
        public boolean hasCapability(String capability) {
            return store.seen == Seen.WHEN_FLUSHED && capability.equals("hflush");
        }
    }

    @Override
    public boolean rename(Path from, Path to) {
        store.renames.add(from.getName() + " " + to.getName());
        store.files.put(key(to), store.files.remove(key(from)));
        return true;
    }

    @Override
    public boolean truncate(Path path, long length) throws IOException {
        if (!store.truncates) {
            return super.truncate(path, length);
        }
        store.files.computeIfPresent(key(path), (k, bytes) -> Arrays.copyOf(bytes, (int) length));
        return true;
    }

    @Override
    public boolean delete(Path path, boolean recursive) {
        return store.files.remove(key(path)) != null;
    }

    @Override
    public boolean mkdirs(Path path, FsPermission mode) {
        store.modes.put(key(path), mode);
        return true;
    }

    @Override
    public void setPermission(Path path, FsPermission mode) {
        store.modes.put(key(path), mode);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        byte[] bytes = store.files.get(key(path));

        if (bytes != null) {
            return new FileStatus(bytes.length, false, 1, 1, 0, path);
        }
        if (store.modes.containsKey(key(path))) {
            return new FileStatus(0, true, 1, 1, 0, path);
        }
        throw new FileNotFoundException(key(path));
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileStatus[] listStatus(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void setWorkingDirectory(Path path) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Path getWorkingDirectory() {
        return new Path(uri + "/");
    }
}
