package dev.charcloth.spark;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The value of {@code spark.charcloth.events}: what is recorded, and at which measure. Immutable. */
final class Events {
    private static final long CPU_MIN_NANOS = 10_000;
    private static final long WALL_MIN_NANOS = 100_000;
    private static final int PERF_MAX = 8;

    private final Set<String> words;

    private Events(Set<String> words) {
        this.words = words;
    }

    static Events parse(String text) {
        Set<String> words = new LinkedHashSet<>();
        int perf = 0;
        for (String item : text.split(",")) {
            String word = word(item.trim());
            perf += words.add(word) && AgentOptions.isPerf(word) ? 1 : 0;
        }
        if (perf > PERF_MAX) {
            throw new IllegalArgumentException("more than " + PERF_MAX + " perf events; use fewer");
        }
        return new Events(words);
    }

    private static String word(String item) {
        int eq = item.indexOf('=');
        String name = eq < 0 ? item : item.substring(0, eq).trim();
        if (!AgentOptions.isEvent(name)) {
            throw new IllegalArgumentException("there is no event '" + name + "'; use e.g. cpu,wall,alloc");
        }
        return eq < 0 ? name : name + "=" + measure(name, item.substring(eq + 1).trim());
    }

    private static String measure(String name, String value) {
        switch (name) {
            case "alloc":
                return Parse.agentSize(value);
            case "lock":
                return Parse.agentTime(Parse.time(value, "lock=1ms"));
            case "wall":
                return Parse.agentTime(atLeast(WALL_MIN_NANOS, Parse.time(value, "wall=20ms")));
            default:
                throw new IllegalArgumentException(name + " has no measure of its own; use " + Key.INTERVAL);
        }
    }

    private static long atLeast(long min, long nanos) {
        if (nanos < min) {
            throw new IllegalArgumentException("shorter than " + Parse.agentTime(min) + "; use e.g. 10ms");
        }
        return nanos;
    }

    private boolean byCpu() {
        return words.contains("cpu") || words.contains("ctimer") || words.contains("itimer");
    }

    /** Checks an interval against what these events can do. */
    String interval(String text) {
        boolean ofWall = words.contains("wall") && !words.contains("cpu");
        long min = ofWall ? WALL_MIN_NANOS : byCpu() ? CPU_MIN_NANOS : 1;
        return Parse.agentTime(atLeast(min, Parse.time(text, "10ms")));
    }

    /** In the agent's grammar: {@code event=cpu,interval=10ms,wall}. The default interval is one of CPU time. */
    String options(Conf conf) {
        List<String> options = new ArrayList<>();
        for (String word : words) {
            boolean plain = word.matches("(wall|alloc|live|lock)(=.*)?");
            options.add(plain ? word : "event=" + word);
        }
        if (byCpu() || conf.has(Key.INTERVAL.key)) {
            options.add(Math.min(1, options.size()), "interval=" + conf.read(Key.INTERVAL, this::interval));
        }
        return String.join(",", options);
    }
}
