package dev.charcloth.spark;

/** When to try again what has failed: after 1 s, 2 s, 4 s … 60 s, and no more after ten minutes. Times in ms. */
final class Retry {
    static final long FIRST_WAIT = 1_000;
    static final long LONGEST_WAIT = 60_000;
    static final long PATIENCE = 600_000;
    /** Each of a few tries can take minutes; that alone is no reason to give up. */
    static final int LEAST_TRIES = 5;

    private int failures;
    private long since;
    private long nextAt;

    boolean due(long now) {
        return failures == 0 || now - nextAt >= 0;
    }

    void failed(long now) {
        if (failures++ == 0) {
            since = now;
        }
        nextAt = now + Math.min(LONGEST_WAIT, FIRST_WAIT << Math.min(failures - 1, 10));
    }

    void succeeded() {
        failures = 0;
    }

    /** The next try is due at once. */
    void hurry(long now) {
        nextAt = now;
    }

    int failures() {
        return failures;
    }

    boolean exhausted(long now) {
        return failures >= LEAST_TRIES && now - since >= PATIENCE;
    }
}
