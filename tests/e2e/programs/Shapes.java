import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * One kind of call after the other, each for the same CPU time.
 *
 * <p>Usage: {@code java Shapes MS}. Prints {@code part NAME BEGIN END} (nanoseconds since 1970) for each, and
 * {@code line NUMBER}: where the loop of {@link #line} is.
 */
public final class Shapes {
    private static volatile long sink;
    private static volatile int turns = 20_000;

    private interface Part {
        long run(int n) throws Exception;
    }

    // -- calls through tables: more receivers than a compiler guesses

    abstract static class Base {
        abstract int step(int x);
    }

    static final class A extends Base { int step(int x) { return mix(x, 1); } }
    static final class B extends Base { int step(int x) { return mix(x, 2); } }
    static final class C extends Base { int step(int x) { return mix(x, 3); } }
    static final class D extends Base { int step(int x) { return mix(x, 4); } }
    static final class E extends Base { int step(int x) { return mix(x, 5); } }

    static int mix(int x, int by) {
        for (int i = 0; i < 5; i++) {
            x = x * 31 + by;
        }
        return x;
    }

    private static final Base[] BASES = {new A(), new B(), new C(), new D(), new E()};
    private static final IntUnaryOperator[] LAMBDAS = {
        x -> mix(x, 1), x -> mix(x, 2), x -> mix(x, 3), x -> mix(x, 4), x -> mix(x, 5)
    };

    private static long vtable(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x = BASES[i % BASES.length].step(x);
        }
        return x;
    }

    private static long itable(int n) {
        int x = n;
        for (int i = 0; i < n; i++) {
            x = LAMBDAS[i % LAMBDAS.length].applyAsInt(x);
        }
        return x;
    }

    // -- code that the VM brings along

    private static final byte[] FROM = new byte[1 << 16];
    private static final byte[] TO = new byte[1 << 16];

    private static long arraycopy(int n) {
        for (int i = 0; i < n / 50; i++) {
            System.arraycopy(FROM, 1, TO, 3, FROM.length - 4);
        }
        return TO[5];
    }

    private static long intrinsics(int n) throws Exception {
        CRC32 crc = new CRC32();
        crc.update(FROM);
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(FROM);
        double x = 0;
        for (int i = 0; i < n; i++) {
            x += Math.sin(i) + Math.pow(i, 0.3);
        }
        String text = new String(TO, StandardCharsets.ISO_8859_1);
        return crc.getValue() + digest.digest()[0] + (long) x + text.indexOf("nothing of the kind");
    }

    private static long natives(int n) {
        Deflater deflater = new Deflater(6);
        deflater.setInput(FROM);
        deflater.finish();
        long sum = 0;
        while (!deflater.finished()) {
            sum += deflater.deflate(TO);
        }
        deflater.end();
        return sum + n;
    }

    private static long exceptions(int n) {
        long sum = 0;
        for (int i = 0; i < n / 100; i++) {
            try {
                sum += thrower(i);
            } catch (IllegalArgumentException e) {
                sum += e.getMessage().length();
            }
        }
        return sum;
    }

    private static int thrower(int i) {
        if (i % 2 == 0) {
            throw new IllegalArgumentException("even");
        }
        return i;
    }

    // -- a line that is known

    private static int lineNumber;

    private static long line(int n) {
        lineNumber = new Throwable().getStackTrace()[0].getLineNumber() + 2;
        long x = n;
        for (int i = 0; i < n * 5; i++) { x = x * 6364136223846793005L + 1442695040888963407L; x ^= x >>> 17; }
        return x;
    }

    private static void part(String name, long ns, Part part) throws Exception {
        long begin = Truth.now();
        long end = Truth.threadCpu() + ns;
        long sum = 0;
        while (Truth.threadCpu() < end) {
            sum += part.run(turns);
        }
        sink = sum;
        Truth.say("part", name, begin, Truth.now());
    }

    public static void main(String[] args) throws Exception {
        long ns = Long.parseLong(args[0]) * 1_000_000;
        new java.util.Random(1).nextBytes(FROM);
        part("vtable", ns, Shapes::vtable);
        part("itable", ns, Shapes::itable);
        part("arraycopy", ns, Shapes::arraycopy);
        part("intrinsics", ns, Shapes::intrinsics);
        part("natives", ns, Shapes::natives);
        part("exceptions", ns, Shapes::exceptions);
        part("line", ns, Shapes::line);
        Truth.say("line", lineNumber);
    }
}
