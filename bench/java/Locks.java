import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for each other, at a monitor and at a lock, and measure how long.
 *
 * <p>Usage: {@code java Locks SECONDS}. Prints the nanoseconds waited at each, of waits over 10 microseconds.
 */
public final class Locks {
    private static final long THRESHOLD_NS = 10_000;
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final AtomicLong MONITOR_NS = new AtomicLong();
    private static final AtomicLong LOCK_NS = new AtomicLong();

    private static void count(AtomicLong sum, long since) {
        long waited = System.nanoTime() - since;
        if (waited >= THRESHOLD_NS) {
            sum.addAndGet(waited);
        }
    }

    private static void monitor(long end) {
        while (System.nanoTime() < end) {
            long since = System.nanoTime();
            synchronized (MONITOR) {
                count(MONITOR_NS, since);
                Truth.sleep(2);
            }
            Truth.burn(300_000);
        }
    }

    private static void lock(long end) {
        while (System.nanoTime() < end) {
            long since = System.nanoTime();
            LOCK.lock();
            try {
                count(LOCK_NS, since);
                Truth.sleep(2);
            } finally {
                LOCK.unlock();
            }
            Truth.burn(300_000);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Thread[] threads = new Thread[6];
        for (int i = 0; i < threads.length; i++) {
            Runnable work = i % 2 == 0 ? () -> monitor(end) : () -> lock(end);
            threads[i] = new Thread(work, (i % 2 == 0 ? "monitor-" : "lock-") + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.say("monitor", MONITOR_NS.get());
        Truth.say("lock", LOCK_NS.get());
    }
}
