import java.lang.management.ManagementFactory;

/** Allocates objects of many sizes on several threads and says how many bytes these threads have allocated. */
public class Alloc {
    static volatile Object sink;

    static void small(int n) {
        for (int i = 0; i < n; i++) {
            sink = new byte[16 + i % 100];
        }
    }

    static void medium(int n) {
        for (int i = 0; i < n; i++) {
            sink = new long[100 + i % 1000];
        }
    }

    static void large(int n) {
        for (int i = 0; i < n; i++) {
            sink = new Object[200_000];
        }
    }

    static long allocated() {
        var bean = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        long[] bytes = new long[3];
        Thread[] threads = new Thread[bytes.length];
        for (int t = 0; t < threads.length; t++) {
            int mine = t;
            threads[t] = new Thread(() -> {
                long before = allocated();
                for (int i = 0; i < rounds; i++) {
                    if (mine == 0) {
                        small(100_000);
                    } else if (mine == 1) {
                        medium(2_000);
                    } else {
                        large(10);
                    }
                }
                bytes[mine] = allocated() - before;
            }, "allocator-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("small " + bytes[0]);
        System.out.println("medium " + bytes[1]);
        System.out.println("large " + bytes[2]);
    }
}
