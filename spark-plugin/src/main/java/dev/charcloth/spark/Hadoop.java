package dev.charcloth.spark;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.security.PrivilegedExceptionAction;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The way to Hadoop's file systems, as the user on whose behalf this was made. Since JDK 24 threads do not inherit that
 * user: make it where Spark calls us. Any thread may use it.
 */
final class Hadoop {
    private final Supplier<Configuration> conf;
    private final UserGroupInformation user;

    /** @param conf asked whenever a file system is opened: a job may set keys while it runs */
    Hadoop(Supplier<Configuration> conf) {
        this.conf = conf;
        this.user = currentUser();
    }

    /** Null where it cannot be told: then whoever opens a file system is the user. */
    private static UserGroupInformation currentUser() {
        try {
            return UserGroupInformation.getCurrentUser();
        } catch (IOException e) {
            return null;
        }
    }

    /** The file system of a path. It is the caller's, to be closed by it. */
    FileSystem open(Path path) throws IOException {
        Configuration own = new Configuration(conf.get());
        URI uri = path.toUri().getScheme() == null ? FileSystem.getDefaultUri(own) : path.toUri();
        // Outside of the cache, which an application may close with all that is in it, as Hadoop's own shutdown hook
        // does. FileSystem.newInstance would be inside.
        own.setBoolean("fs." + uri.getScheme() + ".impl.disable.cache", true);
        if (user == null) {
            return FileSystem.get(uri, own);
        }
        try {
            return user.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.get(uri, own));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("opening " + uri);
        }
    }
}
