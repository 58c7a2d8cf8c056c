package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayoutTest {
    private static final Layout[] ALL = { Layout.own(), Layout.spark(), Layout.preview("my app"), Layout.group("g") };

    @Test
    void ourNames() {
        Layout own = Layout.own();
        assertEquals("app-20240101-0001", own.folder("app-20240101-0001", null));
        assertEquals("application_1_0002_1", own.folder("application_1_0002", "1"));
        assertEquals("app", own.folder("app", ""));
        assertEquals("driver", own.stem(true, "driver"));
        assertEquals("executor-7", own.stem(false, "7"));
        assertEquals("executor-7.3.jfr", Layout.file(own.stem(false, "7"), 3));
        assertEquals("driver.jfr", Layout.file(own.stem(true, "driver"), 0));
        assertNull(own.folderMode);
        assertNull(own.fileMode);
    }

    @Test
    void namesOfSparksReleases() {
        Layout spark = Layout.spark();
        assertEquals("local-1_a_b_-c-d-e_2", spark.folder("Local-1.A$B} C:D/E", "2"));
        assertEquals("application_1_0002", spark.folder("application_1_0002", null));
        assertEquals("profile-driver", spark.stem(true, "driver"));
        assertEquals("profile-exec-7", spark.stem(false, "7"));
        assertEquals("profile-exec-7.2.jfr", Layout.file(spark.stem(false, "7"), 2));
        assertEquals("770", spark.folderMode);
        assertEquals("660", spark.fileMode);
    }

    @Test
    void namesOfSparksPreviews() {
        Layout preview = Layout.preview("my app");
        assertEquals("app-1", preview.folder("app-1", "2"));
        assertEquals("profile-my-app-exec-7", preview.stem(false, "7"));
        assertEquals("profile-my-app-driver", preview.stem(true, "driver"));
        assertNull(preview.folderMode);
    }

    @Test
    void aGroupIsAFolder() {
        assertEquals("my-group/app-1_2", Layout.group("my-group").folder("app-1", "2"));
        assertEquals("executor-7", Layout.group("my-group").stem(false, "7"));
    }

    @Test
    void inLocalModeDriverAndExecutorHaveTheirOwnFiles() {
        for (Layout layout : ALL) {
            assertNotEquals(layout.stem(true, "driver"), layout.stem(false, "driver"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "..", "../..", "/etc/passwd", "a/../../b", "", ".", "a\\..\\b", "x\u0000y", "hdfs://x",
        "%p", "a,file=b", "\u2028", "\ud83d\ude00" })
    void noIdLeavesTheOutput(String id) {
        Path base = Paths.get("/out");
        for (Layout layout : ALL) {
            int depth = layout.folder("x", null).contains("/") ? 4 : 3;
            Path path = base.resolve(layout.folder(id, id)).resolve(layout.stem(false, id)).normalize();
            assertTrue(path.startsWith(base) && path.getNameCount() == depth, path.toString());
            assertFalse(path.toString().matches(".*[,%=:].*"), path.toString());
        }
        assertFalse(Layout.group(id).folder("x", null).startsWith("."));
        assertFalse(Layout.preview(id).stem(false, "1").contains("/"));
    }

    @Test
    void namesAreNotLongerThanFilesMayBe() {
        String id = new String(new char[100_000]).replace('\0', 'a');
        assertTrue(Layout.own().folder(id, null).length() <= 100);
    }
}
