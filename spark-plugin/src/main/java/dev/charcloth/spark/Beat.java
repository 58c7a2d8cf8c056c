package dev.charcloth.spark;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that does something over and over until it is ended. What goes wrong in it is logged, once, and it
 * goes on: also when memory runs out, which passes.
 */
final class Beat {
    private static final Logger LOG = LoggerFactory.getLogger(Beat.class);

    private static final long AFTER_FAILURE_MILLIS = 5_000;
    private static final long NEVER = -1;

    private final Thread thread;
    private final BooleanSupplier begin;
    private final LongSupplier turn;
    private boolean ended;
    private boolean complained;

    /**
     * @param begin done once, at first; false ends it
     * @param turn  done over and over; how many milliseconds to wait before it is done again
     */
    Beat(String name, BooleanSupplier begin, LongSupplier turn) {
        this.begin = begin;
        this.turn = turn;
        this.thread = Threads.daemon(name, this::run, this::complain);
    }

    void start() {
        thread.start();
    }

    /** No turn begins any more; waits for the one under way, at most so long. */
    void end(long millis) {
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        thread.interrupt();
        Threads.join(thread, millis);
    }

    private void run() {
        long wait = once(() -> begin.getAsBoolean() ? 0 : NEVER);
        while (wait != NEVER && sleep(wait)) {
            wait = once(turn);
        }
    }

    private long once(LongSupplier what) {
        try {
            return what.getAsLong();
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            complain(e);
            return AFTER_FAILURE_MILLIS;
        }
    }

    private synchronized boolean sleep(long millis) {
        long until = System.currentTimeMillis() + millis;
        try {
            for (long left = millis; !ended && left > 0; left = until - System.currentTimeMillis()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            return false;
        }
        return !ended;
    }

    private void complain(Throwable e) {
        if (!complained) {
            complained = true;
            LOG.warn("{}: {}", thread.getName(), e.toString(), e);
        }
    }
}
