import java.util.ArrayList;
import java.util.List;

/** Works until it is killed: two busy threads, some that come and go, some garbage. */
public final class Killed {
    static volatile Object sink;

    private static void allocate() {
        List<byte[]> held = new ArrayList<>();
        while (true) {
            held.add(new byte[1000]);
            if (held.size() > 10_000) {
                held = new ArrayList<>();
            }
            sink = held;
            if (held.size() % 100 == 0) {
                Truth.burn(500_000);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Thread(Killed::allocate, "allocator").start();
        Truth.say("ready");
        while (true) {
            Thread thread = new Thread(() -> Truth.burn(5_000_000), "short");
            thread.start();
            thread.join();
        }
    }
}
