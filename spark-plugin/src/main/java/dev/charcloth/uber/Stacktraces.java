package dev.charcloth.uber;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Counts the stacks of all threads but our own between two reports. At most about {@link #MAX_STACKS} are kept; when
 * there are more the interval ends early.
 */
final class Stacktraces implements Profiler {
    static final String NAME = "Stacktrace";
    static final int MAX_STACKS = 20_000;
    private static final String OWN_THREADS = "charcloth"; // these here, and the recorder's
    private static final int MAX_CHARS = 800_000;
    private static final String TRIMMED = "_stack_._trimmed_";

    private final Identity identity;
    private Map<Key, Long> counts = new LinkedHashMap<>();
    private long startEpoch = System.currentTimeMillis();

    Stacktraces(Identity identity) {
        this.identity = identity;
    }

    /** Takes a sample of every thread. A report waits for it, so that the last one has it. */
    synchronized void sample(Reporter to) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (ThreadInfo thread : threads.dumpAllThreads(false, false)) {
            if (thread != null && !thread.getThreadName().startsWith(OWN_THREADS)) {
                add(thread.getThreadName(), thread.getThreadState(), thread.getStackTrace());
            }
        }
        if (counts.size() >= MAX_STACKS) {
            report(to);
        }
    }

    synchronized void add(String thread, Thread.State state, StackTraceElement[] stack) {
        counts.merge(new Key(thread, state, frames(stack, MAX_CHARS)), 1L, Long::sum);
    }

    @Override
    public void report(Reporter to) {
        drain(System.currentTimeMillis()).forEach(record -> to.report(NAME, record));
    }

    /** The records of what was counted, and begins anew. */
    synchronized List<Map<String, Object>> drain(long endEpoch) {
        List<Map<String, Object>> records = new ArrayList<>(counts.size());
        counts.forEach((key, count) -> {
            Map<String, Object> record = identity.record();
            record.put("startEpoch", startEpoch);
            record.put("endEpoch", endEpoch);
            record.put("threadName", key.thread);
            record.put("threadState", key.state.toString());
            record.put("stacktrace", key.frames);
            record.put("count", count);
            records.add(record);
        });
        counts = new LinkedHashMap<>();
        startEpoch = endEpoch;
        return records;
    }

    /** The leaf first. Of a stack that is too long the part at the root is kept, and marked. */
    static List<String> frames(StackTraceElement[] stack, int maxChars) {
        List<String> frames = new ArrayList<>(stack.length);
        int chars = 0;
        for (int i = stack.length - 1; i >= 0 && chars < maxChars; i--) {
            String frame = stack[i].getClassName() + "." + stack[i].getMethodName();
            chars += frame.length();
            frames.add(frame);
        }
        if (frames.size() < stack.length) {
            frames.add(TRIMMED);
        }
        Collections.reverse(frames);
        return frames;
    }

    /** What is counted together. */
    private static final class Key {
        private final String thread;
        private final Thread.State state;
        private final List<String> frames;

        Key(String thread, Thread.State state, List<String> frames) {
            this.thread = thread;
            this.state = state;
            this.frames = frames;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && thread.equals(((Key) other).thread) && state == ((Key) other).state
                    && frames.equals(((Key) other).frames);
        }

        @Override
        public int hashCode() {
            return Objects.hash(thread, state, frames);
        }
    }
}
