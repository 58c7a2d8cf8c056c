package dev.charcloth.spark;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * The jobs that the Spark plugin is measured with; {@code bench/spark.py} submits them. In the plugin's package, to
 * call what Spark calls.
 *
 * <p>Usage: {@code Rows stages SECONDS | plans N | work ROUNDS | tasks N | kill MILLISECONDS}. Prints lines of words with
 * tabs between.
 */
public final class Rows {
    private static volatile long sink;

    private Rows() {
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        SparkSession spark = SparkSession.builder().getOrCreate();
        JavaSparkContext sc = JavaSparkContext.fromSparkContext(spark.sparkContext());
        switch (args[0]) {
            case "stages":
                stages(sc, n);
                break;
            case "plans":
                plans(spark, n);
                break;
            case "work":
                work(spark, sc, n);
                break;
            case "kill":
                kill(sc, n);
                break;
            case "tasks":
                tasks(sc, n);
                break;
            default:
                throw new IllegalArgumentException(args[0]);
        }
        spark.stop();
    }

    private static void say(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.length() == 0 ? "" : "\t").append(word);
        }
        System.out.println(line);
    }

    // --- two stages at once, each burning CPU in its own method ---------------------------------------------------

    private static long spin(long until) {
        long x = 1;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 1000; i++) {
                x = x * 31 + i;
            }
        }
        return x;
    }

    private static long alpha(long ns) {
        return spin(System.nanoTime() + ns);
    }

    private static long beta(long ns) {
        return spin(System.nanoTime() + ns);
    }

    private static Thread job(JavaSparkContext sc, String name, int seconds) {
        List<Integer> parts = new ArrayList<>(Collections.nCopies(20 * seconds, 1));
        return new Thread(() -> {
            sc.setLocalProperty("spark.scheduler.pool", name);
            sc.setJobGroup(name, "burns in " + name);
            sink += sc.parallelize(parts, parts.size())
                    .map(p -> name.equals("alpha") ? alpha(50_000_000L) : beta(50_000_000L)).reduce((a, b) -> a ^ b);
        }, name);
    }

    private static void stages(JavaSparkContext sc, int seconds) throws InterruptedException {
        Thread a = job(sc, "alpha", seconds);
        Thread b = job(sc, "beta", seconds);
        a.start();
        b.start();
        a.join();
        b.join();
    }

    // --- an executor that is killed ---------------------------------------------------------------------------------

    private static void kill(JavaSparkContext sc, int millis) throws Exception {
        String[] who = sc.parallelize(Collections.singletonList(1), 1)
                .map(x -> ManagementFactory.getRuntimeMXBean().getName().split("@")[0] + " "
                        + SparkEnv.get().executorId()).first().split(" ");
        Thread job = job(sc, "alpha", millis / 1000 + 5);
        job.start();
        Thread.sleep(millis);
        long now = System.currentTimeMillis();
        new ProcessBuilder("kill", "-9", who[0]).inheritIO().start().waitFor();
        say("killed", who[1], now);
        job.join();
    }

    // --- many distinct plans ---------------------------------------------------------------------------------------

    private static void plans(SparkSession spark, int n) {
        spark.range(0, 200_000, 1, 2).selectExpr("id", "id % 97 AS k", "sqrt(id) AS v", "cast(id AS string) AS s")
                .createOrReplaceTempView("lines");
        for (int i = 0; i < n; i++) {
            // Another expression makes another class.
            String sum = "sum(v * " + (i + 1) + " + pow(k, " + (1 + i % 5) + ") + length(concat(s, '" + i + "')))";
            String where = "id % " + (i + 2) + " < " + (1 + i / 2 + 1) + " AND hash(s, " + i + ") % 7 <> " + i % 7;
            sink += spark.sql("SELECT k, " + sum + " AS x, count(*) FROM lines WHERE " + where
                    + " GROUP BY k ORDER BY x DESC LIMIT 5").collectAsList().size();
        }
        say("plans", n);
    }

    // --- a fixed amount of work, recorded and not ------------------------------------------------------------------

    private static long once(SparkSession spark) {
        long begun = System.nanoTime();
        sink += spark.sql("SELECT id % 1000 AS k, sum(hash(id, id * 7)), max(sqrt(id)) FROM range(0, 12000000, 1, 8)"
                + " GROUP BY id % 1000").collectAsList().size();
        return System.nanoTime() - begun;
    }

    private static void work(SparkSession spark, JavaSparkContext sc, int rounds) {
        String[] states = {"off", "on", "off again"};
        for (int i = 0; i < 15; i++) {
            once(spark);
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < states.length; i++) {
                String state = states[(round + i) % states.length];
                if (state.equals("on")) {
                    Charcloth.start(sc.sc(), "");
                }
                say("took", state, once(spark));
                if (state.equals("on")) {
                    Charcloth.stop(sc.sc());
                }
            }
        }
    }

    // --- what a task costs ------------------------------------------------------------------------------------------

    /** In a task, so that Spark's context is the real one. */
    private static void tasks(JavaSparkContext sc, int n) {
        sc.setJobGroup("bench", "what the callbacks cost");
        List<Long> costs = sc.parallelize(Collections.singletonList(1), 1).map(x -> cost(n)).collect();
        say("task", costs.get(0));
    }

    /** Nanoseconds of one start and one end; the library is loaded and records. */
    private static long cost(int n) throws ReflectiveOperationException {
        Field here = ExecutorSide.class.getDeclaredField("here");
        here.setAccessible(true);
        ExecutorSide side = (ExecutorSide) here.get(null);
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long begun = System.nanoTime();
            for (int i = 0; i < n; i++) {
                side.onTaskStart();
                side.onTaskSucceeded();
            }
            best = Math.min(best, (System.nanoTime() - begun) / n);
        }
        return best;
    }
}
