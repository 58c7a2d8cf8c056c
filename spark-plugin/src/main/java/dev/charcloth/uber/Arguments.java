package dev.charcloth.uber;

import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The text behind {@code -javaagent:jar=}, with the names, defaults and limits of Uber's JVM profiler. Whatever is
 * wrong in it costs one warning, and the default holds.
 */
final class Arguments {
    static final long MIN_INTERVAL_MS = 50;
    static final String CONSOLE = "ConsoleOutputReporter";
    static final String FILE = "FileOutputReporter";
    private static final String YAML = "YamlConfigProvider";
    private static final String CONFIG_FILE = "configFile";
    private static final String CONFIG_PROVIDER = "configProvider";

    /** Every argument there is, and what it does. */
    private static final Map<String, BiConsumer<Reading, String>> KNOWN = new LinkedHashMap<>();

    static {
        KNOWN.put("noop", (r, value) -> r.to.noop = r.flag(value));
        KNOWN.put("reporter", Reading::reporter);
        KNOWN.put("outputDir", (r, value) -> r.to.outputDir = r.path(value));
        KNOWN.put("metricInterval", (r, value) -> r.to.metricIntervalMs = r.interval(value, r.to.metricIntervalMs));
        KNOWN.put("sampleInterval",
                (r, value) -> r.to.sampleIntervalMs = value.equals("0") ? 0 : r.interval(value, r.to.sampleIntervalMs));
        KNOWN.put("tag", (r, value) -> r.to.tag = value);
        KNOWN.put("cluster", (r, value) -> r.to.cluster = value);
        KNOWN.put("appIdVariable", (r, value) -> r.to.appIdVariable = value);
        KNOWN.put("appIdRegex", Reading::regex);
        KNOWN.put("ioProfiling", (r, value) -> r.to.ioProfiling = r.flag(value));
        KNOWN.put("threadProfiling", (r, value) -> r.to.threadProfiling = r.flag(value));
        KNOWN.put("jfr", (r, value) -> r.to.jfr = value.equals("off") ? value : r.path(value));
        KNOWN.put("durationProfiling", Reading::rewriting);
        KNOWN.put("argumentProfiling", Reading::rewriting);
        KNOWN.put(CONFIG_PROVIDER, (r, value) -> { });
        KNOWN.put(CONFIG_FILE, (r, value) -> { });
    }

    private boolean noop;
    private boolean toFiles;
    private String outputDir;
    private long metricIntervalMs = 60_000;
    private long sampleIntervalMs;
    private String tag;
    private String cluster;
    private String appIdVariable;
    private Pattern appIdRegex = Pattern.compile("application_[\\w_]+");
    private boolean ioProfiling;
    private boolean threadProfiling;
    private String jfr;

    private Arguments() {
    }

    static Arguments parse(String text, Consumer<String> warn) {
        Map<String, String> pairs = pairs(text == null ? "" : text, warn);
        pairs.putAll(fromFile(pairs.get(CONFIG_PROVIDER), pairs.get(CONFIG_FILE), warn));
        Arguments result = new Arguments();
        pairs.forEach((key, value) -> new Reading(result, key, warn).accept(value));
        return result;
    }

    boolean isNoop() {
        return noop;
    }

    /** Whether records go to files of {@link #outputDir}, else to the console. */
    boolean toFiles() {
        return toFiles;
    }

    /** Null when not given. */
    String outputDir() {
        return outputDir;
    }

    long metricIntervalMs() {
        return metricIntervalMs;
    }

    /** 0 when no stacks are wanted. */
    long sampleIntervalMs() {
        return sampleIntervalMs;
    }

    /** Null when not given. */
    String tag() {
        return tag;
    }

    /** Null when not given. */
    String cluster() {
        return cluster;
    }

    /** Null when not given. */
    String appIdVariable() {
        return appIdVariable;
    }

    Pattern appIdRegex() {
        return appIdRegex;
    }

    boolean ioProfiling() {
        return ioProfiling;
    }

    boolean threadProfiling() {
        return threadProfiling;
    }

    /** A path, {@code off}, or null when not given. */
    String jfr() {
        return jfr;
    }

    private static Map<String, String> pairs(String text, Consumer<String> warn) {
        Map<String, String> pairs = new LinkedHashMap<>();
        Arrays.stream(text.split(",")).map(String::trim).filter(word -> !word.isEmpty()).forEach(word -> {
            int at = word.indexOf('=');
            if (at <= 0 || at == word.length() - 1) {
                warn.accept("argument '" + word + "' is not key=value: ignored");
            } else {
                pairs.put(word.substring(0, at).trim(), word.substring(at + 1).trim());
            }
        });
        return pairs;
    }

    private static Map<String, String> fromFile(String provider, String file, Consumer<String> warn) {
        if (provider != null && !simpleName(provider).equals(YAML)) {
            warn.accept("configProvider=" + provider + " is not available: ignored; use " + YAML + " with configFile");
        } else if (file != null) {
            return ConfigFile.read(file, warn);
        } else if (provider != null) {
            warn.accept("configProvider=" + provider + " reads no file: give configFile=FILE too");
        }
        return new LinkedHashMap<>();
    }

    private static String simpleName(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** One argument on its way into the result. */
    private static final class Reading {
        private final Arguments to;
        private final String key;
        private final Consumer<String> warn;

        Reading(Arguments to, String key, Consumer<String> warn) {
            this.to = to;
            this.key = key;
            this.warn = warn;
        }

        void accept(String value) {
            BiConsumer<Reading, String> known = KNOWN.get(key);
            if (known == null) {
                warn.accept("unknown argument '" + key + "=" + value + "': ignored; there are "
                        + String.join(", ", KNOWN.keySet()));
            } else {
                known.accept(this, value);
            }
        }

        private void refuse(String value, String why) {
            warn.accept(key + "=" + value + ": " + why);
        }

        private boolean flag(String value) {
            String word = value.toLowerCase(Locale.ROOT);
            if (!word.equals("true") && !word.equals("false")) {
                refuse(value, "neither true nor false: false is taken");
            }
            return word.equals("true");
        }

        private long interval(String value, long otherwise) {
            String rest = (otherwise == 0 ? "stacks are not sampled" : otherwise + " ms are taken");
            try {
                long ms = Long.parseLong(value);
                if (ms >= MIN_INTERVAL_MS) {
                    return ms;
                }
                refuse(value, "less than " + MIN_INTERVAL_MS + " ms: " + rest);
            } catch (NumberFormatException e) {
                refuse(value, "not a number of milliseconds: " + rest);
            }
            return otherwise;
        }

        private String path(String value) {
            try {
                return Paths.get(value).toString();
            } catch (IllegalArgumentException e) {
                refuse(value, "not a path: ignored");
                return null;
            }
        }

        private void regex(String value) {
            try {
                to.appIdRegex = Pattern.compile(value);
            } catch (PatternSyntaxException e) {
                refuse(value, "not a regular expression: " + to.appIdRegex + " is taken");
            }
        }

        private void reporter(String value) {
            to.toFiles = simpleName(value).equals(FILE);
            if (!to.toFiles && !simpleName(value).equals(CONSOLE)) {
                refuse(value, "not available, " + CONSOLE + " is taken; there is also " + FILE);
            }
        }

        private void rewriting(String value) {
            refuse(value, "not supported, it would rewrite byte code; the recording has the method's time: "
                    + "charcloth top FILE.jfr --include METHOD");
        }
    }
}
