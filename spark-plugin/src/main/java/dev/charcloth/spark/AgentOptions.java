package dev.charcloth.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the agent understands: its events and its options. A word that it would refuse would cost the whole recording,
 * so such words are found here. A test compares both tables with the agent's own.
 */
final class AgentOptions {
    /** Events of the agent itself. */
    static final List<String> EVENTS = list("cpu", "ctimer", "itimer", "wall", "alloc", "live", "lock");

    /** Events that the kernel counts, by their names and other names. */
    static final Set<String> PERF = set("cpu-clock", "page-faults", "faults", "context-switches", "cs", "cycles",
            "cpu-cycles", "instructions", "cache-references", "cache-misses", "branch-instructions", "branches",
            "branch-misses", "bus-cycles", "L1-dcache-load-misses", "LLC-load-misses", "dTLB-load-misses");

    static final Set<String> OPTIONS = set("event", "interval", "cpu", "wall", "alloc", "live", "lock", "file", "labels",
            "owner", "log", "chunksize", "chunktime", "timeout", "duration", "loop", "memlimit", "jstackdepth", "maxoverhead", "filter",
            "kernel", "alluser", "cstack", "jfr", "threads", "quiet");

    /** Where the recording goes is not for options to say. */
    private static final Set<String> OURS = set("file", "labels", "owner", "log", "loop");
    private static final int MAX_LENGTH = 2000;

    /** Options that the agent takes, and those that were left out of what was asked for. */
    static final class Filtered {
        final String options;
        final List<String> dropped;

        private Filtered(List<String> options, List<String> dropped) {
            this.options = String.join(",", options);
            this.dropped = Collections.unmodifiableList(dropped);
        }
    }

    private AgentOptions() {
    }

    /** Whether the agent knows an event: a name, {@code rNNN}, {@code mem:…} or a tracepoint. */
    static boolean isEvent(String name) {
        return EVENTS.contains(name) || isPerf(name);
    }

    static boolean isPerf(String name) {
        return PERF.contains(name) || name.matches("r[0-9a-fA-F]{1,16}") || name.matches("\\w+:[^,\\s=]+");
    }

    /** Parts options, async-profiler's or our own, into those that the agent takes and those that it would refuse. */
    static Filtered filter(String options) {
        if (options.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("longer than " + MAX_LENGTH + " characters; use fewer options");
        }
        if (options.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("has a line break or the like; use commas only");
        }
        List<String> taken = new ArrayList<>();
        List<String> dropped = new ArrayList<>();
        for (String word : options.split(",")) {
            String w = word.trim();
            if (!w.isEmpty()) {
                (accepted(w) ? taken : dropped).add(w);
            }
        }
        return new Filtered(taken, dropped);
    }

    private static boolean accepted(String word) {
        int eq = word.indexOf('=');
        String name = eq < 0 ? word : word.substring(0, eq);
        return OPTIONS.contains(name) && !OURS.contains(name)
                && (!name.equals("event") || isEvent(word.substring(eq + 1)));
    }

    /** Reads options of a key; what is left out costs one warning. */
    static String read(Conf conf, String key, String fallback) {
        Filtered f = conf.read(key, fallback, AgentOptions::filter);
        if (f == null) {
            return "";
        }
        if (!f.dropped.isEmpty()) {
            conf.wrong(key, fault(f.dropped), f.options.isEmpty() ? "none" : f.options);
        }
        return f.options;
    }

    private static String fault(List<String> dropped) {
        String all = String.join(",", dropped);
        return all.startsWith("event=") ? "there is no " + all.replace('=', ' ') + "; use e.g. event=cpu"
                : "not for the agent here: " + all + "; leave it out";
    }

    private static List<String> list(String... words) {
        return Collections.unmodifiableList(Arrays.asList(words));
    }

    private static Set<String> set(String... words) {
        return Collections.unmodifiableSet(new HashSet<>(Arrays.asList(words)));
    }
}
