import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a walker of stacks stumbles over, all at once: classes that come and go, code that is thrown away, deep
 * recursion, exceptions through many frames, garbage, threads that live for milliseconds, locks.
 *
 * <p>Usage: {@code java Stress MS}, of CPU time in all. Every part counts its turns and checks its own results; prints {@code turns NAME N}
 * and {@code wrong 0}.
 */
public final class Stress {
    /** Loaded again and again, each time by a loader of its own. */
    public static final class Victim implements java.util.function.IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum += twice(i);
            }
            return sum;
        }

        private static int twice(int i) {
            return 2 * i;
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> define(byte[] code) {
            return defineClass(null, code, 0, code.length);
        }
    }

    private interface Part {
        boolean run(int turn) throws Exception;
    }

    private static final LongAdder WRONG = new LongAdder();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Object MONITOR = new Object();
    private static byte[] victim;
    private static volatile boolean over;
    private static volatile Object kept;

    private static boolean churnClasses(int turn) throws Exception {
        Object made = new Loader().define(victim).getDeclaredConstructor().newInstance();
        int sum = ((java.util.function.IntUnaryOperator) made).applyAsInt(20_000);
        if (turn % 50 == 0) {
            System.gc();
        }
        return sum == 20_000 * 19_999;
    }

    // -- a call site that sees one class until it is compiled, then others

    private interface Shape {
        int area(int x);
    }

    private static Shape shape(int kind) {
        switch (kind % 4) {
            case 0: return x -> x;
            case 1: return x -> x + kind;
            case 2: return new Shape() {
                public int area(int x) { return x - 1; }
            };
            default: return x -> x ^ kind;
        }
    }

    private static int measure(Shape shape, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += shape.area(i);
        }
        return sum;
    }

    private static boolean deoptimise(int turn) {
        int same = measure(shape(turn / 20), 5_000);
        return same == measure(shape(turn / 20), 5_000);
    }

    private static int recurse(int n) {
        return n == 0 ? 0 : 1 + (n % 3 == 0 ? recurse(n - 1) : other(n - 1));
    }

    private static int other(int n) {
        return n == 0 ? 0 : 1 + recurse(n - 1);
    }

    private static boolean deep(int turn) {
        int depth = 100 + turn % 20 * 100;
        return recurse(depth) == depth;
    }

    private static int fall(int n) {
        if (n == 0) {
            throw new IllegalStateException("down");
        }
        return fall(n - 1) + 1;
    }

    private static boolean exceptions(int turn) {
        try {
            fall(turn % 60);
        } catch (IllegalStateException e) {
            return e.getStackTrace().length > turn % 60;
        }
        return false;
    }

    private static boolean garbage(int turn) {
        List<byte[]> held = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            held.add(new byte[500 + i]);
        }
        kept = held;
        return held.size() == 200;
    }

    private static boolean threads(int turn) throws InterruptedException {
        boolean[] ran = new boolean[1];
        Thread thread = new Thread(() -> ran[0] = recurse(50) == 50, "short-" + turn);
        thread.start();
        thread.join();
        return ran[0];
    }

    private static int guarded;

    private static boolean locks(int turn) {
        LOCK.lock();
        try {
            synchronized (MONITOR) {
                int before = guarded;
                guarded = before + 1;
                Thread.yield();
                return guarded == before + 1;
            }
        } finally {
            LOCK.unlock();
        }
    }

    private static Thread start(String name, Part part) {
        Thread thread = new Thread(() -> {
            int turn = 0;
            try {
                for (; !over; turn++) {
                    if (!part.run(turn)) {
                        WRONG.increment();
                    }
                }
            } catch (Throwable e) {
                e.printStackTrace();
                WRONG.increment();
            }
            Truth.say("turns", name, turn);
        }, name);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        try (InputStream in = Stress.class.getResourceAsStream("Stress$Victim.class")) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            in.transferTo(out);
            victim = out.toByteArray();
        }
        long end = Truth.processCpu() + Long.parseLong(args[0]) * 1_000_000;
        List<Thread> all = List.of(
                start("classes", Stress::churnClasses), start("deopt", Stress::deoptimise),
                start("deep", Stress::deep), start("exceptions", Stress::exceptions),
                start("garbage", Stress::garbage), start("threads", Stress::threads),
                start("locks-1", Stress::locks), start("locks-2", Stress::locks));
        while (Truth.processCpu() < end) {
            Truth.sleep(5);
        }
        over = true;
        for (Thread thread : all) {
            thread.join();
        }
        Truth.say("wrong", WRONG.sum());
    }
}
