import java.util.ArrayList;
import java.util.List;

/** Keeps 50 MB in objects of 1 KB among ten times as much garbage, which is collected before the end. */
public class Live {
    static final int KEPT = 50 * 1024;
    static final int HEADER = 16;
    static final List<byte[]> kept = new ArrayList<>(KEPT);
    static volatile Object sink;

    static void keep() {
        kept.add(new byte[1024 - HEADER]);
    }

    static void waste() {
        for (int i = 0; i < 10; i++) {
            sink = new byte[1024 - HEADER];
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < KEPT; i++) {
            keep();
            waste();
        }
        sink = null;
        System.gc();
        System.out.println("live " + KEPT * 1024L);
        if (arguments.length > 0) {
            Thread.sleep(Integer.parseInt(arguments[0]));
        }
    }
}
