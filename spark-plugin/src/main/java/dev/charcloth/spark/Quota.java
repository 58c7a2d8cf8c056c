package dev.charcloth.spark;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Lives in the driver and says which executors record. An executor that asks again gets the answer it had. A fraction f
 * is kept exactly: of any first n ids, n·f are chosen, give or take one, whatever the order of asking. Thread-safe.
 */
final class Quota {
    /** Fractions are counted in parts of this, so that no rounding moves a choice. */
    private static final long WHOLE = 1_000_000_000L;

    private final Share share;
    private final long part;
    private final long offset;
    private final Map<String, Boolean> answers = new HashMap<>();
    private final Set<String> holders = new HashSet<>();
    private int named;

    /** Without a seed executor 1 is chosen by every fraction. */
    Quota(Share share, OptionalLong seed) {
        this.share = share;
        this.part = Math.max(1, Math.round(share.fraction * WHOLE));
        this.offset = seed.isPresent() ? Math.floorMod(mix(seed.getAsLong()), WHOLE) : WHOLE - part;
    }

    synchronized boolean admit(String executorId) {
        Boolean known = answers.get(executorId);
        if (known == null) {
            known = decide(executorId);
            answers.put(executorId, known);
        }
        return known;
    }

    /** An executor is gone; with a count the next new one takes its place. */
    synchronized void removed(String executorId) {
        holders.remove(executorId);
    }

    private boolean decide(String id) {
        switch (share.kind) {
            case ALL:
                return true;
            case NONE:
                return false;
            case IDS:
                return share.ids.contains(id);
            case COUNT:
                return holders.size() < share.count && holders.add(id);
            default:
                return chosen(number(id));
        }
    }

    /** The steps of k·f + offset fall on exactly the share f of all k. */
    private boolean chosen(long k) {
        return Math.floorDiv(k * part + offset, WHOLE) > Math.floorDiv((k - 1) * part + offset, WHOLE);
    }

    /** Cluster managers count from 0 or 1; what is no number has the number of its asking. */
    private long number(String id) {
        return id.matches("\\d{1,9}") ? Long.parseLong(id) : ++named;
    }

    /** Neighbouring seeds shall choose unlike executors. */
    private static long mix(long seed) {
        long z = (seed + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        return (z ^ (z >>> 29)) * 0x94D049BB133111EBL >>> 1;
    }
}
