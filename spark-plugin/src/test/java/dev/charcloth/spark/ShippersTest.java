package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.charcloth.spark.MemoryFileSystem.Seen;
import dev.charcloth.spark.MemoryFileSystem.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.helpers.NOPLogger;

/** A recording that begins while the one before it is still on its way. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShippersTest {
    @TempDir
    Path dir;
    private final Store store = new Store(Seen.WHEN_CLOSED);
    private final Configuration conf = MemoryFileSystem.conf("s3a", "shippers", store);
    private final Shippers shippers = new Shippers("executor 1", NOPLogger.NOP_LOGGER);

    private HadoopSink sink() {
        return new HadoopSink(new Hadoop(() -> conf), new org.apache.hadoop.fs.Path("s3a://shippers/out"), "driver", null,
                null, false);
    }

    private void start(String name) throws IOException {
        Path folder = Files.createDirectory(dir.resolve(name));
        Files.writeString(folder.resolve("0.jfr"), name);
        Segments segments = new Segments(folder, 1 << 20, false);
        shippers.start(new Shipper(segments, sink(), "output", NOPLogger.NOP_LOGGER, Shipper.Listener.NONE));
        shippers.complete();
    }

    @Test
    void aSecondRecordingWaitsForTheFirstAndTouchesNothingOfIt() throws Exception {
        store.close = new CountDownLatch(1);
        start("first");
        store.inClose.await();
        start("second");
        shippers.await(Deadline.in(500));
        assertEquals(1, store.opened, "the second has not begun");
        store.close.countDown();
        shippers.close(Deadline.in(50_000));
        assertEquals(Map.of("driver.1.jfr", "first", "driver.2.jfr", "second"), store.readable());
        assertEquals(11, shippers.bytesShipped());
    }

    @Test
    void allOfThemEndWithinOneDeadline() throws Exception {
        store.close = new CountDownLatch(1);
        start("first");
        store.inClose.await();
        start("second");
        long begun = System.nanoTime();
        shippers.close(Deadline.in(2000));
        long tookMillis = (System.nanoTime() - begun) / 1_000_000;
        assertTrue(tookMillis < 3700, tookMillis + " ms");
        assertEquals(Map.of(), store.readable());
        assertTrue(Files.exists(dir.resolve("first/0.jfr")));
        assertTrue(Files.exists(dir.resolve("second/0.jfr")));
    }
}
