package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.charcloth.spark.MemoryFileSystem.Seen;
import dev.charcloth.spark.MemoryFileSystem.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a shipper ends: in its time, whatever the sink does. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShipperThreadTest extends ShipperCase {
    /** As code does that takes no notice of interrupts. */
    private static void waitDeafly(CountDownLatch latch) {
        boolean done = false;

        while (!done) {
            try {
                latch.await();
                done = true;
            } catch (InterruptedException e) {
                done = false;
            }
        }
    }

    @Test
    void aFolderThatIsGoneIsNoFailure() throws IOException {
        Shipper s = shipper();

        Files.delete(folder);
        s.start(null);
        assertTrue(s.finish(50_000));
        assertTrue(sink.closed);
        assertEquals(List.of(), warnings());
        Files.createDirectory(folder);
    }

    @Test
    void anErrorEndsShippingWithOneWarning() throws IOException {
        Shipper s = shipper(new ListSink() {
            @Override
            public void put(Path segment) {
                throw new NoClassDefFoundError("planted");
            }
        }, 1 << 20, false);

        segments(0, 2);
        s.start(null);
        assertFalse(s.finish(50_000));
        assertEquals(1, warnings().size());
        assertTrue(warnings().get(0).contains("planted"), warnings().get(0));
    }

    @Test
    void memoryThatRunsOutIsTriedAgain() throws IOException {
        ListSink scarce = new ListSink() {
            @Override
            public void put(Path segment) throws IOException {
                if (tries == 0) {
                    tries++;
                    throw new OutOfMemoryError("planted");
                }
                super.put(segment);
            }
        };
        Shipper s = shipper(scarce, 1 << 20, false);

        segments(0, 1);
        s.step();
        assertEquals(List.of(), scarce.got);
        s.start(null);
        assertTrue(s.finish(50_000));
        assertEquals(List.of("<0>", "<1>"), scarce.got);
        assertEquals(List.of(), warnings());
        Files.createDirectory(folder);
    }

    @Test
    void anOutputThatRefusesIsToldBeforeThereIsASegment() throws IOException {
        Shipper s = shipper(new ListSink() {
            @Override
            public void open() throws IOException {
                throw new Sink.Refused("no such folder", null);
            }
        }, 1 << 20, false);

        s.start(null);
        assertTrue(s.finish(50_000));
        assertEquals(1, warnings().size());
        assertTrue(warnings().get(0).contains("no such folder"), warnings().get(0));
    }

    /** Throws anything, checked or not. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void raise(Throwable e) throws E {
        throw (E) e;
    }

    private void failingAtFirst(Throwable failure) throws IOException {
        ListSink late = new ListSink() {
            @Override
            public void open() {
                ShipperThreadTest.<RuntimeException>raise(failure);
            }
        };
        Shipper s = shipper(late, 1 << 20, false);

        segments(0, 1);
        s.start(null);
        assertTrue(s.finish(50_000));
        assertEquals(List.of("<0>", "<1>"), late.got);
        assertEquals(List.of(), warnings());
        Files.createDirectory(folder);
    }

    @Test
    void anOutputThatIsNotReadyAtFirstIsTriedAgain() throws IOException {
        failingAtFirst(new IOException("not yet"));
        failingAtFirst(new IllegalStateException("not yet"));
        failingAtFirst(new OutOfMemoryError("not yet"));
    }

    @Test
    void finishShipsTheLastOneAndRemovesTheFolder() throws IOException {
        Shipper s = shipper();

        segments(0, 2);
        s.start(null);
        assertTrue(s.finish(50_000));
        assertEquals(List.of("<0>", "<1>", "<2>"), sink.got);
        assertTrue(sink.closed);
        assertTrue(Files.notExists(folder));
        assertTrue(s.finish(50_000), "a second time changes nothing");
        Files.createDirectory(folder);
    }

    @Test
    void finishDoesNotWaitForTheNextTry() throws IOException {
        Shipper s = shipper();

        sink.failures = 1;
        segments(0, 1);
        s.step();
        assertEquals(List.of(), sink.got);
        s.start(null);
        assertTrue(s.finish(50_000), "although the clock stands still");
    }

    @Test
    void finishGivesUpInItsTimeWhenTheSinkFails() throws IOException {
        Shipper s = shipper();

        sink.failures = FOR_EVER;
        segments(0, 1);
        s.step();
        s.start(null);
        assertFalse(s.finish(100));
        assertEquals(1, warnings().size());
        assertTrue(warnings().get(0).contains("not done within 100 ms; java.io.IOException: not now"));
        assertEquals(List.of("0.jfr", "1.jfr"), local());
    }

    @Test
    void aSinkThatHangsInCloseDoesNotHoldFinish() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Shipper s = shipper(new ListSink() {
            @Override
            public void close() throws IOException {
                waitDeafly(release);
            }
        }, 1 << 20, false);

        segments(0, 2);
        s.step();
        Files.delete(folder.resolve("2.jfr"));
        s.start(null);
        assertTrue(s.finish(100), "all is out, closed or not");
        assertTrue(Files.notExists(folder));
        release.countDown();
        s.finish(50_000);
        Files.createDirectory(folder);
    }

    @Test
    void aSinkThatHangsInPutHoldsNeitherTheBoundNorFinish() throws Exception {
        CountDownLatch inPut = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Shipper s = shipper(new ListSink() {
            @Override
            public void put(Path segment) {
                inPut.countDown();
                waitDeafly(release);
            }
        }, 9, false);

        segments(0, 1);
        s.start(null);
        inPut.await();
        segments(2, 9);
        s.tend();
        assertEquals(List.of("0.jfr", "7.jfr", "8.jfr", "9.jfr"), local(), "the one at work stays");
        assertEquals(List.of(), warnings());
        now.addAndGet(Retry.PATIENCE);
        s.tend();
        s.tend();
        assertFalse(s.finish(100));
        assertEquals(1, warnings().size());
        assertTrue(warnings().get(0).contains("no answer for 600 s"), warnings().get(0));
        release.countDown();
        s.finish(50_000);
    }

    @Test
    void anObjectThatCannotBeClosedIsInterrupted() throws Exception {
        Store store = new Store(Seen.WHEN_CLOSED);
        store.close = new CountDownLatch(1);
        Shipper s = shipper(new HadoopSink(new Hadoop(() -> MemoryFileSystem.conf("s3a", "hangs", store)),
                new org.apache.hadoop.fs.Path("s3a://hangs/out"), "driver", null, null, false), 1 << 20, false);

        segments(0, 1);
        s.start(null);
        store.inClose.await();
        assertFalse(s.finish(1000));
        assertEquals(Map.of(), store.readable());
        assertEquals(List.of("0.jfr", "1.jfr"), local());
    }

    @Test
    void anInterruptedCallerStillWaitsForTheRest() throws IOException {
        Shipper s = shipper();

        segments(0, 2);
        s.start(null);
        Thread.currentThread().interrupt();
        assertTrue(s.finish(50_000));
        assertTrue(Thread.interrupted(), "the interrupt is the caller's");
        assertEquals(List.of("<0>", "<1>", "<2>"), sink.got);
        Files.createDirectory(folder);
    }

    @Test
    void anInterruptedCallerWaitsNoLongerThanItsTime() throws IOException {
        CountDownLatch release = new CountDownLatch(1);
        Shipper s = shipper(new ListSink() {
            @Override
            public void put(Path segment) {
                waitDeafly(release);
            }
        }, 1 << 20, false);

        segments(0, 1);
        s.start(null);
        Thread.currentThread().interrupt();
        assertFalse(s.finish(100));
        assertTrue(Thread.interrupted());
        release.countDown();
        s.finish(50_000);
    }
}
