package dev.charcloth.spark;

import java.util.concurrent.TimeUnit;

/** An end of time that several steps share, so that together they take no longer. Immutable. */
final class Deadline {
    private final long endNanos;

    private Deadline(long endNanos) {
        this.endNanos = endNanos;
    }

    static Deadline in(long millis) {
        return new Deadline(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** Milliseconds, never below 0. */
    long left() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime()));
    }
}
