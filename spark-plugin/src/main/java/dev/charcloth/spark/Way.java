package dev.charcloth.spark;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Syncable;

/** How what is written to a file system comes to its readers. */
enum Way {
    /** {@code hflush} shows them what was written: one file grows. */
    GROWING,
    /** A file comes into being when it is closed: parts are written under their own names. */
    PARTS,
    /** A file is seen from its beginning, but not what is in it: parts are written elsewhere and renamed. */
    PARTS_RENAMED;

    /**
     * Stores where a temporary name would only cost a copy, which is what renaming is there. On gs, hflush does nothing
     * when called too often.
     */
    private static final Set<String> SEEN_WHEN_CLOSED = Collections.unmodifiableSet(
            new HashSet<>(Arrays.asList("s3", "s3a", "s3n", "gs", "oss", "cosn")));

    /**
     * Only a stream can tell, and it may depend on the folder: HDFS has no hflush where it uses erasure coding.
     *
     * @param probe a file in that folder, which may be made and is deleted again
     */
    static Way of(FileSystem fs, Path probe) throws IOException {
        if (SEEN_WHEN_CLOSED.contains(fs.getUri().getScheme())) {
            return PARTS;
        }
        if (fs instanceof RawLocalFileSystem) {
            return GROWING;
        }
        try (FSDataOutputStream out = fs.create(probe, true)) {
            return canFlush(out) ? GROWING : PARTS_RENAMED;
        } finally {
            fs.delete(probe, false);
        }
    }

    private static boolean canFlush(FSDataOutputStream out) {
        try {
            return out.hasCapability("hflush");
        } catch (NoSuchMethodError e) {
            // Hadoop 2.7, which some builds of Spark 3 have. There only HDFS is Syncable.
            return out.getWrappedStream() instanceof Syncable;
        }
    }
}
