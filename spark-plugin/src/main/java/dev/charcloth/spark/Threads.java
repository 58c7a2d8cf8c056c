package dev.charcloth.spark;

import java.util.function.Consumer;

/** How threads are made in a process that is another's. */
final class Threads {
    private Threads() {
    }

    /**
     * A thread that keeps no process alive, and ends none: Spark's own handler does that in an executor when a thread
     * dies of an error.
     *
     * @param died told what it died of
     */
    static Thread daemon(String name, Runnable what, Consumer<Throwable> died) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((t, e) -> died.accept(e));
        return thread;
    }

    /** Waits for a thread, at most so long, and leaves an interrupt for later; whether it has ended. */
    static boolean join(Thread thread, long millis) {
        Deadline deadline = Deadline.in(millis);
        boolean interrupted = false;
        boolean joined = false;
        while (!joined) {
            try {
                thread.join(Math.max(1, deadline.left()));
                joined = true;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
