package dev.charcloth.spark;

import java.util.concurrent.TimeUnit;

/**
 * The keys of Spark's own profiler, of the previews of 4.0 or of the releases. Where both are set those of the releases
 * are taken, as a release does.
 */
final class SparkProfilerRules implements Rules {
    /** The table of its keys; {@code docs/spark.md} is made from it. */
    enum Foreign {
        DRIVER("spark.profiler.driver.enabled", null, "false", "the driver records"),
        EXECUTOR("spark.profiler.executor.enabled", "spark.executor.profiling.enabled", "false", "executors record"),
        FRACTION("spark.profiler.executor.fraction", "spark.executor.profiling.fraction", "0.10",
                "the share of executors, kept exactly"),
        DFS_DIR("spark.profiler.dfsDir", "spark.executor.profiling.dfsDir", null, "the output; it must exist"),
        OUTPUT_DIR(null, "spark.executor.profiling.outputDir", null, "the same"),
        LOCAL_DIR("spark.profiler.localDir", "spark.executor.profiling.localDir", ".", "where recordings grow"),
        ARGS("spark.profiler.asyncProfiler.args", "spark.executor.profiling.options",
                "event=wall,interval=10ms,alloc=2m,lock=10ms,chunktime=300s",
                "options of the agent; those that it has not are left out"),
        WRITE_INTERVAL("spark.profiler.dfsWriteInterval", "spark.executor.profiling.writeInterval", "30",
                "how often what is new is sent; `0`: only at the end");

        final String release;
        final String preview;
        final String fallback;
        final String doc;

        Foreign(String release, String preview, String fallback, String doc) {
            this.release = release;
            this.preview = preview;
            this.fallback = fallback;
            this.doc = doc;
        }
    }

    private final Conf conf;
    private final boolean preview;

    SparkProfilerRules(Conf conf) {
        this.conf = conf;
        String old = anyOf(conf, true);
        String current = anyOf(conf, false);
        this.preview = old != null && current == null;
        if (old != null && current != null) {
            conf.warn(current + " and " + old + " are both set: keys of Spark's releases are taken; remove the others");
        }
    }

    private static String anyOf(Conf conf, boolean preview) {
        for (Foreign f : Foreign.values()) {
            String key = preview ? f.preview : f.release;
            if (key != null && conf.has(key)) {
                return key;
            }
        }
        return null;
    }

    /** A key that says whether it records; null if none is set. */
    static String present(Conf conf) {
        for (Foreign f : new Foreign[] { Foreign.DRIVER, Foreign.EXECUTOR }) {
            for (String key : new String[] { f.release, f.preview }) {
                if (key != null && conf.has(key)) {
                    return key;
                }
            }
        }
        return null;
    }

    private String key(Foreign f) {
        return preview ? f.preview : f.release;
    }

    @Override
    public Dialect dialect() {
        return Dialect.SPARK_PROFILER;
    }

    @Override
    public boolean driver() {
        return !preview && conf.read(key(Foreign.DRIVER), Foreign.DRIVER.fallback, Parse::bool);
    }

    @Override
    public Share executors() {
        if (!conf.read(key(Foreign.EXECUTOR), Foreign.EXECUTOR.fallback, Parse::bool)) {
            return Share.NONE;
        }
        return Share.fraction(conf.read(key(Foreign.FRACTION), Foreign.FRACTION.fallback, Parse::fraction));
    }

    @Override
    public String agentOptions() {
        return AgentOptions.read(conf, key(Foreign.ARGS), Foreign.ARGS.fallback);
    }

    @Override
    public String defaultOptions() {
        return Foreign.ARGS.fallback;
    }

    @Override
    public String optionsTold() {
        return conf.has(key(Foreign.ARGS)) ? conf.told(key(Foreign.ARGS)) : "";
    }

    @Override
    public Layout layout() {
        String name = conf.get("spark.app.name");
        return preview ? Layout.preview(name == null ? "app" : name) : Layout.spark();
    }

    @Override
    public String outputKey() {
        boolean old = preview && !conf.has(Foreign.DFS_DIR.preview);
        return old ? Foreign.OUTPUT_DIR.preview : key(Foreign.DFS_DIR);
    }

    @Override
    public String localDirKey() {
        return key(Foreign.LOCAL_DIR);
    }

    @Override
    public String localDir() {
        return conf.read(localDirKey(), Foreign.LOCAL_DIR.fallback, Parse::localPath);
    }

    @Override
    public Long flushMillis() {
        return TimeUnit.NANOSECONDS.toMillis(
                conf.read(key(Foreign.WRITE_INTERVAL), Foreign.WRITE_INTERVAL.fallback, Parse::seconds));
    }
}
