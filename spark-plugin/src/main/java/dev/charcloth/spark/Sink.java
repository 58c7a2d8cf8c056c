package dev.charcloth.spark;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Where a recording goes, segment by segment. Used by one thread; may block, and {@link #close} too: the caller bounds
 * it. Nothing is asked for before {@link #open} or the first {@link #put}.
 */
interface Sink extends Closeable {
    /**
     * Does ahead what the first {@link #put} would do beside writing. After an exception that one does it.
     *
     * @throws Refused if it is pointless to try again
     */
    void open() throws IOException;

    /**
     * Adds a segment, which is a whole recording by itself. Once this returns, readers of the output find all of it.
     * After an exception the segment may be put again.
     *
     * @throws Refused if it is pointless to try again
     */
    void put(Path segment) throws IOException;

    /** The place as a user would name it. */
    String where();

    /** What was put before is gone; this segment may be put again. */
    final class Lost extends IOException {
        private static final long serialVersionUID = 1L;

        Lost(String message) {
            super(message);
        }
    }

    /** No second try will mend this. */
    final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        Refused(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
