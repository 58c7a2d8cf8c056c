package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BeatTest {
    @Test
    void oneThatHasNothingToDoEnds() {
        AtomicInteger turns = new AtomicInteger();
        Beat beat = new Beat("test", () -> false, turns::incrementAndGet);
        beat.start();
        beat.end(50_000);
        assertEquals(0, turns.get());
    }

    @Test
    void memoryThatRunsOutDoesNotEndIt() throws InterruptedException {
        CountDownLatch again = new CountDownLatch(1);
        AtomicInteger turns = new AtomicInteger();
        Beat beat = new Beat("test", () -> true, () -> {
            if (turns.incrementAndGet() == 1) {
                throw new OutOfMemoryError("planted");
            }
            again.countDown();
            return 1000;
        });
        beat.start();
        assertTrue(again.await(50, TimeUnit.SECONDS));
        beat.end(50_000);
    }
}
