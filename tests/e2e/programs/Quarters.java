import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Spends about three quarters of its time under heavy() and one under light(), until the main thread had that much CPU
 * time, and says how much each really had: while one of them is still interpreted, its share is larger.
 */
public class Quarters {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
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

    static void round(long steps, long[] spent) {
        long begun = THREADS.getCurrentThreadCpuTime();
        heavy(steps);
        long between = THREADS.getCurrentThreadCpuTime();
        light(steps);
        spent[0] += between - begun;
        spent[1] += THREADS.getCurrentThreadCpuTime() - between;
    }

    public static void main(String[] args) {
        long[] spent = new long[2];
        long until = THREADS.getCurrentThreadCpuTime() + Long.parseLong(args[0]) * 1_000_000;
        while (THREADS.getCurrentThreadCpuTime() < until) {
            round(50_000, spent);
        }
        System.out.println("heavy " + spent[0] + "\nlight " + spent[1]);
    }
}
