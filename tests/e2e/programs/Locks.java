import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for a lock which another holds for a known time: each measures how long it took from asking for the
 * lock to having it.
 */
public class Locks {
    static final Object monitor = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static final long HOLD_MS = 40;
    static long monitorNs, lockNs;

    static void hold() {
        long end = System.nanoTime() + HOLD_MS * 1_000_000;
        while (System.nanoTime() < end) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    static void enterMonitor() {
        long before = System.nanoTime();
        synchronized (monitor) {
            monitorNs += System.nanoTime() - before;
            hold();
        }
    }

    static void takeLock() {
        long before = System.nanoTime();
        lock.lock();
        try {
            lockNs += System.nanoTime() - before;
            hold();
        } finally {
            lock.unlock();
        }
    }

    static void inTwoThreads(Runnable action, int rounds) throws Exception {
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int round = 0; round < rounds; round++) {
                    action.run();
                    Thread.yield();
                }
            }, "waiter-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        inTwoThreads(Locks::enterMonitor, rounds);
        inTwoThreads(Locks::takeLock, rounds);
        System.out.println("monitor " + monitorNs);
        System.out.println("park " + lockNs);
    }
}
