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
}
