import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Does a little of everything that a recorder has an event for, and prints what it did, so that a test can compare.
 *
 * <p>Usage: {@code java Busy SECONDS}. Output: lines {@code name=number}; every number is a lower bound of the events of
 * that kind, counted by the program itself. With {@code -Dbusy.rotate=true} the flight recorder begins a new chunk about
 * once a second. Compiled for Java 11.
 */
public final class Busy {
    private static final Object LOCK = new Object();
    private static final List<byte[]> KEPT = new ArrayList<>();
    private static volatile long sink;
    private static volatile boolean done;

    private static long exceptions;
    private static long parks;
    private static long socketReads;
    private static long fileWrites;

    // CPU: a recursion whose shape is known: burn -> fib -> … -> fib
    private static long fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    private static void burn() {
        while (!done) {
            sink += fib(24);
        }
    }

    // Memory: many small arrays, some large enough to be placed outside a TLAB, a few kept for good
    private static void allocate() {
        long turn = 0;
        while (!done) {
            byte[] small = new byte[1024];
            sink += small.length;
            if (turn % 1000 == 0) {
                long[] large = new long[200_000];
                sink += large.length;
                synchronized (KEPT) {
                    if (KEPT.size() < 2000) {
                        KEPT.add(new byte[10_000]);
                    }
                }
                LockSupport.parkNanos(100_000);
            }
            turn++;
        }
    }

    // Locks: two threads that hold one monitor for a millisecond at a time
    private static void contend() {
        while (!done) {
            synchronized (LOCK) {
                long until = System.nanoTime() + 1_000_000;
                while (System.nanoTime() < until) {
                    sink++;
                }
            }
        }
    }

    private static void park() {
        while (!done) {
            LockSupport.parkNanos(5_000_000);
            parks++;
        }
    }

    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    private static void refuse(int number) {
        throw new Refused("number " + number + " <b>refused</b> & dropped");
    }

    private static void fail() {
        int number = 0;
        while (!done) {
            try {
                refuse(number++);
            } catch (Refused e) {
                exceptions++;
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void serve(ServerSocket server) throws IOException {
        try (Socket socket = server.accept(); OutputStream out = socket.getOutputStream()) {
            while (!done) {
                LockSupport.parkNanos(20_000_000);
                out.write(new byte[64]);
            }
        }
    }

    private static void fetch(ServerSocket server) throws IOException {
        byte[] buffer = new byte[64];
        try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                InputStream in = socket.getInputStream()) {
            while (in.read(buffer) > 0) {
                socketReads++;
            }
        }
    }

    private static void files() throws IOException {
        Path path = Files.createTempFile("busy", ".bin");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            byte[] block = new byte[1 << 16];
            while (!done) {
                file.seek(0);
                file.write(block);
                fileWrites++;
                file.seek(0);
                file.readFully(block);
                LockSupport.parkNanos(20_000_000);
            }
        } finally {
            Files.delete(path);
        }
    }

    // Spans of async-profiler, when its classes are on the class path
    private static void spans() throws ReflectiveOperationException {
        Method start;
        Method end;
        try {
            Class<?> span = Class.forName("one.profiler.Span");
            start = span.getMethod("start");
            end = span.getMethod("end", long.class, String.class);
        } catch (ClassNotFoundException e) {
            return;
        }
        int number = 0;
        while (!done) {
            Object time = start.invoke(null);
            for (int i = 0; i < 20; i++) {
                sink += fib(22);
            }
            end.invoke(null, time, "request-" + number++ % 3);
        }
    }

    // The flight recorder begins a new chunk whenever a recording starts
    private static void rotate() {
        try (jdk.jfr.Recording another = new jdk.jfr.Recording()) {
            another.start();
        }
    }

    private interface Job {
        void run() throws Exception;
    }

    private static Thread start(String name, Job job) {
        Thread thread = new Thread(() -> {
            try {
                job.run();
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }, name);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        long seconds = Long.parseLong(args[0]);
        List<Thread> threads = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            threads.add(start("burner", Busy::burn));
            threads.add(start("allocator", Busy::allocate));
            threads.add(start("contender 1", Busy::contend));
            threads.add(start("contender 2", Busy::contend));
            threads.add(start("parker; semicolon", Busy::park));
            threads.add(start("thrower <b>", Busy::fail));
            threads.add(start("server", () -> serve(server)));
            threads.add(start("client", () -> fetch(server)));
            threads.add(start("writer ünïcode", Busy::files));
            threads.add(start("spanner", Busy::spans));
            for (long second = 0; second < seconds; second++) {
                Thread.sleep(1000);
                if (Boolean.getBoolean("busy.rotate")) {
                    rotate();
                }
            }
            done = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
        System.out.println("exceptions=" + exceptions);
        System.out.println("parks=" + parks);
        System.out.println("socket_reads=" + socketReads);
        System.out.println("file_writes=" + fileWrites);
    }
}
