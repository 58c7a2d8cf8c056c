package dev.charcloth.spark;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Values of the configuration from their text. What is wrong is an {@link IllegalArgumentException} whose message says
 * what the text is not and what to use instead.
 */
final class Parse {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)\\s*([a-z]*)");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})([kmg]?)b?");

    /** Units of time from large to small, Spark's and the agent's. */
    private enum Unit {
        D(86_400_000_000_000L), H(3_600_000_000_000L), MIN(60_000_000_000L), M(60_000_000_000L), S(1_000_000_000L),
        MS(1_000_000L), US(1_000L), NS(1L);

        final long nanos;

        Unit(long nanos) {
            this.nanos = nanos;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private Parse() {
    }

    static boolean bool(String text) {
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(text);
        }
        throw new IllegalArgumentException("neither true nor false; use one of them");
    }

    static long number(String text) {
        if (text.matches("-?\\d{1,18}")) {
            return Long.parseLong(text);
        }
        throw new IllegalArgumentException("not a whole number; use e.g. 42");
    }

    static double fraction(String text) {
        double f = text.matches("\\d{0,9}\\.?\\d{1,40}([eE][+-]?\\d{1,3})?") ? Double.parseDouble(text) : -1;
        if (f >= 0 && f <= 1) {
            return f;
        }
        throw new IllegalArgumentException("not between 0 and 1; use e.g. 0.25");
    }

    /** A percentage above 0, with or without its sign, as the agent takes it. */
    static String percent(String text) {
        String t = text.endsWith("%") ? text.substring(0, text.length() - 1).trim() : text;
        if (t.matches("\\d{1,3}(\\.\\d{1,9})?")) {
            BigDecimal p = new BigDecimal(t);
            if (p.signum() > 0 && p.compareTo(BigDecimal.valueOf(100)) <= 0) {
                return p.stripTrailingZeros().toPlainString();
            }
        }
        throw new IllegalArgumentException("not a percentage above 0; use e.g. 2");
    }

    /** Nanoseconds; only 0 needs no unit. */
    static long time(String text, String example) {
        return time(text, text.equals("0") ? "s" : "none", example);
    }

    /** Nanoseconds; a bare number is in seconds, as in Spark's own keys. */
    static long seconds(String text) {
        return time(text, "s", "30s");
    }

    private static long time(String text, String bareUnit, String example) {
        Matcher m = TIME.matcher(text.toLowerCase(Locale.ROOT));
        if (m.matches()) {
            String unit = m.group(2).isEmpty() ? bareUnit : m.group(2);
            for (Unit u : Unit.values()) {
                BigDecimal nanos = new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(u.nanos));
                if (u.word().equals(unit) && nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) < 0) {
                    return nanos.longValue();
                }
            }
        }
        throw new IllegalArgumentException("not a time; use e.g. " + example);
    }

    /** A time as the agent takes it, without loss: {@code 10ms}. */
    static String agentTime(long nanos) {
        for (Unit u : Unit.values()) {
            if (u != Unit.MIN && nanos % u.nanos == 0 && nanos >= u.nanos) {
                return nanos / u.nanos + u.word();
            }
        }
        return "0ns";
    }

    /** A size as the agent takes it: {@code 2m}. */
    static String agentSize(String text) {
        Matcher m = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (m.matches() && Long.parseLong(m.group(1)) > 0) {
            return m.group(1) + m.group(2);
        }
        throw new IllegalArgumentException("not a size; use e.g. alloc=2m");
    }

    /** {@code a=b,c=d}. */
    static Map<String, String> pairs(String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : text.split(",")) {
            int eq = pair.indexOf('=');
            if (eq < 1 || !pair.substring(0, eq).trim().matches("[\\w.-]{1,64}")) {
                throw new IllegalArgumentException("not a list of pairs; use e.g. team=search,env=prod");
            }
            pairs.put(pair.substring(0, eq).trim(), pair.substring(eq + 1).trim());
        }
        return Collections.unmodifiableMap(pairs);
    }

    /** A local path; the agent's options end at a comma. */
    static String localPath(String text) {
        if (text.indexOf(',') >= 0) {
            throw new IllegalArgumentException("has a comma; use a folder without one");
        }
        return text;
    }
}
