package dev.charcloth.spark;

import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The lines that users of CodeGuru's agent look for in the log, about what is sent of one recording. */
final class CodeGuruLog implements Shipper.Listener {
    private final Supplier<AgentStatus> status;
    private final Consumer<String> log;
    /** The end of what has been sent, and of what is being sent. */
    private Instant sentUntil = Instant.now();
    private Instant until = sentUntil;
    private long sentSamples;
    private long samples;

    /** @param status of the recording, which has just begun */
    CodeGuruLog(Supplier<AgentStatus> status, Consumer<String> log) {
        this.status = status;
        this.log = log;
    }

    @Override
    public void sending() {
        AgentStatus now = status.get();
        until = Instant.now();
        samples = now.samples;
        log.accept("Attempting to report profile data: start=" + sentUntil + " end=" + until
                + " force=false memoryRefresh=false numberOfTimesSampled=" + (samples - sentSamples));
        if (now.live > 0) {
            log.accept("[HeapSummary] Processed " + now.live + " events.");
        }
    }

    @Override
    public void sent() {
        sentUntil = until;
        sentSamples = samples;
        log.accept("Successfully reported profile");
    }
}
