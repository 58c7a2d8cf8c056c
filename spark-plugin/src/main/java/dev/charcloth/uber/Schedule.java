package dev.charcloth.uber;

import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs the profilers in daemon threads, which the stacks leave out by their name. What fails is tried again at its next
 * turn, and told once; a JVM that ends waits for a last record of each, but not for long.
 */
final class Schedule {
    private static final String THREAD_PREFIX = "charcloth-uber-";
    private static final int THREADS = 2; // a slow report does not keep the next sample waiting
    private static final long LAST_RECORD_MS = 1000;

    private final ScheduledThreadPoolExecutor pool;
    private final Consumer<String> warn;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    Schedule(Consumer<String> warn) {
        this.warn = warn;
        AtomicInteger number = new AtomicInteger();
        pool = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = new Thread(task, THREAD_PREFIX + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Once, now. */
    void once(Runnable task) {
        pool.execute(guarded(task));
    }

    /** Now, even if the JVM ends at once, and every so often until the end. */
    void every(long intervalMs, Runnable task) {
        once(task);
        pool.scheduleAtFixedRate(guarded(task), intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    }

    /** Has the tasks run once more when the JVM ends. */
    void lastly(List<Runnable> tasks) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(tasks), THREAD_PREFIX + "end"));
    }

    private void end(List<Runnable> tasks) {
        tasks.forEach(task -> pool.execute(guarded(task)));
        pool.shutdown();
        try {
            pool.awaitTermination(LAST_RECORD_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A periodic task that throws would never run again. */
    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError e) {
                if (hasWarned.compareAndSet(false, true)) {
                    warn.accept("a record is lost, no more is said about it: " + e);
                }
            }
        };
    }
}
