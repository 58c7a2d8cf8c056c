package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparkProfilerRulesTest {
    private static final Dialect NAMED = Dialect.SPARK_PROFILER;
    private static final String DEFAULT_ARGS = "event=wall,interval=10ms,alloc=2m,lock=10ms,chunktime=300s";

    @Test
    void nothingIsRecordedUnlessEnabled() {
        Given given = Given.conf("spark.profiler.dfsDir", "hdfs:///p", "spark.profiler.executor.fraction", "1");
        assertFalse(given.driver(NAMED).enabled);
        assertFalse(given.executor(NAMED).enabled);
        assertEquals("none", given.driver(NAMED).executors.toString());
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void theDefaultsOfBothGenerations() {
        for (String key : Arrays.asList("spark.profiler.executor.enabled", "spark.executor.profiling.enabled")) {
            Given given = Given.conf(key, "true", "spark.app.name", "my app");
            Settings s = given.executor(NAMED);
            assertTrue(s.enabled);
            assertFalse(given.driver(NAMED).enabled);
            assertEquals(NAMED, s.dialect);
            assertEquals("0.1", s.executors.toString());
            assertNull(s.output);
            assertFalse(s.outputMustExist);
            assertEquals(".", s.localDir);
            assertEquals(DEFAULT_ARGS + ",maxoverhead=2", s.agentOptions);
            assertEquals(30_000, s.flushMillis);
            assertEquals(Collections.emptyList(), s.greeting());
            assertEquals(Collections.emptyList(), given.warnings);
        }
    }

    @Test
    void everyKeyOfTheReleases() {
        Given given = Given.conf("spark.profiler.driver.enabled", "true", "spark.profiler.executor.enabled", "true",
                "spark.profiler.executor.fraction", "0.5", "spark.profiler.dfsDir", "hdfs:///p",
                "spark.profiler.localDir", "/l", "spark.profiler.asyncProfiler.args", "event=cpu,interval=5ms",
                "spark.profiler.dfsWriteInterval", "1m");
        Settings s = given.driver(NAMED);
        assertTrue(s.enabled);
        assertEquals("0.5", s.executors.toString());
        assertEquals("hdfs:///p", s.output);
        assertTrue(s.outputMustExist);
        assertEquals("/l", s.localDir);
        assertEquals("event=cpu,interval=5ms,maxoverhead=2", s.agentOptions);
        assertEquals(60_000, s.flushMillis);
        assertEquals("profile-exec-1", s.layout.stem(false, "1"));
        assertEquals("770", s.layout.folderMode);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @ParameterizedTest
    @CsvSource({ "outputDir", "dfsDir" })
    void everyKeyOfThePreviews(String output) {
        Given given = Given.conf("spark.executor.profiling.enabled", "true", "spark.executor.profiling.fraction", "1.0",
                "spark.executor.profiling." + output, "/p", "spark.executor.profiling.localDir", "/l",
                "spark.executor.profiling.options", "alloc", "spark.executor.profiling.writeInterval", "0",
                "spark.app.name", "my app");
        Settings s = given.executor(NAMED);
        assertEquals("all", s.executors.toString());
        assertEquals("/p", s.output);
        assertTrue(s.outputMustExist);
        assertEquals("/l", s.localDir);
        assertEquals("alloc,maxoverhead=2", s.agentOptions);
        assertEquals(0, s.flushMillis);
        assertEquals("profile-my-app-exec-1", s.layout.stem(false, "1"));
        assertFalse(given.driver(NAMED).enabled);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void whereBothGenerationsAreSetTheReleaseWins() {
        Given given = Given.conf("spark.profiler.executor.enabled", "true", "spark.executor.profiling.fraction", "0.9");
        assertEquals("0.1", given.executor(NAMED).executors.toString());
        assertEquals(Collections.singletonList("spark.profiler.executor.enabled and spark.executor.profiling.fraction "
                + "are both set: keys of Spark's releases are taken; remove the others"), given.warnings);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "spark.profiler.driver.enabled | ja | neither true nor false; use one of them (taken: false)",
        "spark.profiler.executor.fraction | 1.5 | not between 0 and 1; use e.g. 0.25 (taken: 0.10)",
        "spark.profiler.executor.fraction | -0.1 | not between 0 and 1; use e.g. 0.25 (taken: 0.10)",
        "spark.profiler.executor.fraction | many | not between 0 and 1; use e.g. 0.25 (taken: 0.10)",
        "spark.profiler.dfsWriteInterval | -1 | not a time; use e.g. 30s (taken: 30)",
        "spark.profiler.dfsWriteInterval | often | not a time; use e.g. 30s (taken: 30)",
        "spark.profiler.localDir | a,b | has a comma; use a folder without one (taken: .)" })
    void aWrongValueIsOneWarningAndTheDefault(String key, String value, String problem) {
        Given given = Given.conf("spark.profiler.executor.enabled", "true", key, value);
        Settings s = given.executor(NAMED);
        assertEquals(Collections.singletonList(key + "='" + value + "': " + problem), given.warnings);
        assertEquals("0.1", s.executors.toString());
        assertEquals(30_000, s.flushMillis);
        assertEquals(".", s.localDir);
    }

    @Test
    void whatTheAgentWouldRefuseIsLeftOut() {
        String args = "start,event=cpu,interval=5ms,file=/x.jfr,jfrsync=profile,event=java.lang.Thread.start";
        Given given = Given.conf("spark.profiler.executor.enabled", "true", "spark.profiler.asyncProfiler.args", args);
        assertEquals("event=cpu,interval=5ms,maxoverhead=2", given.executor(NAMED).agentOptions);
        assertEquals(1, given.warnings.size());
        assertTrue(given.warnings.get(0).endsWith("': not for the agent here: start,file=/x.jfr,jfrsync=profile,"
                + "event=java.lang.Thread.start; leave it out (taken: event=cpu,interval=5ms)"), given.warnings.get(0));
    }

    @Test
    void aLimitOfOverheadInTheArgumentsStays() {
        Given given = Given.conf("spark.profiler.executor.enabled", "true", "spark.profiler.asyncProfiler.args",
                "event=cpu,maxoverhead=5");
        assertEquals("event=cpu,maxoverhead=5", given.executor(NAMED).agentOptions);
        given.conf.put("spark.charcloth.maxOverhead", "1");
        assertEquals("event=cpu,maxoverhead=5,maxoverhead=1", given.executor(NAMED).agentOptions);
    }

    @Test
    void ourKeysAboutFilesMayStandBesideIt() {
        Given given = Given.conf("spark.profiler.executor.enabled", "true", "spark.profiler.dfsDir", "/theirs",
                "spark.charcloth.output", "/ours", "spark.charcloth.localDir", "/l",
                "spark.charcloth.flushInterval", "5s", "spark.charcloth.tags", "a=b");
        Settings s = given.executor(NAMED);
        assertEquals(NAMED, s.dialect);
        assertEquals("/ours", s.output);
        assertFalse(s.outputMustExist);
        assertEquals("/l", s.localDir);
        assertEquals(5_000, s.flushMillis);
        assertEquals("{a=b}", s.tags.toString());
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void aLeftOverSwitchThatForbidsOurPluginIsToldOnce() {
        Given given = Given.conf("spark.profiler.executor.enabled", "false");
        assertFalse(given.driver(Dialect.CHARCLOTH).enabled);
        assertFalse(given.executor(Dialect.CHARCLOTH).enabled);
        assertEquals(Collections.singletonList(
                "spark.profiler.executor.enabled='false': nobody records; remove it (taken: false)"), given.warnings);
    }
}
