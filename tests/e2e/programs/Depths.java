/**
 * A busy thread at the bottom of a stack of known depth.
 *
 * <p>Usage: {@code java Depths MS CALLS}: so much CPU time below that many calls.
 */
public final class Depths {
    private static long even(int left, long ns) {
        return left == 0 ? leaf(ns) : odd(left - 1, ns) + 1;
    }

    private static long odd(int left, long ns) {
        return left == 0 ? leaf(ns) : even(left - 1, ns) + 2;
    }

    private static long leaf(long ns) {
        Truth.burn(ns);
        return 0;
    }

    public static void main(String[] args) throws InterruptedException {
        long ns = Long.parseLong(args[0]) * 1_000_000;
        int calls = Integer.parseInt(args[1]);
        Thread thread = new Thread(null, () -> even(calls - 1, ns), "deep", 64 << 20);
        thread.start();
        thread.join();
    }
}
