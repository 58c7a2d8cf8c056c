import java.util.ArrayList;
import java.util.List;

/**
 * Objects that stay, among many that do not.
 *
 * <p>Usage: {@code java Held MEGABYTES GARBAGE_MEGABYTES}. Prints the bytes that are held.
 */
public final class Held {
    private static volatile Object sink;
    private static List<Kept> kept = new ArrayList<>();

    /** About 1 KB: an array would share its class with everything else. */
    static final class Kept {
        final byte[] bytes = new byte[1000];
    }

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]) * 1024;
        long garbage = Long.parseLong(args[1]) * 1024;
        long every = Math.max(1, garbage / count);
        for (int i = 0; i < count; i++) {
            kept.add(new Kept());
            for (long k = 0; k < every; k++) {
                sink = new char[504];
            }
        }
        System.gc();
        // an array of 1000 bytes and its header, and the object that holds it
        Truth.say("held", count * (1016L + 16));
        Truth.say("kept", kept.size());
    }
}
