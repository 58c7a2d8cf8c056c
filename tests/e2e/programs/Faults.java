/** Touches fresh pages of the heap; run with -XX:-AlwaysPreTouch and a heap that grows as it goes. */
public class Faults {
    static volatile Object sink;

    static void touch(int megabytes) {
        byte[][] kept = new byte[megabytes][];
        for (int i = 0; i < megabytes; i++) {
            kept[i] = new byte[1 << 20];
        }
        sink = kept;
    }

    public static void main(String[] arguments) {
        touch(Integer.parseInt(arguments[0]));
    }
}
