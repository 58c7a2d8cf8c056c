package dev.charcloth.spark;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * CodeGuru's plugin: two variables, from the environment of the process, else from the configuration that sets them
 * for it. The driver, which chooses among the executors, also looks at what is set for these.
 */
final class CodeGuruRules implements Rules {
    static final String SWITCH = "ENABLE_AMAZON_PROFILER";
    static final String CONTEXT = "PROFILING_CONTEXT";

    private static final String FOR_DRIVER = "spark.yarn.appMasterEnv.";
    private static final String FOR_EXECUTORS = "spark.executorEnv.";
    private static final String EVENTS = "event=cpu,interval=10ms,wall";
    private static final Duration INTERVAL = Duration.ofMillis(10);
    private static final String EXAMPLE = "{\"profilingGroupName\":\"my-group\"}";
    private static final int MAX_QUOTING = 6;

    /** The table of the fields of PROFILING_CONTEXT; {@code docs/spark.md} is made from it. */
    enum Field {
        GROUP("profilingGroupName", null, "the label `group` and a folder below the output"),
        DRIVER("driverEnabled", "false", "the driver records"),
        EXECUTOR("executorEnabled", "true", "executors record"),
        HEAP("heapSummaryEnabled", "true", "also the objects in use, by type (`live`)"),
        PROBABILITY("probability", "1.0", "the share of executors, kept exactly");

        final String name;
        final String fallback;
        final String doc;

        Field(String name, String fallback, String doc) {
            this.name = name;
            this.fallback = fallback;
            this.doc = doc;
        }

        String key() {
            return CONTEXT + "." + name;
        }
    }

    /** PROFILING_CONTEXT, read. */
    private static final class Context {
        final String group;
        final boolean driver;
        final boolean executor;
        final boolean heap;
        final double probability;

        Context(String text, Consumer<String> warn) {
            Conf fields = fields(text, warn);
            this.group = fields.read(Field.GROUP.key(), Field.GROUP.fallback, CodeGuruRules::checkedGroup);
            this.driver = flag(fields, Field.DRIVER);
            this.executor = flag(fields, Field.EXECUTOR);
            this.heap = flag(fields, Field.HEAP);
            this.probability = fields.read(Field.PROBABILITY.key(), Field.PROBABILITY.fallback, Parse::fraction);
        }

        private static boolean flag(Conf fields, Field f) {
            return fields.read(f.key(), f.fallback, Parse::bool);
        }

        Share share() {
            return executor ? Share.fraction(probability) : Share.NONE;
        }
    }

    private final boolean on;
    private final boolean executorsKnowMore;
    private final Context context;
    private final Share executors;

    CodeGuruRules(Conf conf, Map<String, String> env, boolean isDriver, Consumer<String> warn) {
        Map<String, String> variable = new HashMap<>();
        variable.put(SWITCH, variable(SWITCH, conf, env, isDriver));
        this.on = Conf.plain(variable, warn).read(SWITCH, "false", CodeGuruRules::isOn);
        String text = on ? variable(CONTEXT, conf, env, isDriver) : "{}";
        this.context = new Context(text, warn);
        this.executorsKnowMore = !conf.has(FOR_EXECUTORS + SWITCH);
        this.executors = on ? executors(conf, text, isDriver) : Share.NONE;
    }

    /** What a variable is, or will be made, in this process; null if nobody sets it. */
    private static String variable(String name, Conf conf, Map<String, String> env, boolean isDriver) {
        String value = env.get(name);
        if (value == null && isDriver) {
            value = conf.get(FOR_DRIVER + name);
        }
        return value == null ? conf.get(FOR_EXECUTORS + name) : value;
    }

    /** The name of the switch if it is on in this process, else null. */
    static String present(Conf conf, Map<String, String> env, boolean isDriver) {
        return "true".equals(variable(SWITCH, conf, env, isDriver)) ? SWITCH : null;
    }

    private static boolean isOn(String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw new IllegalArgumentException("not exactly true; use true");
    }

    /** Driver and executors may have been given unlike contexts; that of the executors says which of them record. */
    private Share executors(Conf conf, String text, boolean isDriver) {
        String theirs = conf.get(FOR_EXECUTORS + CONTEXT);
        boolean unlike = isDriver && theirs != null && !theirs.equals(text);
        return unlike ? new Context(theirs, line -> { }).share() : context.share();
    }

    private static String checkedGroup(String name) {
        if (!name.matches("[\\w-]{1,255}")) {
            throw new IllegalArgumentException("not the name of a group; use letters, digits, - and _");
        }
        return name;
    }

    private static Conf fields(String text, Consumer<String> warn) {
        String given = text == null ? "" : text;
        try {
            Map<String, String> fields = new HashMap<>();
            context(given).forEach((name, value) -> fields.put(CONTEXT + "." + name, value));
            return Conf.plain(fields, warn);
        } catch (IllegalArgumentException e) {
            Conf none = Conf.plain(Collections.singletonMap(CONTEXT, given), warn);
            none.wrong(CONTEXT, "not a JSON object: " + e.getMessage() + "; use e.g. " + EXAMPLE, "its defaults");
            return none;
        }
    }

    /**
     * The fields of a context that came through some number of shells, consoles and configuration files: with quotes
     * around it, and with quotes, commas and backslashes escaped, once or more often.
     */
    static Map<String, String> context(String text) {
        Json.checkLength(text);
        String t = text.trim();
        IllegalArgumentException first = null;
        for (int i = 0; i < MAX_QUOTING; i++) {
            try {
                return Json.object(t);
            } catch (IllegalArgumentException e) {
                first = first == null ? e : first;
            }
            String inner = Conf.unquote(t).trim();
            t = inner.equals(t) ? t.replaceAll("\\\\([^\\w\\s])", "$1") : inner;
        }
        throw first;
    }

    @Override
    public Dialect dialect() {
        return Dialect.CODEGURU;
    }

    @Override
    public boolean driver() {
        return on && context.driver;
    }

    @Override
    public Share executors() {
        return executors;
    }

    /** On EMR the variables may be in the environment of YARN's containers, and nowhere else. */
    @Override
    public boolean executorsKnowMore() {
        return executorsKnowMore;
    }

    @Override
    public String agentOptions() {
        return context.heap ? EVENTS + ",live" : EVENTS;
    }

    @Override
    public String defaultOptions() {
        return EVENTS;
    }

    @Override
    public String optionsTold() {
        return Conf.told(Field.HEAP.key(), Boolean.toString(context.heap));
    }

    @Override
    public Layout layout() {
        return context.group == null ? Layout.own() : Layout.group(context.group);
    }

    @Override
    public Map<String, String> tags() {
        String group = context.group;
        return group == null ? Collections.emptyMap() : Collections.singletonMap("group", group);
    }

    @Override
    public List<String> greeting(long flushMillis) {
        return Arrays.asList("Profiling is enabled",
                "Profiling context: ProfilingContext(profilingGroupName=" + context.group
                        + ", driverEnabled=" + context.driver + ", executorEnabled=" + context.executor
                        + ", heapSummaryEnabled=" + context.heap + ")",
                "Profiling is being started", "Profiling scheduled, sampling rate is " + INTERVAL,
                "New agent configuration received : AgentConfiguration(shouldProfile=true, periodInSeconds="
                        + TimeUnit.MILLISECONDS.toSeconds(flushMillis) + ", agentParameters={"
                        + "SamplingIntervalInMilliseconds=" + INTERVAL.toMillis()
                        + ", ReportingIntervalInMilliseconds=" + flushMillis + "})");
    }

    @Override
    public Shipper.Listener listener(Supplier<AgentStatus> status, Consumer<String> log) {
        return new CodeGuruLog(status, log);
    }
}
