package dev.charcloth.spark;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Which executors shall record: all, none, a fraction of them, a count, or some by their ids. {@link #toString} gives
 * what {@link #parse} takes. {@link Quota} says what it means for one executor.
 */
final class Share {
    enum Kind { ALL, NONE, FRACTION, COUNT, IDS }

    static final Share ALL = new Share(Kind.ALL, 1, 0, Collections.emptySet());
    static final Share NONE = new Share(Kind.NONE, 0, 0, Collections.emptySet());

    private static final String IDS = "ids:";
    private static final String EXAMPLES = "use all, 25%, 0.25, 3 or ids:1,5";

    final Kind kind;
    final double fraction;
    final int count;
    final Set<String> ids;

    private Share(Kind kind, double fraction, int count, Set<String> ids) {
        this.kind = kind;
        this.fraction = fraction;
        this.count = count;
        this.ids = ids;
    }

    /** A fraction of 0 is none, of 1 all. */
    static Share fraction(double f) {
        if (!(f >= 0 && f <= 1)) {
            throw new IllegalArgumentException("not between 0 and 1");
        }
        return f == 0 ? NONE : f == 1 ? ALL : new Share(Kind.FRACTION, f, 0, Collections.emptySet());
    }

    /**
     * {@code 1} is one executor, {@code 1.0} and {@code 100%} are all of them.
     *
     * @throws IllegalArgumentException says what is wrong and what to use
     */
    static Share parse(String text) {
        String t = text.trim();
        if (t.equalsIgnoreCase("all")) {
            return ALL;
        }
        if (t.equalsIgnoreCase("none")) {
            return NONE;
        }
        if (t.startsWith(IDS)) {
            return ids(t.substring(IDS.length()));
        }
        if (t.matches("\\d{1,9}")) {
            int n = Integer.parseInt(t);
            return n == 0 ? NONE : new Share(Kind.COUNT, 0, n, Collections.emptySet());
        }
        if (t.matches("\\d{1,3}(\\.\\d{1,40})?%")) {
            return checked(new BigDecimal(t.substring(0, t.length() - 1)).movePointLeft(2).doubleValue());
        }
        if (t.matches("\\d{0,3}\\.\\d{1,40}")) {
            return checked(Double.parseDouble(t));
        }
        throw new IllegalArgumentException("not a share of executors; " + EXAMPLES);
    }

    private static Share checked(double f) {
        if (f > 1) {
            throw new IllegalArgumentException("more than all executors; " + EXAMPLES);
        }
        return fraction(f);
    }

    private static Share ids(String list) {
        Set<String> ids = new LinkedHashSet<>(Arrays.asList(list.trim().split("\\s*,\\s*", -1)));
        if (ids.contains("")) {
            throw new IllegalArgumentException("an id is empty; " + EXAMPLES);
        }
        return new Share(Kind.IDS, 0, 0, Collections.unmodifiableSet(ids));
    }

    @Override
    public String toString() {
        switch (kind) {
            case ALL:
                return "all";
            case NONE:
                return "none";
            case COUNT:
                return Integer.toString(count);
            case IDS:
                return IDS + String.join(",", ids);
            default:
                return BigDecimal.valueOf(fraction).toPlainString();
        }
    }
}
