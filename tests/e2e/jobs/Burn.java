package jobs;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** Work that tests know the truth about: jobs whose tasks burn CPU in a method of their own, hang, fail or are short. */
public final class Burn {
    private static volatile long sink;

    private Burn() {
    }

    /** Of this thread: on a machine that has others to serve, the work is still the same. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static int alpha(int millis) {
        long end = cpuNanos() + millis * 1_000_000L;
        while (cpuNanos() < end) {
            for (int i = 0; i < 10_000; i++) {
                sink = sink * 31 + 7;
            }
        }
        return 1;
    }

    private static int beta(int millis) {
        long end = cpuNanos() + millis * 1_000_000L;
        while (cpuNanos() < end) {
            for (int i = 0; i < 10_000; i++) {
                sink = sink * 17 + 3;
            }
        }
        return 1;
    }

    private static int burnOn() throws InterruptedException {
        for (;;) {
            alpha(50);
            Thread.sleep(1);
        }
    }

    private static JavaRDD<Integer> numbers(JavaSparkContext sc, int tasks) {
        return sc.parallelize(IntStream.range(0, tasks).boxed().collect(Collectors.toList()), tasks);
    }

    /** A job whose tasks burn in alpha; returns how many there were. */
    public static int alphas(JavaSparkContext sc, int tasks, int millis) {
        return numbers(sc, tasks).map(n -> alpha(millis)).reduce(Integer::sum);
    }

    public static int betas(JavaSparkContext sc, int tasks, int millis) {
        return numbers(sc, tasks).map(n -> beta(millis)).reduce(Integer::sum);
    }

    /** Two jobs at the same time, one in each method, in job groups and pools named after them. */
    public static int both(JavaSparkContext sc, int tasks, int millis) throws InterruptedException {
        int[] sums = new int[2];
        Thread first = new Thread(() -> {
            grouped(sc, "alpha");
            sums[0] = alphas(sc, tasks, millis);
        });
        Thread second = new Thread(() -> {
            grouped(sc, "beta");
            sums[1] = betas(sc, tasks, millis);
        });
        first.start();
        second.start();
        first.join();
        second.join();
        return sums[0] + sums[1];
    }

    private static void grouped(JavaSparkContext sc, String name) {
        sc.setJobGroup(name, "burns in " + name, true);
        sc.setLocalProperty("spark.scheduler.pool", name);
    }

    /** The first attempt of one task fails. */
    public static int flaky(JavaSparkContext sc) {
        return numbers(sc, 3).map(n -> {
            if (n == 1 && TaskContext.get().attemptNumber() == 0) {
                throw new IllegalStateException("the first attempt");
            }
            return alpha(50);
        }).reduce(Integer::sum);
    }

    /** The first attempt of one task hangs for good; any other ends soon. */
    public static int straggling(JavaSparkContext sc) {
        return numbers(sc, 4).map(n -> {
            while (n == 0 && TaskContext.get().attemptNumber() == 0) {
                Thread.sleep(60_000);
            }
            return alpha(50);
        }).reduce(Integer::sum);
    }

    /** A job in the background whose tasks burn until they are killed; get() waits for it. */
    public static JavaFutureAction<List<Integer>> endless(JavaSparkContext sc, int tasks) {
        return numbers(sc, tasks).map(n -> burnOn()).collectAsync();
    }

    /** The process ids of so many executors by their ids; asks until all have answered. */
    public static Map<String, String> executors(JavaSparkContext sc, int wanted) {
        Map<String, String> found = new TreeMap<>();
        while (found.size() < wanted) {
            for (String[] one : numbers(sc, wanted).map(n -> self()).collect()) {
                found.put(one[0], one[1]);
            }
        }
        return found;
    }

    private static String[] self() throws Exception {
        alpha(100);
        String pid = new java.io.File("/proc/self").getCanonicalFile().getName();
        return new String[] { SparkEnv.get().executorId(), pid };
    }

    /** Ends the JVM when its main thread has ended: Spark 3.5 keeps the timer of a barrier for good. */
    public static void endAfterMain() {
        Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals("main")).forEach(main -> {
            Thread ender = new Thread(() -> {
                try {
                    main.join();
                    System.exit(0);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            ender.setDaemon(true);
            ender.start();
        });
    }

    /** The names of our threads in this JVM. */
    public static List<String> threads() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().toLowerCase().contains("charcloth")) {
                names.add(thread.getName());
            }
        }
        Collections.sort(names);
        return names;
    }
}
