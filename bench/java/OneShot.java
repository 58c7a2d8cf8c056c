import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongUnaryOperator;

/**
 * Runs thousands of classes once each, as the code that Spark generates is: own loader, some CPU time, dropped.
 *
 * <p>Usage: {@code java OneShot CLASSES MICROSECONDS}. Prints for each class when it ran.
 */
public final class OneShot {
    private static final String PATTERN = "OneShotPattern";
    private static final int COLLECT_EVERY = 100;

    private static final class Loader extends ClassLoader {
        Class<?> define(byte[] code) {
            return defineClass(null, code, 0, code.length);
        }
    }

    /** The pattern under another name: every text of its constant pool that holds the name is rewritten. */
    private static byte[] renamed(byte[] code, String name) throws IOException {
        DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(code));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(in.readLong());
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == 1) {
                out.writeUTF(in.readUTF().replace(PATTERN, name));
            } else {
                out.write(in.readNBytes(sizeOf(tag)));
            }
            if (tag == 5 || tag == 6) {
                i++; // long and double take two places
            }
        }
        out.write(in.readAllBytes());
        return bytes.toByteArray();
    }

    private static int sizeOf(int tag) {
        switch (tag) {
            case 7: case 8: case 16: case 19: case 20:
                return 2;
            case 15:
                return 3;
            case 5: case 6:
                return 8;
            default:
                return 4;
        }
    }

    public static void main(String[] args) throws Exception {
        int classes = Integer.parseInt(args[0]);
        long ns = Long.parseLong(args[1]) * 1000;
        byte[] pattern;
        try (InputStream in = OneShot.class.getResourceAsStream(PATTERN + ".class")) {
            pattern = in.readAllBytes();
        }
        long[] begin = new long[classes];
        long[] end = new long[classes];
        for (int i = 0; i < classes; i++) {
            byte[] code = renamed(pattern, "Generated" + i);
            Object made = new Loader().define(code).getDeclaredConstructor().newInstance();
            LongUnaryOperator run = (LongUnaryOperator) made;
            begin[i] = Truth.now();
            run.applyAsLong(ns);
            end[i] = Truth.now();
            if (i % COLLECT_EVERY == 0) {
                System.gc();
            }
        }
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < classes; i++) {
            lines.append("ran\tGenerated").append(i).append('\t').append(begin[i]).append('\t').append(end[i]).append('\n');
        }
        System.out.print(lines);
        Truth.say("unloaded", java.lang.management.ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
    }
}
