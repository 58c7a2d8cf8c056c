package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.charcloth.spark.MemoryFileSystem.Seen;
import dev.charcloth.spark.MemoryFileSystem.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

class HadoopSinkTest {
    @TempDir
    Path dir;
    private String test;

    @BeforeEach
    void name(TestInfo info) {
        test = info.getTestMethod().orElseThrow().getName().toLowerCase();
    }

    private Path segment(String text) throws IOException {
        return Files.writeString(dir.resolve("segment"), text);
    }

    private HadoopSink sink(String scheme, Store store) {
        return new HadoopSink(new Hadoop(() -> MemoryFileSystem.conf(scheme, test, store)),
                new org.apache.hadoop.fs.Path(scheme + "://" + test + "/out"), "executor-1", null, null, false);
    }

    private HadoopSink local(Path folder, String mode, boolean parentMustExist) {
        FsPermission folderMode = mode == null ? null : new FsPermission("770");
        FsPermission fileMode = mode == null ? null : new FsPermission(mode);

        return new HadoopSink(new Hadoop(() -> new Configuration(false)),
                new org.apache.hadoop.fs.Path(folder.toUri()), "driver", folderMode, fileMode, parentMustExist);
    }

    @Test
    void openMakesTheFolderAndNoFile() throws IOException {
        Path out = dir.resolve("a/b");

        try (HadoopSink sink = local(out, null, false)) {
            sink.open();
            try (var files = Files.list(out)) {
                assertEquals(0, files.count());
            }
            sink.put(segment("one"));
            assertEquals("one", Files.readString(out.resolve("driver.jfr")));
        }
    }

    @Test
    void openRefusesAMissingParent() throws IOException {
        try (HadoopSink sink = local(dir.resolve("a/b"), null, true)) {
            assertThrows(Sink.Refused.class, sink::open);
        }
        assertTrue(Files.notExists(dir.resolve("a")));
    }

    @Test
    void aFileThatIsRemovedIsNoticedAndBegunAnew() throws IOException {
        Path out = dir.resolve("out");

        try (HadoopSink sink = local(out, null, false)) {
            sink.put(segment("one"));
            Files.delete(out.resolve("driver.jfr"));
            Files.delete(out);
            assertThrows(Sink.Lost.class, () -> sink.put(segment("two")));
            sink.put(segment("two"));
            assertEquals("two", Files.readString(out.resolve("driver.1.jfr")));
        }
    }

    @Test
    void aLocalFileGrowsAndIsSeenBeforeItIsClosed() throws IOException {
        Path out = dir.resolve("a/b");

        try (HadoopSink sink = local(out, null, false)) {
            sink.put(segment("one"));
            assertEquals("one", Files.readString(out.resolve("driver.jfr")));
            sink.put(segment("two"));
            assertEquals("onetwo", Files.readString(out.resolve("driver.jfr")));
        }
        assertArrayEquals(new String[] { "driver.jfr" }, out.toFile().list());
    }

    @Test
    void modesAreThoseAskedForWhateverTheUmask() throws IOException {
        try (HadoopSink sink = local(dir.resolve("out"), "666", true)) {
            sink.put(segment("one"));
        }
        assertEquals("rwxrwx---", mode(dir.resolve("out")));
        assertEquals("rw-rw-rw-", mode(dir.resolve("out/driver.jfr")));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aParentThatMustExistIsNotMade() throws IOException {
        HadoopSink sink = local(dir.resolve("typo/out"), null, true);
        Path segment = segment("one");

        assertTrue(assertThrows(Sink.Refused.class, () -> sink.put(segment)).getMessage().contains("typo"));
        assertTrue(Files.notExists(dir.resolve("typo")));
        Files.createDirectory(dir.resolve("typo"));
        sink.put(segment);
        sink.close();
        assertEquals("one", Files.readString(dir.resolve("typo/out/driver.jfr")));
    }

    @Test
    void aSchemeThatNobodyServesIsRefused() throws IOException {
        HadoopSink sink = new HadoopSink(new Hadoop(() -> new Configuration(false)),
                new org.apache.hadoop.fs.Path("nosuch://h/out"), "driver", null, null, false);
        Path segment = segment("one");

        assertTrue(assertThrows(Sink.Refused.class, () -> sink.put(segment)).getMessage().contains("nosuch"));
    }

    @Test
    void existingFilesAreLeftAlone() throws IOException {
        Files.writeString(dir.resolve("driver.jfr"), "old");
        Files.writeString(dir.resolve("driver.1.jfr"), "older");
        try (HadoopSink sink = local(dir, null, false)) {
            sink.put(segment("new"));
        }
        assertEquals("old", Files.readString(dir.resolve("driver.jfr")));
        assertEquals("older", Files.readString(dir.resolve("driver.1.jfr")));
        assertEquals("new", Files.readString(dir.resolve("driver.2.jfr")));
    }

    @Test
    void aFlushedFileGrowsAndIsWholeWithoutClosing() throws IOException {
        Store store = new Store(Seen.WHEN_FLUSHED);
        HadoopSink sink = sink("mem", store);

        sink.put(segment("one"));
        sink.put(segment("two"));
        assertEquals(Map.of("executor-1.jfr", "onetwo"), store.readable());
        assertEquals(1, store.files.size(), "no probe is left behind");
        sink.close();
        assertEquals(Map.of("executor-1.jfr", "onetwo"), store.readable());
        assertEquals(1, store.closed);
    }

    @Test
    void anObjectStoreGetsPartsUnderTheirOwnNames() throws IOException {
        Store store = new Store(Seen.WHEN_CLOSED);
        HadoopSink sink = sink("s3a", store);

        store.files.put("/out/executor-1.2.jfr", "old".getBytes());
        sink.put(segment("one"));
        sink.put(segment("two"));
        assertEquals(Map.of("executor-1.1.jfr", "one", "executor-1.2.jfr", "old", "executor-1.3.jfr", "two"),
                store.readable());
        assertTrue(store.renames.isEmpty());
    }

    @Test
    void halfAnObjectIsTakenAway() throws IOException {
        Store store = new Store(Seen.WHEN_CLOSED);
        HadoopSink sink = sink("s3a", store);
        Path segment = segment("one");

        store.room = 2;
        assertThrows(IOException.class, () -> sink.put(segment));
        assertEquals(Map.of(), store.readable());
        store.room = 100;
        sink.put(segment);
        assertEquals(Map.of("executor-1.2.jfr", "one"), store.readable());
    }

    @Test
    void whereHalfAFileWouldBeSeenPartsAreRenamed() throws IOException {
        Store store = new Store(Seen.AT_ONCE);
        HadoopSink sink = sink("mem", store);
        Path segment = segment("one");

        sink.put(segment);
        store.room = 2;
        assertThrows(IOException.class, () -> sink.put(segment));
        assertEquals(Map.of("executor-1.1.jfr", "one"), store.readable());
        store.room = 100;
        sink.put(segment("two"));
        assertEquals(Map.of("executor-1.1.jfr", "one", "executor-1.3.jfr", "two"), store.readable());
        assertEquals(2, store.files.size(), "nothing hidden is left behind");
    }

    @Test
    void aBrokenFileIsCutBackAndAnotherBegun() throws IOException {
        Store store = new Store(Seen.WHEN_FLUSHED);

        store.truncates = true;
        breakSecondPut(store);
        assertEquals(Map.of("executor-1.jfr", "one", "executor-1.1.jfr", "twothree"), store.readable());
    }

    @Test
    void aFileThatCannotBeCutBackKeepsATornEnd() throws IOException {
        Store store = new Store(Seen.WHEN_FLUSHED);

        breakSecondPut(store);
        assertEquals(Map.of("executor-1.jfr", "onetw", "executor-1.1.jfr", "twothree"), store.readable());
    }

    private void breakSecondPut(Store store) throws IOException {
        HadoopSink sink = sink("mem", store);

        sink.put(segment("one"));
        store.room = 2;
        Path two = segment("two");
        assertThrows(IOException.class, () -> sink.put(two));
        store.room = 100;
        sink.put(two);
        sink.put(segment("three"));
        sink.close();
        assertEquals(store.opened, store.closed);
    }

    @Test
    void aSegmentThatIsGoneLeavesTheFileGrowing() throws IOException {
        Store store = new Store(Seen.WHEN_FLUSHED);
        HadoopSink sink = sink("mem", store);

        sink.put(segment("one"));
        assertThrows(NoSuchFileException.class, () -> sink.put(dir.resolve("gone")));
        sink.put(segment("two"));
        assertEquals(Map.of("executor-1.jfr", "onetwo"), store.readable());
    }

    @Test
    void anApplicationThatClosesAllFileSystemsDoesNotCloseOurs() throws IOException {
        Store store = new Store(Seen.WHEN_FLUSHED);
        HadoopSink sink = sink("mem", store);

        sink.put(segment("one"));
        FileSystem.closeAll();
        assertEquals(0, store.closed);
        sink.put(segment("two"));
        assertEquals(Map.of("executor-1.jfr", "onetwo"), store.readable());
    }
}
