import java.util.concurrent.ConcurrentHashMap;
import java.util.Map;

/**
 * Threads that allocate objects of different sizes and know how many bytes that was.
 *
 * <p>Usage: {@code java Allocs MEGABYTES}. Prints the bytes of each thread, as the JVM counts them.
 */
public final class Allocs {
    private static final Map<String, Long> BYTES = new ConcurrentHashMap<>();
    private static volatile Object sink;

    private static void bytes(int size, long total) {
        for (long done = 0; done < total; done += size) {
            sink = new byte[size];
        }
    }

    private static void texts(long total) {
        long begin = Truth.allocated();
        for (int i = 0; Truth.allocated() - begin < total; i++) {
            for (int k = 0; k < 1000; k++) {
                sink = Integer.toString(i + k);
            }
        }
    }

    private static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(() -> {
            work.run();
            BYTES.put(name, Truth.allocated());
        }, name);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws InterruptedException {
        long total = Long.parseLong(args[0]) << 20;
        Thread[] threads = {
            thread("alloc-small", () -> bytes(40, total)),
            thread("alloc-page", () -> bytes(4096, total * 2)),
            thread("alloc-large", () -> bytes(3_000_000, total * 3)),
            thread("alloc-text", () -> texts(total)),
        };
        for (Thread thread : threads) {
            thread.join();
        }
        BYTES.forEach((name, bytes) -> Truth.say("allocated", name, bytes));
    }
}
