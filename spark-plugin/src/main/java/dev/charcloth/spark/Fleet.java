package dev.charcloth.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The driver's view of its executors: who records, how it goes, and what they are to do. Executors tell and ask every
 * so often ({@link #receive}), since Spark's plugins have no way to call them. Messages are maps of strings: classes of
 * ours could not be read by an RPC that does not know our jar. Thread-safe.
 */
final class Fleet {
    /** Words of an executor, and of the answer. */
    static final String ID = "id";
    static final String HOST = "host";
    static final String SHARE = "share";
    static final String ON = "on";
    static final String SAMPLES = "samples";
    static final String DROPPED = "dropped";
    static final String OVERHEAD = "overhead";
    static final String BYTES = "bytes";
    static final String TROUBLE = "trouble";
    /** The executor's last word: its recording has ended, and all of it that can be is at the output. */
    static final String DONE = "done";
    /** The application's id and attempt. */
    static final String APP = "app";
    static final String ATTEMPT = "attempt";
    /** Counts the commands; an answer without it only says when to ask again. */
    static final String TURN = "turn";
    static final String OPTIONS = "options";
    static final String WAIT = "wait";

    private static final long WAIT_UNNAMED_MILLIS = 100;
    private static final long WAIT_MILLIS = 500;
    private static final long WAIT_MAX_MILLIS = 10_000;
    private static final long WAIT_UNCHOSEN_MILLIS = 5_000;
    private static final long SILENT_MILLIS = 6 * WAIT_MAX_MILLIS;
    private static final int LINES_MAX = 2000;

    private final OptionalLong seed;
    private final Map<String, Quota> quotas = new HashMap<>();
    private final Map<String, Map<String, String>> executors = new TreeMap<>(Fleet::compareIds);
    /** When each of them last said something. */
    private final Map<String, Long> heardMillis = new HashMap<>();
    /** Those that were told to record, and have not said that they are done. */
    private final Set<String> recording = new HashSet<>();
    /** Spark has taken them out, and uses no id twice; one that is still alive may go on asking. */
    private final Set<String> gone = new HashSet<>();
    private final LongSupplier clock;
    /** Null until the application has its id: who records must know where to. */
    private Who driver;
    private long turn;
    private boolean on;
    private String options = "";

    /** @param on whether executors begin at once */
    Fleet(OptionalLong seed, boolean on) {
        this(seed, on, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /** @param clock monotonic, in milliseconds */
    Fleet(OptionalLong seed, boolean on, LongSupplier clock) {
        this.seed = seed;
        this.on = on;
        this.clock = clock;
    }

    /** From now on executors learn which application they are of, and may record. */
    synchronized void name(Who driver) {
        this.driver = driver;
    }

    /** An executor says how it is and learns what it is to do. */
    synchronized Map<String, String> receive(Map<?, ?> message) {
        Map<String, String> said = new HashMap<>();
        message.forEach((k, v) -> said.put(String.valueOf(k), String.valueOf(v)));
        String id = said.getOrDefault(ID, "");
        if (said.containsKey(DONE)) {
            forget(id);
            return new HashMap<>();
        }
        if (driver == null) {
            return later(WAIT_UNNAMED_MILLIS);
        }
        boolean chosen = !gone.contains(id) && quota(said.getOrDefault(SHARE, "all")).admit(id);
        if (!gone.contains(id)) {
            executors.put(id, said);
            heardMillis.put(id, clock.getAsLong());
        }
        if (on && chosen) {
            recording.add(id);
        }
        Map<String, String> answer = later(chosen ? waitMillis() : unchosenMillis());
        answer.put(APP, driver.app);
        answer.put(ATTEMPT, driver.attempt);
        answer.put(TURN, Long.toString(turn));
        answer.put(ON, Boolean.toString(on && chosen));
        answer.put(OPTIONS, options);
        return answer;
    }

    /** The answer where nobody is to record: it will not change. */
    static Map<String, String> off() {
        return later(SILENT_MILLIS);
    }

    private static Map<String, String> later(long millis) {
        Map<String, String> answer = new HashMap<>();
        answer.put(WAIT, Long.toString(millis));
        return answer;
    }

    synchronized void removed(String id) {
        gone.add(id);
        forget(id);
    }

    /** To be called every so often: who has said nothing for long is gone, though nobody told us. */
    synchronized void tend() {
        long now = clock.getAsLong();
        for (String id : new ArrayList<>(heardMillis.keySet())) {
            if (now - heardMillis.get(id) > SILENT_MILLIS) {
                forget(id);
            }
        }
    }

    private void forget(String id) {
        executors.remove(id);
        heardMillis.remove(id);
        recording.remove(id);
        quotas.values().forEach(q -> q.removed(id));
        notifyAll();
    }

    /** Waits until all that record are done or gone; whether they are. */
    synchronized boolean awaitDone(Deadline deadline) {
        try {
            for (long left = deadline.left(); !recording.isEmpty() && left > 0; left = deadline.left()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return recording.isEmpty();
    }

    /** All that are chosen start, or stop; they learn it within their wait. */
    synchronized void command(boolean on, String options) {
        this.turn++;
        this.on = on;
        this.options = options;
    }

    synchronized boolean isEmpty() {
        return executors.isEmpty();
    }

    /** Lines for people. */
    synchronized String text() {
        long count = executors.values().stream().filter(e -> isOn(e)).count();
        StringBuilder text = new StringBuilder("executors: " + executors.size() + ", recording: " + count + "\n");
        executors.entrySet().stream().limit(LINES_MAX).forEach(e -> text.append(line(e.getKey(), e.getValue())));
        return text.toString();
    }

    private static String line(String id, Map<String, String> e) {
        String state = isOn(e) ? "samples " + e.get(SAMPLES) + ", dropped " + e.get(DROPPED) + ", " + e.get(OVERHEAD)
                + " % of its CPU, uploaded " + e.get(BYTES) + " bytes" : "not recording";
        String trouble = e.containsKey(TROUBLE) ? ", " + e.get(TROUBLE) : "";
        return "executor " + id + " on " + e.getOrDefault(HOST, "?") + ": " + state + trouble + "\n";
    }

    private static boolean isOn(Map<String, String> executor) {
        return Boolean.parseBoolean(executor.get(ON));
    }

    /** The share is the executor's own word: its environment may say more than the driver's. */
    private Quota quota(String share) {
        return quotas.computeIfAbsent(share, s -> new Quota(Share.parse(s), seed));
    }

    /** More executors ask less often, so that the driver has some thousand questions a second at most. */
    private long waitMillis() {
        return Math.min(WAIT_MAX_MILLIS, Math.max(WAIT_MILLIS, executors.size()));
    }

    /** Their answer will hardly change. */
    private long unchosenMillis() {
        return Math.min(SILENT_MILLIS / 2, Math.max(WAIT_UNCHOSEN_MILLIS, executors.size()));
    }

    private static int compareIds(String a, String b) {
        return a.length() == b.length() ? a.compareTo(b) : Integer.compare(a.length(), b.length());
    }
}
