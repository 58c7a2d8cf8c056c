package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FleetTest {
    private final AtomicLong nowMillis = new AtomicLong();
    private final Fleet fleet = new Fleet(OptionalLong.empty(), true, nowMillis::get);

    @BeforeEach
    void name() {
        fleet.name(Who.driver("app-7", "2"));
    }

    private Map<String, String> ask(String id, String share) {
        return fleet.receive(Map.of(Fleet.ID, id, Fleet.SHARE, share));
    }

    private void done(String id) {
        fleet.receive(Map.of(Fleet.ID, id, Fleet.DONE, "true"));
    }

    @Test
    void theAnswerSaysWhichApplicationItIs() {
        Map<String, String> answer = ask("1", "all");
        assertEquals("app-7", answer.get(Fleet.APP));
        assertEquals("2", answer.get(Fleet.ATTEMPT));
    }

    @Test
    void nobodyRecordsBeforeTheApplicationHasItsId() {
        Fleet early = new Fleet(OptionalLong.empty(), true, nowMillis::get);
        assertEquals(Map.of(Fleet.WAIT, "100"), early.receive(Map.of(Fleet.ID, "1", Fleet.SHARE, "all")));
        assertTrue(early.awaitDone(Deadline.in(50_000)));
    }

    @Test
    void nobodyIsWaitedForWhereNobodyRecords() {
        assertEquals("false", ask("1", "none").get(Fleet.ON));
        assertTrue(fleet.awaitDone(Deadline.in(50_000)));
    }

    @Test
    void whoWasToldToRecordIsWaitedForUntilItIsDone() throws InterruptedException {
        assertEquals("true", ask("1", "all").get(Fleet.ON));
        ask("2", "all");
        done("1");
        assertFalse(fleet.awaitDone(Deadline.in(1)));
        Thread second = new Thread(() -> done("2"));
        second.start();
        assertTrue(fleet.awaitDone(Deadline.in(50_000)));
        second.join();
    }

    @Test
    void whoIsGoneIsNotWaitedFor() {
        ask("1", "all");
        fleet.removed("1");
        assertTrue(fleet.awaitDone(Deadline.in(50_000)));
    }

    @Test
    void whoWasTakenOutAndAsksAgainIsToldNothingNew() {
        ask("1", "all");
        fleet.removed("1");
        assertEquals("false", ask("1", "all").get(Fleet.ON));
        assertTrue(fleet.awaitDone(Deadline.in(50_000)));
        assertTrue(fleet.text().startsWith("executors: 0,"), fleet.text());
    }

    @Test
    void whoSaysNothingForLongIsGoneAndItsPlaceIsFree() {
        assertEquals("true", ask("1", "1").get(Fleet.ON));
        assertEquals("false", ask("2", "1").get(Fleet.ON));
        nowMillis.addAndGet(60_000);
        ask("2", "1");
        fleet.tend();
        assertFalse(fleet.awaitDone(Deadline.in(1)), "not yet");
        nowMillis.addAndGet(1);
        fleet.tend();
        assertTrue(fleet.awaitDone(Deadline.in(50_000)));
        assertEquals("true", ask("3", "1").get(Fleet.ON));
    }

    @Test
    void theMoreThereAreTheLessTheyAsk() {
        for (int i = 1; i < 20_000; i++) {
            ask("" + i, "none");
        }
        assertEquals("20000", ask("x", "none").get(Fleet.WAIT));
        assertEquals("10000", ask("y", "all").get(Fleet.WAIT));
    }
}
