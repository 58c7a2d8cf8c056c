/**
 * One step after the other, each in a thread name of its own: what is recorded can be told by the names.
 *
 * <p>Usage: {@code java Steps COUNT MS}. Prints {@code step N} when a step has used its CPU time.
 */
public final class Steps {
    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        long ns = Long.parseLong(args[1]) * 1_000_000;
        for (int i = 0; i < count; i++) {
            Thread.currentThread().setName("step-" + i);
            Truth.burn(ns);
            Truth.say("step", i);
        }
    }
}
