import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Keeps memory, makes garbage, reads a file, starts threads and burns CPU, then prints what the JVM itself says about it,
 * one {@code key=value} a line. Usage: {@code java Gauges SECONDS_OF_CPU FILE_TO_READ}.
 */
public final class Gauges {
    static byte[][] kept = new byte[40][];
    static Object garbage;
    static long sum;

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long spin = (long) (Double.parseDouble(arguments[0]) * 1e9);
        startThreads(7);
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new byte[1 << 20];
        }
        sum += Files.readAllBytes(Path.of(arguments[1])).length;
        while (threads.getCurrentThreadCpuTime() < spin) {
            for (int i = 0; i < 1000; i++) {
                garbage = new byte[1000];
            }
        }
        System.gc();
        tell(threads);
    }

    private static void startThreads(int n) throws InterruptedException {
        CountDownLatch up = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            Thread t = new Thread(() -> {
                up.countDown();
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            t.setDaemon(true);
            t.start();
        }
        up.await();
    }

    private static void tell(ThreadMXBean threads) throws Exception {
        StringBuilder out = new StringBuilder();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                add(out, "rss", Long.parseLong(line.replaceAll("\\D", "")) << 10);
            }
        }
        Runtime runtime = Runtime.getRuntime();
        add(out, "cpus", runtime.availableProcessors());
        add(out, "max", runtime.maxMemory());
        add(out, "committed", runtime.totalMemory());
        add(out, "used", runtime.totalMemory() - runtime.freeMemory());
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            add(out, "pool " + pool.getName(), pool.getUsage().getUsed());
        }
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            add(out, "gc " + collector.getName(), collector.getCollectionCount());
            add(out, "gctime " + collector.getName(), collector.getCollectionTime());
        }
        add(out, "spun", threads.getCurrentThreadCpuTime());
        add(out, "threads", threads.getThreadCount());
        add(out, "daemons", threads.getDaemonThreadCount());
        add(out, "started", threads.getTotalStartedThreadCount());
        add(out, "classes", ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
        System.out.print(out);
    }

    private static void add(StringBuilder to, String key, long value) {
        to.append(key).append('=').append(value).append('\n');
    }
}
