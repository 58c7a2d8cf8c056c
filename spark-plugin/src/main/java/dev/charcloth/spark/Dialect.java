package dev.charcloth.spark;

import java.util.Arrays;
import java.util.List;

/** Whose configuration a job speaks, told by the plugin class that it names. */
enum Dialect {
    CHARCLOTH(),
    SPARK_PROFILER("org.apache.spark.executor.ExecutorProfilerPlugin",
            "org.apache.spark.executor.profiler.ExecutorProfilerPlugin", "org.apache.spark.profiler.ProfilerPlugin"),
    CODEGURU("software.amazon.profiler.AmazonProfilerPlugin");

    private final List<String> classes;

    Dialect(String... classes) {
        this.classes = Arrays.asList(classes);
    }

    /** The dialect of a plugin class; ours for a class that is in nobody's list. */
    static Dialect of(Class<?> plugin) {
        for (Dialect d : values()) {
            if (d.classes.contains(plugin.getName())) {
                return d;
            }
        }
        return CHARCLOTH;
    }
}
