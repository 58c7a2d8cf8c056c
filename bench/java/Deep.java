/**
 * Busy threads at the bottom of stacks of a given depth.
 *
 * <p>Usage: {@code java Deep SECONDS THREADS FRAMES}: seconds of CPU time of all threads. Prints what they used.
 */
public final class Deep {
    private static final java.util.concurrent.atomic.LongAdder CPU = new java.util.concurrent.atomic.LongAdder();
    private static volatile long sink;

    private static long even(int left, long seed) {
        return left == 0 ? leaf(seed) : odd(left - 1, seed) + 1;
    }

    private static long odd(int left, long seed) {
        return left == 0 ? leaf(seed) : even(left - 1, seed) + 2;
    }

    private static long leaf(long seed) {
        return Truth.mix(seed, 20_000);
    }

    private static void work(long cpuNs, int frames) {
        // run, lambda, work, leaf and mix are frames too
        while (Truth.threadCpu() < cpuNs) {
            for (int i = 0; i < 10; i++) {
                sink = even(frames - 6, sink);
            }
        }
        CPU.add(Truth.threadCpu());
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        long cpuNs = Long.parseLong(args[0]) * 1_000_000_000L / threads.length;
        int frames = Integer.parseInt(args[2]);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> work(cpuNs, frames), "deep-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.say("threads", CPU.sum());
    }
}
