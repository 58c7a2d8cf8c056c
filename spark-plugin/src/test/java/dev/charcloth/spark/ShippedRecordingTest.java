package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.helpers.NOPLogger;

/** Real recordings, from a local folder to another by way of Hadoop's local file system. */
class ShippedRecordingTest {
    @Name("charcloth.test.Mark")
    @StackTrace(false)
    static final class Mark extends Event {
        int number;
    }

    @TempDir
    Path dir;

    private static void record(Path file, int number) throws IOException {
        try (Recording r = new Recording()) {
            Mark mark = new Mark();
            r.enable(Mark.class);
            r.start();
            mark.number = number;
            mark.commit();
            r.stop();
            r.dump(file);
        }
    }

    private static List<Integer> marks(Path file) throws IOException {
        return RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.getEventType().getName().equals("charcloth.test.Mark"))
                .map(e -> e.getInt("number")).sorted().collect(Collectors.toList());
    }

    @Test
    void whatIsShippedReadsAsOneRecordingAtAnyTime() throws IOException {
        Path local = Files.createDirectory(dir.resolve("local"));
        Path out = dir.resolve("out");
        List<List<Integer>> seen = new ArrayList<>();
        HadoopSink sink = new HadoopSink(new Hadoop(() -> new Configuration(false)),
                new org.apache.hadoop.fs.Path(out.toUri()), "executor-1", null, null, false);
        Segments segments = new Segments(local, 1 << 30, false);
        Shipper shipper = new Shipper(segments, sink, "output", NOPLogger.NOP_LOGGER, new Shipper.Listener() {
            @Override
            public void sent() {
                try {
                    seen.add(marks(out.resolve("executor-1.jfr")));
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        });

        for (int n = 0; n < 3; n++)
            record(local.resolve(n + ".jfr"), n);
        shipper.start(null);
        assertTrue(shipper.finish(50_000));
        assertEquals(List.of(List.of(0), List.of(0, 1), List.of(0, 1, 2)), seen);
        assertTrue(Files.notExists(local));
    }
}
