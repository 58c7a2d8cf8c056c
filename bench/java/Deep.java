/**
 * Busy threads at the bottom of stacks of a given depth.
 *
 * <p>Usage: {@code java Deep SECONDS THREADS FRAMES}. Prints begin, end and the CPU time of the threads.
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

    private static void work(long end, int frames) {
        // run, lambda, work, leaf and mix are frames too
        while (System.nanoTime() < end) {
            sink = even(frames - 6, sink);
        }
        CPU.add(Truth.threadCpu());
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Thread[] threads = new Thread[Integer.parseInt(args[1])];
        int frames = Integer.parseInt(args[2]);
        Truth.say("begin", Truth.now());
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> work(end, frames), "deep-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.say("end", Truth.now());
        Truth.say("threads", CPU.sum());
    }
}
