package dev.charcloth.spark;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Configured texts by key, read so that a wrong one costs one warning and its default is taken. Blank is unset. Keys
 * that hide in the value of another one (Glue chains {@code --conf} in a single value) are found.
 */
final class Conf {
    private static final Pattern CHAIN = Pattern.compile("\\s+--conf(?:\\s+|=)");
    private static final String[] LOOKED_AT = { Key.PREFIX, "spark.profiler.", "spark.executor.profiling.",
        "spark.executorEnv.", "spark.yarn.appMasterEnv." };
    private static final int SHOWN = 80;

    /** Where nothing is set. */
    static final Conf NONE = plain(Collections.emptyMap(), line -> { });

    private final Map<String, String> values;
    private final Consumer<String> warn;

    private Conf(Map<String, String> values, Consumer<String> warn) {
        this.values = values;
        this.warn = warn;
    }

    /** A configuration of Spark. */
    static Conf spark(Map<String, String> values, Consumer<String> warn) {
        Map<String, String> found = new TreeMap<>();
        values.forEach((key, value) -> unchain(key, value, values, found));
        return new Conf(found, warn);
    }

    /** Values as they are. */
    static Conf plain(Map<String, String> values, Consumer<String> warn) {
        return new Conf(values, warn);
    }

    /** Keys that stand for themselves win over those in a chain. */
    private static void unchain(String key, String value, Map<String, String> given, Map<String, String> found) {
        String[] links = CHAIN.split(value, -1);
        found.put(key, links[0]);
        for (int i = 1; i < links.length; i++) {
            String link = unquote(links[i].trim());
            int eq = link.indexOf('=');
            if (eq > 0 && lookedAt(link) && !given.containsKey(link.substring(0, eq))) {
                found.put(link.substring(0, eq), link.substring(eq + 1));
            }
        }
    }

    private static boolean lookedAt(String key) {
        for (String prefix : LOOKED_AT) {
            if (key.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** Without the quotes around it, if it has a pair. */
    static String unquote(String text) {
        int last = text.length() - 1;
        boolean quoted = last > 0 && text.charAt(0) == text.charAt(last) && "'\"".indexOf(text.charAt(0)) >= 0;
        return quoted ? text.substring(1, last) : text;
    }

    /** The text of a key without blanks around it; null if there is none. */
    String get(String key) {
        String value = values.get(key);
        return value == null || value.trim().isEmpty() ? null : value.trim();
    }

    boolean has(String key) {
        return get(key) != null;
    }

    /** The value of one of our keys, parsed; null if it is unset and has no default. */
    <T> T read(Key key, Function<String, T> parse) {
        return read(key.key, key.fallback, parse);
    }

    /** The parsed value of a key, else of its default (null: null). */
    <T> T read(String key, String fallback, Function<String, T> parse) {
        if (has(key)) {
            try {
                return parse.apply(get(key));
            } catch (IllegalArgumentException e) {
                wrong(key, e.getMessage(), fallback == null ? "none" : fallback);
            }
        }
        return fallback == null ? null : parse.apply(fallback);
    }

    /** The one warning about a value: what is wrong and what to use, and what is taken instead. */
    void wrong(String key, String problem, String taken) {
        warn(told(key) + ": " + problem + " (taken: " + taken + ")");
    }

    /** A key and its value as warnings name them. */
    String told(String key) {
        return told(key, get(key));
    }

    static String told(String key, String value) {
        return key + "='" + shown(value) + "'";
    }

    void warn(String line) {
        warn.accept(line);
    }

    /** Names keys of ours that do not exist. */
    void warnUnknown() {
        for (String key : values.keySet()) {
            if (key.startsWith(Key.PREFIX) && !isOurs(key)) {
                warn(told(key, values.get(key)) + ": no such key; use " + Key.nearest(key) + " (ignored)");
            }
        }
    }

    private static boolean isOurs(String key) {
        for (Key k : Key.values()) {
            if (k.key.equals(key)) {
                return true;
            }
        }
        return false;
    }

    private static String shown(String value) {
        String line = value == null ? "" : value.replaceAll("\\p{Cntrl}", " ");
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "…";
    }
}
