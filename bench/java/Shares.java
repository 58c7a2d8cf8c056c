import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.Deflater;

/**
 * Threads whose share of the CPU is known because they measure it themselves, just before they end.
 *
 * <p>Usage: {@code java Shares LOAD SECONDS}. Prints when the work began and ended, the CPU time of each group of threads
 * (their name up to the last dash), that of the JVM's own threads and that of the process.
 */
public final class Shares {
    private static final Map<String, LongAdder> CPU = new ConcurrentHashMap<>();
    private static final int[] DUTY = {100, 60, 30, 10};
    private static volatile Object sink;
    private static long end;

    private interface Work {
        void run() throws IOException;
    }

    private static boolean running() {
        return System.nanoTime() < end;
    }

    private static Thread thread(String group, int number, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            CPU.computeIfAbsent(group, key -> new LongAdder()).add(Truth.threadCpu());
        }, group + "-" + number);
        thread.start();
        return thread;
    }

    private static void duty(int percent) {
        while (running()) {
            Truth.burn(percent * 100_000L);
            if (percent < 100) {
                Truth.sleep((100 - percent) / 10);
            }
        }
    }

    private static List<Thread> duties(int threads) {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int percent = DUTY[i % DUTY.length];
            all.add(thread("duty" + percent, i, () -> duty(percent)));
        }
        return all;
    }

    /** Threads of 1 to 9 ms, two at a time, beside one that stays. */
    private static List<Thread> shortLived() throws InterruptedException {
        Thread stays = thread("stays", 0, () -> duty(30));
        for (int i = 0; running(); i++) {
            int one = 1 + i % 5 * 2;
            int other = 9 - i % 5 * 2;
            Thread first = thread("short" + one, i, () -> Truth.burn(one * 1_000_000L - 200_000));
            Thread second = thread("short" + other, i, () -> Truth.burn(other * 1_000_000L - 200_000));
            first.join();
            second.join();
        }
        return List.of(stays);
    }

    private static void garbage(int size) {
        Object[] ring = new Object[20_000];
        for (int i = 0; running(); i++) {
            byte[] block = new byte[size];
            block[0] = (byte) Truth.mix(i, 50);
            ring[i % ring.length] = block;
        }
        sink = ring;
    }

    private static List<Thread> garbages() {
        return List.of(
                thread("small", 0, () -> garbage(100)),
                thread("large", 0, () -> garbage(4000)),
                thread("plain", 0, () -> duty(60)));
    }

    private static void deflate() {
        byte[] in = new byte[1 << 16];
        new java.util.Random(1).nextBytes(in);
        for (int i = 0; i < in.length; i++) {
            in[i] &= 15;
        }
        byte[] out = new byte[1 << 17];
        Deflater deflater = new Deflater(6);
        while (running()) {
            deflater.reset();
            deflater.setInput(in);
            deflater.finish();
            while (!deflater.finished()) {
                deflater.deflate(out);
            }
        }
        deflater.end();
    }

    private static List<Thread> natives() {
        return List.of(
                thread("deflate", 0, Shares::deflate),
                thread("deflate", 1, Shares::deflate),
                thread("plain", 0, () -> duty(60)));
    }

    private static void read(int size) throws IOException {
        byte[] block = new byte[size];
        try (FileInputStream in = new FileInputStream("/dev/zero")) {
            while (running()) {
                in.read(block);
            }
        }
    }

    private static void write(int size) throws IOException {
        byte[] block = new byte[size];
        try (FileOutputStream out = new FileOutputStream("/dev/null")) {
            while (running()) {
                out.write(block);
            }
        }
    }

    private static List<Thread> calls() {
        return List.of(
                thread("read", 0, () -> read(1 << 18)),
                thread("write", 0, () -> write(64)),
                thread("plain", 0, () -> duty(60)));
    }

    private static List<Thread> start(String load) throws InterruptedException {
        switch (load) {
            case "short": return shortLived();
            case "gc": return garbages();
            case "jni": return natives();
            case "calls": return calls();
            default: return duties(Integer.parseInt(load));
        }
    }

    /** The CPU time of every thread of this process, by its number and name. */
    private static Map<String, Long> tasks() throws IOException {
        Map<String, Long> found = new HashMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : all) {
                try {
                    String name = Files.readString(task.resolve("comm")).strip();
                    String ran = Files.readString(task.resolve("schedstat")).split(" ")[0];
                    found.put(task.getFileName() + "\t" + name, Long.parseLong(ran));
                } catch (IOException gone) {
                    // it has ended meanwhile
                }
            }
        }
        return found;
    }

    public static void main(String[] args) throws Exception {
        Truth.burn(200_000_000);
        Map<String, Long> before = tasks();
        long cpu = Truth.processCpu();
        Truth.say("begin", Truth.now());
        end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
        for (Thread thread : start(args[0])) {
            thread.join();
        }
        Truth.say("end", Truth.now());
        Truth.say("process", Truth.processCpu() - cpu);
        new TreeMap<>(CPU).forEach((group, sum) -> Truth.say("group", group, sum.sum()));
        tasks().forEach((task, ran) -> Truth.say("task", task, ran - before.getOrDefault(task, 0L)));
    }
}
