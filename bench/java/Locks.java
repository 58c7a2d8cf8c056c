import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for each other, at monitors and at a lock, and measure how long.
 *
 * <p>Usage: {@code java Locks SECONDS}. Prints the nanoseconds waited at each, of waits over 10 microseconds.
 */
public final class Locks {
    private static final long THRESHOLD_NS = 10_000;
    private static final Object MONITOR = new Object();
    private static final Object BRIEF = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final AtomicLong MONITOR_NS = new AtomicLong();
    private static final AtomicLong BRIEF_NS = new AtomicLong();
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

    /** Held for so short a time that the JVM often spins instead of waiting. */
    private static void brief(long end) {
        while (System.nanoTime() < end) {
            long since = System.nanoTime();
            synchronized (BRIEF) {
                count(BRIEF_NS, since);
                Truth.burn(100_000);
            }
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
        Thread[] threads = {
            new Thread(() -> monitor(end), "monitor-0"),
            new Thread(() -> monitor(end), "monitor-1"),
            new Thread(() -> monitor(end), "monitor-2"),
            new Thread(() -> lock(end), "lock-0"),
            new Thread(() -> lock(end), "lock-1"),
            new Thread(() -> lock(end), "lock-2"),
            new Thread(() -> brief(end), "brief-0"),
            new Thread(() -> brief(end), "brief-1"),
        };
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.say("monitor", MONITOR_NS.get());
        Truth.say("brief", BRIEF_NS.get());
        Truth.say("lock", LOCK_NS.get());
    }
}
