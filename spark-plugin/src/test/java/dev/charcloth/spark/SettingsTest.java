package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    private static final String TMP = System.getProperty("java.io.tmpdir");

    @Test
    void defaultsRecordEverybodysCpuTime() {
        Given nothing = Given.conf("spark.app.name", "x", "spark.plugins", "y");
        for (Settings s : Arrays.asList(nothing.driver(Dialect.CHARCLOTH), nothing.executor(Dialect.CHARCLOTH))) {
            assertTrue(s.enabled);
            assertTrue(s.driverRecords);
            assertEquals(Dialect.CHARCLOTH, s.dialect);
            assertEquals("all", s.executors.toString());
            assertEquals(OptionalLong.empty(), s.seed);
            assertEquals("event=cpu,interval=10ms,maxoverhead=2", s.agentOptions);
            assertNull(s.output);
            assertFalse(s.outputMustExist);
            assertEquals(TMP, s.localDir);
            assertFalse(s.keepLocal);
            assertEquals(10_000, s.flushMillis);
            assertEquals(Collections.emptyMap(), s.tags);
            assertEquals("driver", s.layout.stem(true, "driver"));
            assertEquals(Collections.emptyList(), s.greeting());
            assertSame(Shipper.Listener.NONE, s.listener(() -> AgentStatus.NONE, line -> { }));
        }
        assertTrue(nothing.driver(Dialect.CHARCLOTH).driver);
        assertFalse(nothing.executor(Dialect.CHARCLOTH).driver);
        assertEquals(Collections.emptyList(), nothing.warnings);
    }

    @Test
    void everyKeyIsTaken() {
        Given given = Given.conf("spark.charcloth.enabled", "TRUE", "spark.charcloth.driver", "false",
                "spark.charcloth.executors", " 25% ", "spark.charcloth.seed", "-42", "spark.charcloth.events",
                "cpu, wall=20ms,alloc=2m,live,lock=1ms,cache-misses", "spark.charcloth.interval", "1ms",
                "spark.charcloth.options", "jstackdepth=64,filter", "spark.charcloth.output", "s3a://b/p",
                "spark.charcloth.localDir", "/scratch", "spark.charcloth.keepLocal", "true",
                "spark.charcloth.flushInterval", "1m", "spark.charcloth.maxOverhead", "0.50%", "spark.charcloth.tags",
                "team=search, env=a=b", "spark.charcloth.python", "false");
        Settings s = given.executor(Dialect.CHARCLOTH);
        assertEquals(Collections.emptyList(), given.warnings);
        assertTrue(s.enabled);
        assertFalse(given.driver(Dialect.CHARCLOTH).enabled);
        assertEquals("0.25", s.executors.toString());
        assertEquals(OptionalLong.of(-42), s.seed);
        assertEquals("event=cpu,interval=1ms,wall=20ms,alloc=2m,live,lock=1ms,event=cache-misses,jstackdepth=64,"
                + "filter,maxoverhead=0.5", s.agentOptions);
        assertEquals("s3a://b/p", s.output);
        assertFalse(s.outputMustExist);
        assertEquals("/scratch", s.localDir);
        assertTrue(s.keepLocal);
        assertEquals(60_000, s.flushMillis);
        assertEquals("{team=search, env=a=b}", s.tags.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "cpu | - | event=cpu,interval=10ms", "wall | - | wall",
        "wall | 5ms | wall,interval=5ms", "cpu,wall,alloc | - | event=cpu,interval=10ms,wall,alloc",
        "cpu | 1500us | event=cpu,interval=1500us", "cpu | 0.5ms | event=cpu,interval=500us",
        "wall,cpu | 1 s | wall,interval=1s,event=cpu", "ctimer | - | event=ctimer,interval=10ms",
        "cycles,r3c | - | event=cycles,event=r3c", "alloc,lock | - | alloc,lock",
        "cpu,cpu | - | event=cpu,interval=10ms",
        "mem:0x10/4:rw,sched:sched_switch | - | event=mem:0x10/4:rw,event=sched:sched_switch",
        "alloc=512kb,lock=2min | - | alloc=512k,lock=2m" })
    void eventsBecomeOptionsOfTheAgent(String events, String interval, String options) {
        Given given = Given.conf("spark.charcloth.events", events);
        if (!interval.equals("-")) {
            given.conf.put("spark.charcloth.interval", interval);
        }
        assertEquals(options + ",maxoverhead=2", given.executor(Dialect.CHARCLOTH).agentOptions);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "enabled | yes | neither true nor false; use one of them (taken: true)",
        "driver | 1 | neither true nor false; use one of them (taken: true)",
        "executors | some | not a share of executors; use all, 25%, 0.25, 3 or ids:1,5 (taken: all)",
        "executors | 1.5 | more than all executors; use all, 25%, 0.25, 3 or ids:1,5 (taken: all)",
        "executors | ids: | an id is empty; use all, 25%, 0.25, 3 or ids:1,5 (taken: all)",
        "seed | x | not a whole number; use e.g. 42 (taken: none)",
        "events | cup | there is no event 'cup'; use e.g. cpu,wall,alloc (taken: cpu)",
        "events | cpu=1ms | cpu has no measure of its own; use spark.charcloth.interval (taken: cpu)",
        "events | alloc=0 | not a size; use e.g. alloc=2m (taken: cpu)",
        "events | wall=20 | not a time; use e.g. wall=20ms (taken: cpu)",
        "events | lock=x | not a time; use e.g. lock=1ms (taken: cpu)",
        "events | wall=1us | shorter than 100us; use e.g. 10ms (taken: cpu)",
        "events | r1,r2,r3,r4,r5,r6,r7,r8,r9 | more than 8 perf events; use fewer (taken: cpu)",
        "interval | 10 parsecs | not a time; use e.g. 10ms (taken: 10ms)",
        "interval | 10 | not a time; use e.g. 10ms (taken: 10ms)",
        "interval | 1us | shorter than 10us; use e.g. 10ms (taken: 10ms)",
        "options | file=x | not for the agent here: file=x; leave it out (taken: none)",
        "options | kernel,lop=1s | not for the agent here: lop=1s; leave it out (taken: kernel)",
        "output | https://x/y | sending over HTTP comes later; use e.g. hdfs:///profiles (taken: none)",
        "output | http://x | sending over HTTP comes later; use e.g. hdfs:///profiles (taken: none)",
        "localDir | /a,b | has a comma; use a folder without one (taken: none)",
        "keepLocal | si | neither true nor false; use one of them (taken: false)",
        "flushInterval | soon | not a time; use e.g. 10s (taken: 10s)",
        "flushInterval | 1ms | shorter than 100ms; use e.g. 10s (taken: 10s)",
        "flushInterval | 106751d | longer than 1d; use e.g. 10s (taken: 10s)",
        "maxOverhead | 0 | not a percentage above 0; use e.g. 2 (taken: 2)",
        "maxOverhead | 101 | not a percentage above 0; use e.g. 2 (taken: 2)",
        "python | true | has no effect yet; leave it out (taken: false)",
        "tags | a | not a list of pairs; use e.g. team=search,env=prod (taken: none)",
        "tags | a=b,=c | not a list of pairs; use e.g. team=search,env=prod (taken: none)" })
    void aWrongValueIsOneWarningAndTheDefault(String key, String value, String problem) {
        Given given = Given.conf("spark.charcloth." + key, value);
        Settings s = given.executor(Dialect.CHARCLOTH);
        String warning = "spark.charcloth." + key + "='" + value + "': " + problem;
        assertEquals(Collections.singletonList(warning), given.warnings);
        String taken = value.startsWith("kernel") ? "event=cpu,interval=10ms,kernel" : "event=cpu,interval=10ms";
        assertEquals(taken + ",maxoverhead=2", s.agentOptions);
        assertEquals("all", s.executors.toString());
        assertTrue(s.enabled);
        assertNull(s.output);
        assertEquals(TMP, s.localDir);
        assertEquals(10_000, s.flushMillis);
        assertEquals(Collections.emptyMap(), s.tags);
    }

    @Test
    void whatTurnsOutWrongLaterIsToldByItsKey() {
        Settings own = Given.conf("spark.charcloth.events", "cpu", "spark.charcloth.options", "chunksize=foo",
                "spark.charcloth.output", "/o", "spark.charcloth.localDir", "/l").executor(Dialect.CHARCLOTH);
        assertEquals("spark.charcloth.events='cpu', spark.charcloth.options='chunksize=foo'", own.optionsTold);
        assertEquals("spark.charcloth.output='/o'", own.outputTold);
        assertEquals("spark.charcloth.localDir='/l'", own.localDirTold);
        assertEquals("event=cpu,interval=10ms,maxoverhead=2", own.defaultOptions);
        Settings foreign = Given.conf("spark.profiler.executor.enabled", "true", "spark.profiler.dfsDir", "/o",
                "spark.profiler.asyncProfiler.args", "interval=x").executor(Dialect.SPARK_PROFILER);
        assertEquals("spark.profiler.asyncProfiler.args='interval=x'", foreign.optionsTold);
        assertEquals("spark.profiler.dfsDir='/o'", foreign.outputTold);
        assertEquals("spark.profiler.localDir='.'", foreign.localDirTold);
        assertEquals("java.io.tmpdir='" + TMP + "'", new Given().executor(Dialect.CODEGURU).localDirTold);
    }

    @Test
    void theIntervalOfTheWallHasItsOwnLimit() {
        Given given = Given.conf("spark.charcloth.events", "wall", "spark.charcloth.interval", "50us");
        given.executor(Dialect.CHARCLOTH);
        assertEquals(Collections.singletonList(
                "spark.charcloth.interval='50us': shorter than 100us; use e.g. 10ms (taken: 10ms)"), given.warnings);
    }

    @Test
    void longAndHostileValuesAreShownInOneShortLine() {
        String line = new String(new char[5000]).replace('\0', 'x') + "=\n";
        Given given = Given.conf("spark.charcloth.tags", "a\nb", "spark.charcloth.options", line);
        given.executor(Dialect.CHARCLOTH);
        assertEquals(2, given.warnings.size());
        given.warnings.forEach(w -> assertTrue(w.length() < 250 && w.indexOf('\n') < 0, w));
    }

    @ParameterizedTest
    @CsvSource({ "intervall, interval", "Interval, interval", "outpt, output", "executor, executors", "dir, driver",
        "flush.interval, flushInterval", "local, localDir" })
    void anUnknownKeyIsToldItsNeighbour(String unknown, String known) {
        Given given = Given.conf("spark.charcloth." + unknown, "v");
        given.driver(Dialect.CHARCLOTH);
        assertEquals(Collections.singletonList("spark.charcloth." + unknown + "='v': no such key; use spark.charcloth."
                + known + " (ignored)"), given.warnings);
    }

    @Test
    void blankIsUnsetAndZeroFlushesAtTheEnd() {
        Given given = Given.conf("spark.charcloth.interval", " ", "spark.charcloth.flushInterval", "0");
        assertEquals(0, given.executor(Dialect.CHARCLOTH).flushMillis);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void offIsOffForEverybody() {
        for (Dialect dialect : Dialect.values()) {
            Given given = Given.conf("spark.charcloth.enabled", "false", "spark.profiler.executor.enabled", "true")
                    .env("ENABLE_AMAZON_PROFILER", "true").env("PROFILING_CONTEXT", "{}");
            assertFalse(given.driver(dialect).enabled);
            assertFalse(given.executor(dialect).enabled);
            assertEquals("none", given.driver(dialect).executors.toString());
        }
    }

    @Test
    void theDriverIsOffOnlyWhereNoExecutorCanKnowBetter() {
        assertFalse(new Given().driver(Dialect.CHARCLOTH).off);
        assertFalse(Given.conf("spark.charcloth.executors", "none").driver(Dialect.CHARCLOTH).off);
        assertTrue(Given.conf("spark.charcloth.executors", "none", "spark.charcloth.driver", "false")
                .driver(Dialect.CHARCLOTH).off);
        assertTrue(new Given().driver(Dialect.SPARK_PROFILER).off);
        assertFalse(new Given().driver(Dialect.CODEGURU).off, "the variables may be the executors' alone");
        assertTrue(Given.conf("spark.charcloth.enabled", "false").driver(Dialect.CODEGURU).off);
        assertTrue(Given.conf("spark.executorEnv.ENABLE_AMAZON_PROFILER", "false").driver(Dialect.CODEGURU).off);
    }

    @Test
    void executorsThatAreNoneAreOff() {
        Given given = Given.conf("spark.charcloth.executors", "none");
        assertFalse(given.executor(Dialect.CHARCLOTH).enabled);
        assertTrue(given.driver(Dialect.CHARCLOTH).enabled);
    }

    @Test
    void ownKeysWinOverForeignOnesWithOneWarning() {
        Given given = Given.conf("spark.charcloth.events", "alloc", "spark.profiler.executor.enabled", "true")
                .env("ENABLE_AMAZON_PROFILER", "true");
        assertEquals(Dialect.CHARCLOTH, given.executor(Dialect.CHARCLOTH).dialect);
        assertEquals(Collections.singletonList("spark.charcloth.events and spark.profiler.executor.enabled and "
                + "ENABLE_AMAZON_PROFILER are set: they belong to several profilers, the first is taken; remove the "
                + "others"), given.warnings);
        given.warnings.clear();
        assertEquals("alloc,maxoverhead=2", given.executor(Dialect.SPARK_PROFILER).agentOptions);
        assertEquals(Collections.singletonList("spark.charcloth.events and spark.profiler.executor.enabled are set: "
                + "they belong to several profilers, the first is taken; remove the others"), given.warnings);
    }

    @Test
    void ownKeysRuleUnderAForeignClass() {
        Given given = Given.conf("spark.charcloth.executors", "3");
        for (Dialect dialect : Dialect.values()) {
            assertEquals("3", given.executor(dialect).executors.toString());
            assertEquals(Dialect.CHARCLOTH, given.executor(dialect).dialect);
        }
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void foreignKeysCountUnderOurClass() {
        Given spark = Given.conf("spark.profiler.executor.enabled", "true", "spark.charcloth.output", "/o");
        assertEquals(Dialect.SPARK_PROFILER, spark.executor(Dialect.CHARCLOTH).dialect);
        assertEquals("/o", spark.executor(Dialect.CHARCLOTH).output);
        Given codeGuru = new Given().env("ENABLE_AMAZON_PROFILER", "true").env("PROFILING_CONTEXT", "{}");
        assertEquals(Dialect.CODEGURU, codeGuru.executor(Dialect.CHARCLOTH).dialect);
        Given switchedOff = new Given().env("ENABLE_AMAZON_PROFILER", "false");
        assertEquals(Dialect.CHARCLOTH, switchedOff.executor(Dialect.CHARCLOTH).dialect);
        Given noSwitch = Given.conf("spark.profiler.localDir", "/x");
        assertEquals(Dialect.CHARCLOTH, noSwitch.executor(Dialect.CHARCLOTH).dialect);
        for (Given given : Arrays.asList(spark, codeGuru, switchedOff, noSwitch)) {
            assertEquals(Collections.emptyList(), given.warnings);
        }
    }
}
