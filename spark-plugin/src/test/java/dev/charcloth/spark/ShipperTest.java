package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.SubstituteLogger;

/** What a shipper does, step by step, without its thread. */
class ShipperTest extends ShipperCase {
    /** Lets hours pass, a look every second. */
    private void pass(Shipper s, long seconds) {
        for (long i = 0; i < seconds; i++) {
            now.addAndGet(1000);
            s.step();
        }
    }

    @Test
    void whatIsFinishedGoesOutInOrderAndIsDeleted() throws IOException {
        Shipper s = shipper();

        segments(0, 11);
        Files.writeString(folder.resolve("x.jfr"), "another's");
        s.step();
        assertEquals(List.of("<0>", "<1>", "<2>", "<3>", "<4>", "<5>", "<6>", "<7>", "<8>", "<9>", "<10>"), sink.got);
        assertEquals(List.of("11.jfr", "x.jfr"), local());
        assertEquals(34, s.bytesShipped());
        assertEquals(List.of("sending", "sent"), told.subList(0, 2));
        assertEquals(22, told.size());
    }

    @Test
    void theOnlySegmentIsStillBeingWritten() throws IOException {
        segments(0, 0);
        shipper().step();
        assertEquals(List.of(), sink.got);
    }

    @Test
    void keptSegmentsGoOutOnceAndStay() throws IOException {
        Shipper s = shipper(sink, 1, true);

        segments(0, 2);
        s.step();
        s.step();
        segments(3, 3);
        s.step();
        assertEquals(List.of("<0>", "<1>", "<2>"), sink.got);
        assertEquals(List.of("0.jfr", "1.jfr", "2.jfr", "3.jfr"), local());
    }

    @Test
    void failuresAreTriedAgainWithLongerAndLongerWaits() throws IOException {
        Shipper s = shipper();
        List<Long> triedAt = new ArrayList<>();

        sink.failures = 9;
        segments(0, 1);
        for (int second = 0; second < 400; second++) {
            int before = sink.tries;
            s.step();
            if (sink.tries > before) {
                triedAt.add(now.get() / 1000);
            }
            now.addAndGet(1000);
        }
        assertEquals(List.of(0L, 1L, 3L, 7L, 15L, 31L, 63L, 123L, 183L, 243L), triedAt);
        assertEquals(List.of("<0>"), sink.got);
        assertNull(s.lastError());
        assertEquals(List.of(), warnings());
    }

    @Test
    void afterTenMinutesThereIsOneWarningAndNoMoreTries() throws IOException {
        Shipper s = shipper();

        sink.failures = FOR_EVER;
        segments(0, 3);
        pass(s, 599);
        assertEquals(List.of(), warnings());
        pass(s, 7200);
        assertEquals(1, warnings().size());
        assertEquals(16, sink.tries);
        assertFalse(s.finish(100));
        assertEquals(1, warnings().size());
        assertTrue(warnings().get(0).contains("list:/x: 16 tries; java.io.IOException: not now"), warnings().get(0));
        assertTrue(warnings().get(0).contains("3 segments (9 bytes) are left in " + folder), warnings().get(0));
        assertEquals(List.of("0.jfr", "1.jfr", "2.jfr", "3.jfr"), local());
    }

    @Test
    void whatIsRefusedIsNotTriedAgain() throws IOException {
        Shipper s = shipper(new ListSink() {
            @Override
            public void put(Path segment) throws IOException {
                throw new Refused("no such place", null);
            }
        }, 1 << 20, false);

        segments(0, 1);
        s.step();
        assertTrue(warnings().get(0).contains("no such place"), warnings().get(0));
        assertTrue(warnings().get(0).contains("Check that output='list:/' exists"), warnings().get(0));
    }

    @Test
    void theOldestAreDroppedWhenSpaceRunsOut() throws IOException {
        Shipper s = shipper(sink, 9, false);

        sink.failures = 1;
        segments(0, 5);
        s.step();
        assertEquals(List.of("2.jfr", "3.jfr", "4.jfr", "5.jfr"), local());
        pass(s, 1);
        assertEquals(List.of("<2>", "<3>", "<4>"), sink.got);
    }

    @Test
    void theBoundHoldsAfterGivingUp() throws IOException {
        Shipper s = shipper(sink, 9, false);

        sink.failures = FOR_EVER;
        segments(0, 1);
        pass(s, 700);
        segments(2, 9);
        s.step();
        assertEquals(List.of("6.jfr", "7.jfr", "8.jfr", "9.jfr"), local());
        assertFalse(s.hasAll());
    }

    @Test
    void oneSegmentBeyondTheBoundIsStillTried() throws IOException {
        Shipper s = shipper(sink, 1, false);

        segments(0, 1);
        s.tend();
        s.step();
        assertEquals(List.of("<0>"), sink.got);
    }

    @Test
    void aSegmentThatVanishesIsCountedAndPassedOver() throws IOException {
        Shipper s = shipper(new ListSink() {
            @Override
            public void put(Path segment) throws IOException {
                Files.delete(segment);
                throw new IOException("gone");
            }
        }, 1 << 20, false);

        segments(0, 2);
        s.step();
        assertFalse(s.hasAll());
        assertNull(s.lastError());
    }

    @Test
    void aListenerThatThrowsIsNoFailure() throws IOException {
        Shipper s = new Shipper(new Segments(folder, 1 << 20, false), sink, "output='list:/'",
                new SubstituteLogger("test", events, false), new Shipper.Listener() {
                    @Override
                    public void sending() {
                        throw new IllegalStateException("planted");
                    }

                    @Override
                    public void sent() {
                        throw new IllegalStateException("planted");
                    }
                }, now::get);

        segments(0, 2);
        s.step();
        assertEquals(List.of("<0>", "<1>"), sink.got);
    }
}
