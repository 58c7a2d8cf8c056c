import java.util.concurrent.CountDownLatch;

/**
 * Threads that wait in three ways, and some that work.
 *
 * <p>Usage: {@code java Idle SECONDS IDLE BUSY}. Prints since when they wait on average, when the others
 * worked, the CPU time of the busy threads and of the process.
 */
public final class Idle {
    private static final Object NEVER = new Object();

    private static void wait(int way) {
        try {
            if (way == 0) {
                Thread.sleep(Long.MAX_VALUE);
            } else if (way == 1) {
                new CountDownLatch(1).await();
            } else {
                synchronized (NEVER) {
                    while (true) {
                        NEVER.wait();
                    }
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void work(long end) {
        while (System.nanoTime() < end) {
            Truth.burn(5_000_000);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int idle = Integer.parseInt(args[1]);
        long first = Truth.now();
        long waiting = 0;
        for (int i = 0; i < idle; i++) {
            int way = i % 3;
            Thread thread = new Thread(() -> wait(way), "idle-" + i);
            thread.setDaemon(true);
            thread.start();
            waiting += Truth.now() - first;
        }
        Truth.say("waiting", first + waiting / idle);
        Truth.sleep(500);
        long[] cpu = new long[Integer.parseInt(args[2])];
        Thread[] busy = new Thread[cpu.length];
        long process = Truth.processCpu();
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Truth.say("begin", Truth.now());
        for (int i = 0; i < busy.length; i++) {
            int at = i;
            busy[i] = new Thread(() -> {
                work(end);
                cpu[at] = Truth.threadCpu();
            }, "busy-" + i);
            busy[i].start();
        }
        long sum = 0;
        for (int i = 0; i < busy.length; i++) {
            busy[i].join();
            sum += cpu[i];
        }
        Truth.say("end", Truth.now());
        Truth.say("process", Truth.processCpu() - process);
        Truth.say("busy", sum);
    }
}
