import java.util.concurrent.ThreadFactory;

/**
 * Virtual threads that use CPU time, taken to by reflection: the classes are those of JDK 11.
 *
 * <p>Usage: {@code java Virtual THREADS MS}. Prints {@code done N}: how many ended.
 */
public final class Virtual {
    private static int done;

    private static void spin(long ns) {
        // a virtual thread has no CPU clock of its own
        long end = System.nanoTime() + ns;
        while (System.nanoTime() < end) {
            Truth.mix(end, 10_000);
        }
        synchronized (Virtual.class) {
            done++;
        }
    }

    public static void main(String[] args) throws Exception {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Class<?> virtual = Class.forName("java.lang.Thread$Builder$OfVirtual");
        builder = virtual.getMethod("name", String.class, long.class).invoke(builder, "virtual-", 0L);
        ThreadFactory factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
        Thread[] threads = new Thread[Integer.parseInt(args[0])];
        long ns = Long.parseLong(args[1]) * 1_000_000;
        for (int i = 0; i < threads.length; i++) {
            threads[i] = factory.newThread(() -> spin(ns));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.say("done", done);
    }
}
