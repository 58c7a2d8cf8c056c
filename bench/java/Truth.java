import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Instant;

/** What the measured programs share: clocks, work of a known size, and a way to say what was done. */
final class Truth {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final long SINCE_1970 = offset();
    private static volatile long sink;

    private Truth() {}

    /** From nanoTime to nanoseconds since 1970, by the closest of many pairs of readings. */
    private static long offset() {
        long best = Long.MAX_VALUE;
        long found = 0;
        for (int i = 0; i < 1000; i++) {
            long before = System.nanoTime();
            Instant now = Instant.now();
            long after = System.nanoTime();
            if (after - before < best) {
                best = after - before;
                found = now.getEpochSecond() * 1_000_000_000L + now.getNano() - (before + after) / 2;
            }
        }
        return found;
    }

    static long now() {
        return System.nanoTime() + SINCE_1970;
    }

    static long threadCpu() {
        return THREADS.getCurrentThreadCpuTime();
    }

    static long allocated() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static long processCpu() {
        return SYSTEM.getProcessCpuTime();
    }

    /** Some microseconds of arithmetic that no compiler leaves out. */
    static long mix(long seed, int turns) {
        long h = seed;
        for (int i = 0; i < turns; i++) {
            h = h * 6364136223846793005L + 1442695040888963407L;
            h ^= h >>> 17;
        }
        return h;
    }

    /** Uses so much CPU time of the calling thread. */
    static void burn(long cpuNs) {
        long end = threadCpu() + cpuNs;
        while (threadCpu() < end) {
            sink = mix(sink, 20_000);
        }
    }

    static void sleep(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void say(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.length() > 0 ? "\t" : "").append(word);
        }
        System.out.println(line);
    }
}
