package dev.charcloth.spark;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The configuration as it is for one process, whoever's keys it was written in. Never throws: what is wrong costs one
 * warning each, and the default is taken. Immutable.
 */
final class Settings {
    private static final long FLUSH_MIN_NANOS = 100_000_000;
    private static final long FLUSH_MAX_NANOS = TimeUnit.DAYS.toNanos(1);
    private static final String TMPDIR = "java.io.tmpdir";

    /** Nobody in this application records, whatever an executor's environment says. */
    final boolean off;
    /** This process may record, if it is no executor that the driver's {@link Quota} refuses. */
    final boolean enabled;
    /** This process is the driver, or its part of one that is both (local mode). */
    final boolean driver;
    /** The driver records, whether or not this is its process. */
    final boolean driverRecords;
    /** Whose keys rule. */
    final Dialect dialect;
    /** The executors that record; none if they are switched off. */
    final Share executors;
    /** Record from the start on; else when it is said so. */
    final boolean autoStart;
    final OptionalLong seed;
    /** What stands between {@code start,} and {@code ,file=…}. */
    final String agentOptions;
    /** For an agent that refuses those. */
    final String defaultOptions;
    /** A folder of a Hadoop file system; null: recordings stay in {@link #localDir}. */
    final String output;
    /** The folder must be there already: it is not made, but complained about. */
    final boolean outputMustExist;
    final String localDir;
    /** Where these come from, {@code key='value'}, for what turns out to be wrong with them later. */
    final String optionsTold;
    final String outputTold;
    final String localDirTold;
    final boolean keepLocal;
    /** 0: only at the end. */
    final long flushMillis;
    final Map<String, String> tags;
    final Layout layout;

    private final Rules rules;

    private Settings(Conf conf, Rules rules, boolean driver) {
        boolean on = conf.read(Key.ENABLED, Parse::bool);
        this.driver = driver;
        this.dialect = rules.dialect();
        this.driverRecords = rules.driver() && on;
        this.executors = on ? rules.executors() : Share.NONE;
        this.off = !on || !driverRecords && executors == Share.NONE && !rules.executorsKnowMore();
        this.enabled = driver ? driverRecords : executors != Share.NONE;
        this.autoStart = conf.read(Key.AUTO_START, Parse::bool);
        Long seed = conf.read(Key.SEED, Parse::number);
        this.seed = seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
        String limit = "maxoverhead=" + conf.read(Key.MAX_OVERHEAD, Parse::percent);
        String options = rules.agentOptions();
        boolean limited = ("," + options).contains(",maxoverhead=") && !conf.has(Key.MAX_OVERHEAD.key);
        this.agentOptions = limited ? options : join(options, limit);
        this.defaultOptions = join(rules.defaultOptions(), limit);
        this.optionsTold = rules.optionsTold();
        String own = conf.read(Key.OUTPUT, Settings::hadoopPath);
        this.outputMustExist = own == null && rules.outputKey() != null && conf.has(rules.outputKey());
        this.output = outputMustExist ? conf.read(rules.outputKey(), null, Settings::hadoopPath) : own;
        this.outputTold = conf.told(outputMustExist ? rules.outputKey() : Key.OUTPUT.key);
        String ownDir = conf.read(Key.LOCAL_DIR, Parse::localPath);
        String theirDir = ownDir == null ? rules.localDir() : null;
        String dirKey = ownDir != null ? Key.LOCAL_DIR.key : theirDir != null ? rules.localDirKey() : TMPDIR;
        this.localDir = ownDir != null ? ownDir : theirDir != null ? theirDir : System.getProperty(TMPDIR);
        this.localDirTold = Conf.told(dirKey, localDir);
        this.keepLocal = conf.read(Key.KEEP_LOCAL, Parse::bool);
        Long flush = conf.has(Key.FLUSH_INTERVAL.key) ? null : rules.flushMillis();
        this.flushMillis = flush == null ? conf.read(Key.FLUSH_INTERVAL, Settings::flush) : flush;
        this.tags = tags(conf, rules);
        this.layout = rules.layout();
        this.rules = rules;
    }

    /**
     * @param conf    all of the SparkConf
     * @param env     the environment of the process
     * @param driver  whether this is the driver
     * @param dialect that of the plugin class which the job names
     * @param warn    takes the warnings, each one line
     */
    static Settings of(Map<String, String> conf, Map<String, String> env, boolean driver, Dialect dialect,
            Consumer<String> warn) {
        Conf read = Conf.spark(conf, warn);
        read.warnUnknown();
        Settings settings = new Settings(read, rules(read, env, driver, dialect, warn), driver);
        settings.warnIfNobody(read, dialect);
        settings.warnIfScattered(read);
        if (read.read(Key.PYTHON, Parse::bool)) {
            read.wrong(Key.PYTHON.key, "has no effect yet; leave it out", Key.PYTHON.fallback);
        }
        return settings;
    }

    /** See {@link Rules#greeting}. */
    List<String> greeting() {
        return rules.greeting(flushMillis);
    }

    /** See {@link Rules#listener}. */
    Shipper.Listener listener(Supplier<AgentStatus> status, Consumer<String> log) {
        return rules.listener(status, log);
    }

    /** Our own keys rule where one of them says who or what is recorded, else the foreign ones that are there. */
    private static Rules rules(Conf conf, Map<String, String> env, boolean driver, Dialect named,
            Consumer<String> warn) {
        Map<Dialect, String> present = new EnumMap<>(Dialect.class);
        present.put(Dialect.CHARCLOTH, OwnRules.present(conf));
        if (named != Dialect.CODEGURU) {
            present.put(Dialect.SPARK_PROFILER, SparkProfilerRules.present(conf));
        }
        if (named != Dialect.SPARK_PROFILER) {
            present.put(Dialect.CODEGURU, CodeGuruRules.present(conf, env, driver));
        }
        present.values().removeIf(Objects::isNull);
        if (present.size() > 1) {
            warn.accept(String.join(" and ", present.values())
                    + " are set: they belong to several profilers, the first is taken; remove the others");
        }
        switch (present.isEmpty() ? named : present.keySet().iterator().next()) {
            case SPARK_PROFILER:
                return new SparkProfilerRules(conf);
            case CODEGURU:
                return new CodeGuruRules(conf, env, driver, warn);
            default:
                return new OwnRules(conf);
        }
    }

    /** Who names our plugin wants to record: that a key left over from another one forbids it must be said. */
    private void warnIfNobody(Conf conf, Dialect named) {
        if (driver && named == Dialect.CHARCLOTH && dialect == Dialect.SPARK_PROFILER && !driverRecords
                && executors == Share.NONE) {
            String key = SparkProfilerRules.present(conf);
            conf.wrong(key, "nobody records; remove it", conf.get(key));
        }
    }

    /** Another profiler has a service, or a folder that one sets without fail; on a cluster ours needs one, too. */
    private void warnIfScattered(Conf conf) {
        String master = conf.get("spark.master");
        boolean cluster = master != null && !master.startsWith("local");
        boolean recorded = driverRecords || executors != Share.NONE;
        if (driver && cluster && recorded && dialect != Dialect.CHARCLOTH && output == null) {
            conf.warn((rules.outputKey() == null ? Key.OUTPUT.key : rules.outputKey()) + " is not set: each recording"
                    + " stays on the machine of its process and goes with its container; use e.g. hdfs:///profiles");
        }
    }

    private static String join(String options, String more) {
        return options.isEmpty() ? more : options + "," + more;
    }

    private static String hadoopPath(String text) {
        if (text.matches("(?i)https?:.*")) {
            throw new IllegalArgumentException("sending over HTTP comes later; use e.g. hdfs:///profiles");
        }
        return text;
    }

    private static Long flush(String text) {
        long nanos = Parse.time(text, "10s");
        if (nanos != 0 && nanos < FLUSH_MIN_NANOS) {
            throw new IllegalArgumentException("shorter than 100ms; use e.g. 10s");
        }
        if (nanos > FLUSH_MAX_NANOS) {
            throw new IllegalArgumentException("longer than 1d; use e.g. 10s");
        }
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static Map<String, String> tags(Conf conf, Rules rules) {
        Map<String, String> tags = new LinkedHashMap<>(rules.tags());
        Map<String, String> own = conf.read(Key.TAGS, Parse::pairs);
        tags.putAll(own == null ? Collections.emptyMap() : own);
        return Collections.unmodifiableMap(tags);
    }
}
