package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.charcloth.Agent;
import dev.charcloth.NativeAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real agent in this JVM; where the build has none, nothing is tested. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecordingTest {
    @TempDir
    Path dir;
    private final Given given = new Given();
    private Recording recording;

    @BeforeEach
    void prepare() {
        assertTrue(NativeAgent.load(System.err::println));
        given.conf.put("spark.charcloth.localDir", dir.resolve("local").toString());
        given.conf.put("spark.charcloth.output", dir.resolve("out").toUri().toString());
    }

    @AfterEach
    void end() {
        if (recording != null) {
            recording.close(Deadline.in(50_000));
        }
    }

    private void start(String options) {
        Settings settings = given.executor(Dialect.CHARCLOTH);
        recording = new Recording("executor 1", settings, new Hadoop(() -> new Configuration(false)));
        recording.start(Who.executor("app-1", "", "1"), options);
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(p -> p.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    private void tendUntilItIsOff() throws InterruptedException {
        while (recording.isOn()) {
            recording.tend();
            Thread.sleep(20);
        }
    }

    @Test
    void whatIsRecordedIsBroughtOut() throws IOException {
        start("");
        assertTrue(recording.isOn());
        recording.tend();
        assertTrue(recording.isOn());
        recording.stop();
        recording.await(Deadline.in(50_000));
        assertNull(recording.trouble());
        assertEquals(List.of("executor-1.jfr"), names(dir.resolve("out/app-1")));
        assertEquals(List.of(), names(dir.resolve("local")));
    }

    @Test
    void optionsThatTheAgentRefusesCostNoRecording() throws IOException {
        given.conf.put("spark.charcloth.options", "chunksize=foo");
        start("");
        assertTrue(recording.isOn());
        recording.close(Deadline.in(50_000));
        start("event=cpu,interval=foo");
        assertTrue(recording.isOn());
    }

    @Test
    void oneWhoseTimeIsOverIsBroughtOutAtOnce() throws Exception {
        start("event=cpu,duration=1s");
        tendUntilItIsOff();
        assertEquals("its time was over", recording.trouble());
        recording.await(Deadline.in(50_000));
        assertEquals(List.of("executor-1.jfr"), names(dir.resolve("out/app-1")));
    }

    @Test
    void oneThatWasStoppedFromOutsideIsOff() throws Exception {
        start("");
        assertTrue(Agent.execute("stop").startsWith("error: this is a recording of the Spark plugin"));
        assertTrue(recording.isOn(), "who does not know whose it is does not end it");
        Agent.execute("stop" + Recording.OWNER);
        tendUntilItIsOff();
        assertEquals("it was stopped from outside", recording.trouble());
        recording.start(Who.executor("app-1", "", "1"), "");
        recording.tend();
        assertTrue(recording.isOn(), "a new one is not mistaken for it");
        assertNull(recording.trouble());
        recording.close(Deadline.in(50_000));
        assertFalse(recording.isOn());
        assertEquals(List.of("executor-1.1.jfr", "executor-1.jfr"), names(dir.resolve("out/app-1")));
    }
}
