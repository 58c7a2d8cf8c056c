package dev.charcloth.uber;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;

/** How many threads there are, were at most, and were started since the last record. */
final class ThreadCounts implements Profiler {
    static final String NAME = "ThreadInfo";

    private final Identity identity;
    private long startedBefore;

    ThreadCounts(Identity identity) {
        this.identity = identity;
    }

    @Override
    public synchronized void report(Reporter to) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long started = threads.getTotalStartedThreadCount();
        Map<String, Object> record = identity.recordOfNow();
        record.put("totalStartedThreadCount", started);
        record.put("newThreadCount", started - startedBefore);
        record.put("liveThreadCount", threads.getThreadCount());
        record.put("peakThreadCount", threads.getPeakThreadCount());
        startedBefore = started;
        to.report(NAME, record);
    }
}
