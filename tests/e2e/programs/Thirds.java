/**
 * Three threads that do the same in methods of their own, and one that sleeps.
 *
 * <p>Usage: {@code java Thirds cpu MS}: each uses so much CPU time; {@code java Thirds wall MS}: all live that long, at
 * work half of the time.
 */
public final class Thirds {
    private static long deadline;
    private static long cpuNs;

    private static void work() {
        if (cpuNs > 0) {
            Truth.burn(cpuNs);
            return;
        }
        while (System.nanoTime() < deadline) {
            Truth.burn(2_000_000);
            Truth.sleep(5);
        }
    }

    private static void first() { work(); }

    private static void second() { work(); }

    private static void third() { work(); }

    private static void idle() { Truth.sleep(Long.MAX_VALUE); }

    public static void main(String[] args) throws InterruptedException {
        long ns = Long.parseLong(args[1]) * 1_000_000;
        if (args[0].equals("cpu")) {
            cpuNs = ns;
        }
        Truth.burn(1);
        Thread sleeper = new Thread(Thirds::idle, "sleeper");
        sleeper.setDaemon(true);
        sleeper.start();
        Runnable[] all = {Thirds::first, Thirds::second, Thirds::third};
        Thread[] threads = new Thread[all.length];
        deadline = System.nanoTime() + ns;
        for (int i = 0; i < all.length; i++) {
            threads[i] = new Thread(all[i], "third-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
