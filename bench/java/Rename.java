import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool whose threads are renamed for each task, as a Spark executor does.
 *
 * <p>Usage: {@code java Rename SECONDS THREADS}. Prints for each task: thread id, begin, end, method, name.
 */
public final class Rename {
    private static final ConcurrentLinkedQueue<String> LOG = new ConcurrentLinkedQueue<>();
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final int KINDS = 4;

    private static void scan(long ns) { Truth.burn(ns); }

    private static void join(long ns) { Truth.burn(ns); }

    private static void sort(long ns) { Truth.burn(ns); }

    private static void write(long ns) { Truth.burn(ns); }

    private static String run(int kind, long ns) {
        switch (kind) {
            case 0: scan(ns); return "scan";
            case 1: join(ns); return "join";
            case 2: sort(ns); return "sort";
            default: write(ns); return "write";
        }
    }

    private static void task() {
        int id = NEXT.getAndIncrement();
        String name = String.format(
                "Executor task launch worker for task %d.0 in stage %d.%d (TID %d)", id % 200, id / 200, id % 2, id);
        long ns = (5 + id * 7919L % 16) * 1_000_000;
        Thread thread = Thread.currentThread();
        thread.setName(name);
        long begin = Truth.now();
        String method = run(id % KINDS, ns);
        long end = Truth.now();
        LOG.add("task\t" + thread.getId() + "\t" + begin + "\t" + end + "\tRename." + method + "\t" + name);
    }

    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        int threads = Integer.parseInt(args[1]);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int i = 0; i < threads; i++) {
            pool.execute(() -> {
                while (System.nanoTime() < end) {
                    task();
                }
            });
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.HOURS);
        System.out.println(String.join("\n", LOG));
    }
}
