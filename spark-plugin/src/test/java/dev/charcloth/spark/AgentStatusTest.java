package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class AgentStatusTest {
    private static final String RUNNING = "ok\nwalker: own\nrecording to: /x/0.jfr\nfor: 3 s\nwritten: 17 bytes\n";
    private static final String COUNTS = "samples cpu: 40\nsamples live: 2\ndropped, ring full: 3\n"
            + "dropped, no room for names: 1\nown share of the process's CPU: 0.3 %\n";

    @Test
    void numbersAreSummedUp() {
        AgentStatus s = AgentStatus.parse(RUNNING + COUNTS);
        assertEquals(42, s.samples);
        assertEquals(2, s.live);
        assertEquals(4, s.dropped);
        assertEquals("0.3", s.overheadText());
        assertNull(s.ended);
    }

    @Test
    void whyItHasEndedIsTold() {
        String failed = "the recording has ended: write '/x/0.jfr': No space left on device\n";
        assertEquals("write '/x/0.jfr': No space left on device", AgentStatus.parse(RUNNING + failed + COUNTS).ended);
        String over = "ends after: 3 s\nthe recording has ended: its time was over\n";
        assertEquals("its time was over", AgentStatus.parse(RUNNING + over + COUNTS).ended);
        String stopped = "ok\nwalker: own\nnothing is being recorded\n";
        assertEquals("it was stopped from outside", AgentStatus.parse(stopped).ended);
    }
}
