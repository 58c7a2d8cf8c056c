package dev.charcloth.spark;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/** Which process of which application this is. Immutable. */
final class Who {
    static final String DRIVER = "driver";

    final String app;
    final String attempt;
    final boolean driver;
    final String executor;

    private Who(String app, String attempt, boolean driver, String executor) {
        this.app = app;
        this.attempt = attempt;
        this.driver = driver;
        this.executor = executor;
    }

    /** @param attempt of the application; empty where the cluster manager counts none */
    static Who driver(String app, String attempt) {
        return new Who(app, attempt, true, DRIVER);
    }

    /** Application and attempt are the driver's word: an executor's configuration may not have them, or not yet. */
    static Who executor(String app, String attempt, String id) {
        return new Who(app, attempt, false, id);
    }

    /** What every sample of this process is labelled with. */
    Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("app", app);
        labels.put("role", driver ? DRIVER : "executor");
        labels.put("executor", executor);
        if (!attempt.isEmpty()) {
            labels.put("app_attempt", attempt);
        }
        return labels;
    }

    static Map<String, String> map(SparkConf conf) {
        Map<String, String> map = new HashMap<>();
        for (Tuple2<String, String> pair : conf.getAll()) {
            map.put(pair._1(), pair._2());
        }
        return map;
    }
}
