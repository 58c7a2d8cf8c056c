/**
 * Stays alive until its input ends. Usage: {@code java Idle}; prints {@code up} when it runs. One thread has a name that
 * a terminal would obey, and a class of its own is kept in a known number.
 */
public final class Idle {
    static final class Counted {
        long value;
    }

    static Counted[] kept;

    public static void main(String[] arguments) throws Exception {
        kept = new Counted[4321];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new Counted();
        }
        for (int i = 0; i < 1000; i++) {
            new Counted().value++;
        }
        Thread named = new Thread(Idle::rest, "named \u001b[31m thread");
        named.setDaemon(true);
        named.start();
        System.out.println("up");
        while (System.in.read() >= 0) {
            // until the test closes it
        }
    }

    private static void rest() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
