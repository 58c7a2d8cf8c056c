import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Spends three quarters of its time under heavy(), one under light(), until the main thread had that much CPU time. */
public class Quarters {
    static volatile long sink;

    static long spin(long steps) {
        long x = steps;
        for (long i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static void heavy(long steps) {
        sink += spin(3 * steps);
    }

    static void light(long steps) {
        sink += spin(steps);
    }

    static void round(long steps) {
        heavy(steps);
        light(steps);
    }

    public static void main(String[] args) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long until = threads.getCurrentThreadCpuTime() + Long.parseLong(args[0]) * 1_000_000;
        while (threads.getCurrentThreadCpuTime() < until) {
            round(5000);
        }
        System.out.println("done");
    }
}
