package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodeGuruRulesTest {
    private static final Dialect NAMED = Dialect.CODEGURU;
    private static final String FULL = "{\"profilingGroupName\":\"my-group\",\"driverEnabled\":true,"
            + "\"executorEnabled\":\"true\",\"heapSummaryEnabled\":\"false\",\"probability\":\"0.5\",\"other\":[1]}";

    private static Given on(String context) {
        return new Given().env("ENABLE_AMAZON_PROFILER", "true").env("PROFILING_CONTEXT", context);
    }

    @Test
    void theDefaultsAreExecutorsWithTheirHeap() {
        Given given = on("{\"profilingGroupName\":\"g\"}");
        Settings s = given.executor(NAMED);
        assertTrue(s.enabled);
        assertFalse(given.driver(NAMED).enabled);
        assertEquals(NAMED, s.dialect);
        assertEquals("all", s.executors.toString());
        assertEquals("event=cpu,interval=10ms,wall,live,maxoverhead=2", s.agentOptions);
        assertEquals("{group=g}", s.tags.toString());
        assertEquals("g/app-1", s.layout.folder("app-1", null));
        assertNull(s.output);
        assertEquals(10_000, s.flushMillis);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void everyFieldIsTaken() {
        Given given = on(FULL);
        Settings s = given.driver(NAMED);
        assertTrue(s.enabled);
        assertEquals("0.5", s.executors.toString());
        assertEquals("event=cpu,interval=10ms,wall,maxoverhead=2", s.agentOptions);
        assertFalse(on("{\"executorEnabled\":false}").executor(NAMED).enabled);
        assertEquals("none", on("{\"probability\":0}").driver(NAMED).executors.toString());
        assertEquals(Collections.emptyList(), given.warnings);
    }

    /** The context that each way of writing it down must give. */
    @ParameterizedTest
    @ValueSource(strings = { "{\"profilingGroupName\":\"g\",\"driverEnabled\":\"true\"}",
        "  {\"profilingGroupName\": \"g\", \"driverEnabled\": true} ",
        "{\\\"profilingGroupName\\\":\\\"g\\\",\\\"driverEnabled\\\":\\\"true\\\"}",
        "{\"profilingGroupName\":\"g\"\\,\"driverEnabled\":\"true\"}",
        "{\\\"profilingGroupName\\\":\\\"g\\\"\\,\\\"driverEnabled\\\":\\\"true\\\"}",
        "'{\"profilingGroupName\":\"g\",\"driverEnabled\":\"true\"}'",
        "\"{\"profilingGroupName\":\"g\",\"driverEnabled\":\"true\"}\"",
        "\"{\\\"profilingGroupName\\\":\\\"g\\\",\\\"driverEnabled\\\":\\\"true\\\"}\"",
        "'{\\\"profilingGroupName\\\":\\\"g\\\"\\,\\\"driverEnabled\\\":true}'",
        "\"'{\\\"profilingGroupName\\\":\\\"g\\\",\\\"driverEnabled\\\":true}'\"",
        "{\\\\\\\"profilingGroupName\\\\\\\":\\\\\\\"g\\\\\\\"\\\\\\,\\\\\\\"driverEnabled\\\\\\\":true}",
        "\\{\\\"profilingGroupName\\\":\\\"g\\\"\\,\\\"driverEnabled\\\":true\\}",
        "\\\"{\\\"profilingGroupName\\\":\\\"g\\\",\\\"driverEnabled\\\":true}\\\"" })
    void everyQuotingGivesTheSameContext(String context) {
        Given fromEnv = on(context);
        Given fromConf = Given.conf("spark.executorEnv.ENABLE_AMAZON_PROFILER", "true",
                "spark.executorEnv.PROFILING_CONTEXT", context);
        Given chained = Given.conf("spark.plugins", "software.amazon.profiler.AmazonProfilerPlugin --conf "
                + "spark.executorEnv.ENABLE_AMAZON_PROFILER=true "
                + "--conf spark.executorEnv.PROFILING_CONTEXT=" + context);
        for (Given given : Arrays.asList(fromEnv, fromConf, chained)) {
            assertTrue(given.driver(NAMED).enabled);
            assertEquals("{group=g}", given.executor(NAMED).tags.toString());
            assertEquals(Collections.emptyList(), given.warnings);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "X --conf spark.charcloth.interval=5ms --conf spark.charcloth.output=/o --conf spark.charcloth.events=cpu,wall",
        "X  --conf  'spark.charcloth.interval=5ms' --conf \"spark.charcloth.output=/o\" "
                + "--conf=spark.charcloth.events=cpu,wall",
        "X --conf spark.charcloth.output=/o --conf spark.charcloth.events=cpu,wall --conf spark.charcloth.interval=5ms "
                + "--conf spark.plugins=other --conf nothing --conf " })
    void aChainOfConfsIsTakenApart(String chain) {
        Given given = Given.conf("spark.plugins", chain);
        Settings s = given.executor(Dialect.CHARCLOTH);
        assertEquals("event=cpu,interval=5ms,wall,maxoverhead=2", s.agentOptions);
        assertEquals("/o", s.output);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void aKeyOfItsOwnWinsOverOneInAChain() {
        Given given = Given.conf("spark.a", "x --conf spark.profiler.executor.fraction=0.5",
                "spark.profiler.driver.enabled", "true --conf spark.profiler.executor.enabled=true",
                "spark.profiler.executor.fraction", "0.3");
        assertEquals("0.3", given.executor(Dialect.SPARK_PROFILER).executors.toString());
        assertTrue(given.driver(Dialect.SPARK_PROFILER).enabled);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void eachProcessLooksWhereItsVariablesAreSet() {
        Given driverOnly = Given.conf("spark.yarn.appMasterEnv.ENABLE_AMAZON_PROFILER", "true",
                "spark.yarn.appMasterEnv.PROFILING_CONTEXT", FULL);
        assertTrue(driverOnly.driver(NAMED).enabled);
        assertFalse(driverOnly.executor(NAMED).enabled);
        Given unlike = Given.conf("spark.yarn.appMasterEnv.ENABLE_AMAZON_PROFILER", "true",
                "spark.yarn.appMasterEnv.PROFILING_CONTEXT", FULL, "spark.executorEnv.ENABLE_AMAZON_PROFILER", "true",
                "spark.executorEnv.PROFILING_CONTEXT", "{\"probability\":0.25}");
        assertEquals("0.25", unlike.driver(NAMED).executors.toString());
        assertEquals("0.25", unlike.executor(NAMED).executors.toString());
        assertTrue(unlike.driver(NAMED).enabled);
        unlike.env("PROFILING_CONTEXT", "{\"driverEnabled\":false}");
        assertFalse(unlike.driver(NAMED).enabled);
        assertEquals(Collections.emptyList(), unlike.warnings);
    }

    @Test
    void onlyTrueSwitchesItOn() {
        assertFalse(new Given().executor(NAMED).enabled);
        Given off = on(FULL).env("ENABLE_AMAZON_PROFILER", "false");
        assertFalse(off.executor(NAMED).enabled);
        assertEquals(Collections.emptyList(), off.warnings);
        Given nearly = on(FULL).env("ENABLE_AMAZON_PROFILER", "True");
        assertFalse(nearly.executor(NAMED).enabled);
        String warning = "ENABLE_AMAZON_PROFILER='True': not exactly true; use true (taken: false)";
        assertEquals(Collections.singletonList(warning), nearly.warnings);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{\"probability\":2} | PROFILING_CONTEXT.probability='2': not between 0 and 1; use e.g. 0.25 (taken: 1.0)",
        "{\"executorEnabled\":\"x\"} | PROFILING_CONTEXT.executorEnabled='x': neither true nor false; use one of them "
                + "(taken: true)",
        "{\"profilingGroupName\":\"../a\"} | PROFILING_CONTEXT.profilingGroupName='../a': not the name of a group; use "
                + "letters, digits, - and _ (taken: none)",
        "{a:1} | PROFILING_CONTEXT='{a:1}': not a JSON object: no \" at character 2; use e.g. "
                + "{\"profilingGroupName\":\"my-group\"} (taken: its defaults)",
        "`` | PROFILING_CONTEXT='': not a JSON object: it ends at character 1; use e.g. "
                + "{\"profilingGroupName\":\"my-group\"} (taken: its defaults)" })
    void aWrongContextIsOneWarningAndItsDefaults(String context, String warning) {
        Given given = on(context);
        Settings s = given.executor(NAMED);
        assertEquals(Collections.singletonList(warning), given.warnings);
        assertTrue(s.enabled);
        assertEquals("all", s.executors.toString());
        assertEquals(Collections.emptyMap(), s.tags);
        assertEquals("app-1", s.layout.folder("app-1", null));
    }

    @Test
    void hostileContextsCostOneWarning() {
        String deep = String.join("", Collections.nCopies(20_000, "{\"a\":"));
        String large = "{\"a\":\"" + new String(new char[10_000_000]).replace('\0', '\\') + "\"}";
        for (String context : Arrays.asList(deep, large, "{\"a", "'", "\"", "\\", "'''''''''")) {
            Given given = on(context);
            assertTrue(given.executor(NAMED).enabled);
            assertEquals(1, given.warnings.size());
            assertTrue(given.warnings.get(0).length() < 300, given.warnings.get(0));
        }
    }

    @Test
    void theLogHasTheLinesThatItsUsersLookFor() {
        Settings s = on(FULL).executor(NAMED);
        assertEquals(Arrays.asList("Profiling is enabled",
                "Profiling context: ProfilingContext(profilingGroupName=my-group, driverEnabled=true, "
                        + "executorEnabled=true, heapSummaryEnabled=false)",
                "Profiling is being started", "Profiling scheduled, sampling rate is PT0.01S",
                "New agent configuration received : AgentConfiguration(shouldProfile=true, periodInSeconds=10, "
                        + "agentParameters={SamplingIntervalInMilliseconds=10, ReportingIntervalInMilliseconds=10000})"),
                s.greeting());
    }

    @Test
    void whatIsSentIsLoggedBeforeAndAfterwards() {
        List<String> lines = new ArrayList<>();
        String[] status = { "samples cpu: 300\nsamples live: 7\n" };
        Shipper.Listener log = on(FULL).executor(NAMED).listener(() -> AgentStatus.parse(status[0]), lines::add);
        String instant = "\\d{4}-\\d\\d-\\d\\dT\\S+Z";
        String attempt = "Attempting to report profile data: start=" + instant + " end=" + instant
                + " force=false memoryRefresh=false numberOfTimesSampled=";
        log.sending();
        assertTrue(lines.get(0).matches(attempt + "307"), lines.get(0));
        assertEquals("[HeapSummary] Processed 7 events.", lines.get(1));
        log.sending();
        assertTrue(lines.get(2).matches(attempt + "307"), "it was not sent the first time");
        log.sent();
        assertEquals("Successfully reported profile", lines.get(4));
        status[0] = "samples cpu: 317\n";
        log.sending();
        assertTrue(lines.get(5).matches(attempt + "10"), lines.get(5));
    }

    @Test
    void withoutAnOutputOnAClusterTheDriverSaysSo() {
        Given given = on("{}");
        given.conf.put("spark.master", "yarn");
        given.executor(NAMED);
        assertEquals(Collections.emptyList(), given.warnings);
        given.driver(NAMED);
        assertEquals(Collections.singletonList("spark.charcloth.output is not set: each recording stays on the machine"
                + " of its process and goes with its container; use e.g. hdfs:///profiles"), given.warnings);
        given.warnings.clear();
        given.conf.put("spark.charcloth.output", "hdfs:///p");
        given.driver(NAMED);
        given.conf.remove("spark.charcloth.output");
        given.conf.put("spark.master", "local[2]");
        given.driver(NAMED);
        assertEquals(Collections.emptyList(), given.warnings);
    }

    @Test
    void ourKeysAboutFilesMayStandBesideIt() {
        Given given = on(FULL);
        given.conf.put("spark.charcloth.output", "hdfs:///p");
        given.conf.put("spark.charcloth.tags", "team=x");
        Settings s = given.executor(NAMED);
        assertEquals("hdfs:///p", s.output);
        assertEquals("{group=my-group, team=x}", s.tags.toString());
        assertEquals(NAMED, s.dialect);
        assertEquals(Collections.emptyList(), given.warnings);
    }
}
