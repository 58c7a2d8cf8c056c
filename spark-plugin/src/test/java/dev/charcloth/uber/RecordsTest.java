package dev.charcloth.uber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordsTest {
    private static final Pattern APP = Pattern.compile("application_[\\w_]+");
    private static final List<String> COMMON = Arrays.asList("name", "host", "processUuid", "appId", "tag");

    private final Identity identity = Identity.of(Arguments.parse("tag=t", text -> { }));
    private final List<Map<String, Object>> records = new ArrayList<>();

    private Map<String, Object> only(Profiler profiler, String name) {
        profiler.report((kind, record) -> {
            assertEquals(name, kind);
            records.add(record);
        });
        assertEquals(1, records.size());
        assertTrue(records.get(0).keySet().containsAll(COMMON), records.get(0).toString());
        return records.get(0);
    }

    private static StackTraceElement frame(String method, int line) {
        return new StackTraceElement("a.B", method, "B.java", line);
    }

    @ParameterizedTest
    @CsvSource({
        "org.apache.spark.executor.CoarseGrainedExecutorBackend --driver-url x, executor",
        "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend --app-id x, executor",
        "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend, executor",
        "org.apache.spark.deploy.SparkSubmit --class a.B app.jar, driver",
        "org.apache.spark.deploy.SparkSubmit --deploy-mode client app.jar, driver",
        "org.apache.spark.deploy.SparkSubmit --deploy-mode cluster app.jar,",
        "org.apache.spark.deploy.SparkSubmit --conf spark.submit.deployMode=cluster app.jar,",
        "org.apache.spark.deploy.yarn.ApplicationMaster --class a.B, driver",
        "org.apache.spark.deploy.yarn.ExecutorLauncher --arg x,",
        "app.jar org.apache.spark.deploy.SparkSubmit,",
        "'',",
    })
    void theMainClassIsTheRole(String command, String role) {
        assertEquals(role, Role.of(command));
    }

    @Test
    void theApplicationIsWhatIsStatedElseWhatIsFound() {
        List<String> texts = Arrays.asList("Main --app-id app-7", "-Dx=/a/application_1_2/b", "/application_3_4/c.jar");
        assertEquals("env", Identity.appId("env", "property", APP, texts));
        assertEquals("property", Identity.appId("", "property", APP, texts));
        assertEquals("application_1_2", Identity.appId(null, null, APP, texts));
        assertEquals("app-7", Identity.appId(null, null, Pattern.compile("none"), texts));
        assertEquals("app-7", Identity.appId(null, null, Pattern.compile("x*"), Arrays.asList("Main --app-id app-7")));
        assertNull(Identity.appId(null, null, APP, Arrays.asList("Main --app-id")));
    }

    @Test
    void equalStacksAreCountedTogetherWithoutTheirLines() {
        Stacktraces stacks = new Stacktraces(identity);
        stacks.add("t", Thread.State.RUNNABLE, new StackTraceElement[] {frame("leaf", 1), frame("root", 2)});
        stacks.add("t", Thread.State.RUNNABLE, new StackTraceElement[] {frame("leaf", 3), frame("root", 2)});
        stacks.add("t", Thread.State.WAITING, new StackTraceElement[] {frame("leaf", 3), frame("root", 2)});
        stacks.add("u", Thread.State.RUNNABLE, new StackTraceElement[0]);
        List<Map<String, Object>> first = stacks.drain(Long.MAX_VALUE);
        assertEquals(3, first.size());
        assertEquals(2L, first.get(0).get("count"));
        assertEquals(Arrays.asList("a.B.leaf", "a.B.root"), first.get(0).get("stacktrace"));
        assertEquals("RUNNABLE", first.get(0).get("threadState"));
        assertEquals("u", first.get(2).get("threadName"));
        assertEquals(Collections.emptyList(), first.get(2).get("stacktrace"));
        assertTrue(first.get(0).keySet().containsAll(COMMON));
    }

    @Test
    void anIntervalBeginsWhereTheLastEnded() {
        Stacktraces stacks = new Stacktraces(identity);
        assertEquals(0, stacks.drain(1000).size());
        stacks.add("t", Thread.State.NEW, new StackTraceElement[0]);
        Map<String, Object> record = stacks.drain(2000).get(0);
        assertEquals(1000L, record.get("startEpoch"));
        assertEquals(2000L, record.get("endEpoch"));
        assertEquals(0, stacks.drain(3000).size());
    }

    @Test
    void aSampleHasThisThreadInThisMethod() {
        Stacktraces stacks = new Stacktraces(identity);
        stacks.sample((kind, record) -> records.add(record));
        assertEquals(0, records.size());
        String here = RecordsTest.class.getName() + ".aSampleHasThisThreadInThisMethod";
        long found = stacks.drain(1).stream()
                .filter(record -> ((List<?>) record.get("stacktrace")).contains(here)).count();
        assertEquals(1, found);
    }

    @Test
    void aLongStackKeepsItsRoot() {
        StackTraceElement[] stack = {frame("c", 1), frame("b", 1), frame("a", 1)};
        assertEquals(Arrays.asList("_stack_._trimmed_", "a.B.b", "a.B.a"), Stacktraces.frames(stack, 6));
        assertEquals(Arrays.asList("a.B.c", "a.B.b", "a.B.a"), Stacktraces.frames(stack, 100));
    }

    @Test
    void aProcessThatFitsIsOneRecord() {
        Map<String, Object> head = Collections.singletonMap("h", 1);
        List<Map<String, Object>> all = ProcessInfo.fragments(head, ProcessInfo.texts("aa", "bb", ""), 4);
        assertEquals(1, all.size());
        assertEquals("bb", all.get(0).get("jvmClassPath"));
        assertFalse(all.get(0).containsKey("fragmentSeq"));
    }

    @Test
    void aProcessThatDoesNotFitIsNumberedPieces() {
        Map<String, Object> head = Collections.singletonMap("h", 1);
        List<Map<String, Object>> all = ProcessInfo.fragments(head, ProcessInfo.texts("aa", "bbbbb", ""), 4);
        assertEquals(3, all.size());
        String path = "";
        for (int i = 0; i < all.size(); i++) {
            assertEquals(1, all.get(i).get("h"));
            assertEquals(i, all.get(i).get("fragmentSeq"));
            assertEquals(3, all.get(i).get("fragmentCount"));
            assertEquals("", all.get(i).get("cmdline"));
            path += all.get(i).get("jvmClassPath");
        }
        assertEquals("bbbbb", path);
        assertEquals("aa", all.get(0).get("jvmInputArguments"));
        assertEquals("", all.get(1).get("jvmInputArguments"));
    }

    @Test
    void theLargestHeapIsTheLastOneGiven() {
        assertEquals(1L << 30, ProcessInfo.xmxBytes(Arrays.asList("-Xmx7m", "-Xss1m", "-Xmx1G")));
        assertEquals(4096L, ProcessInfo.xmxBytes(Arrays.asList("-Xmx4096")));
        assertNull(ProcessInfo.xmxBytes(Arrays.asList("-Xms1g", "-Dx=-Xmx1g")));
    }

    @Test
    void thisProcessIsDescribed() {
        Map<String, Object> record = only(new ProcessInfo(identity), "ProcessInfo");
        assertTrue(record.keySet().containsAll(Arrays.asList("epochMillis", "agentVersion", "appJar", "appClass",
                "jvmInputArguments", "jvmClassPath", "cmdline")));
    }

    @Test
    void anUnknownLoadIsNoNumber() {
        assertEquals(0.25, CpuAndMemory.load(0.25));
        assertEquals(0.0, CpuAndMemory.load(0.0));
        assertTrue(Double.isNaN(CpuAndMemory.load(-1)));
        assertTrue(Double.isNaN(CpuAndMemory.load(Double.NaN)));
    }

    @Test
    void thisProcessUsesCpuAndMemory() {
        Map<String, Object> record = only(new CpuAndMemory(identity), "CpuAndMemory");
        assertTrue((Long) record.get("processCpuTime") > 0);
        assertTrue((Double) record.get("heapMemoryCommitted") > 0);
        assertEquals(new HashSet<>(Arrays.asList("name", "type", "usageUsed", "usageCommitted", "usageMax",
                "peakUsageUsed", "peakUsageCommitted", "peakUsageMax")), first(record, "memoryPools").keySet());
        assertEquals(new HashSet<>(Arrays.asList("name", "collectionCount", "collectionTime")),
                first(record, "gc").keySet());
        assertEquals(new HashSet<>(Arrays.asList("name", "count", "memoryUsed", "totalCapacity")),
                first(record, "bufferPools").keySet());
    }

    private static Map<?, ?> first(Map<String, Object> record, String field) {
        return (Map<?, ?>) ((List<?>) record.get(field)).get(0);
    }

    @Test
    void theStatusFileIsInKilobytes() {
        Map<String, Object> record = new HashMap<>();
        CpuAndMemory.putStatus(record,
                Arrays.asList("Name:\tjava", "VmPeak:\t    20 kB", "VmRSS:\t   3 kB", "Threads:\t2"));
        assertEquals(20480L, record.get("vmPeak"));
        assertEquals(3072L, record.get("vmRSS"));
        assertEquals(2, record.size());
    }

    @Test
    void filesOfProcBecomeIo() {
        List<String> stat = Arrays.asList("cpu  1 2 3 4 5 6 7", "cpu0 1 2 3 4 50", "cpu1 1 2", "intr 1 2 3 4 5 6");
        Map<String, Object> record = InputOutput.of(new HashMap<>(), Arrays.asList("rchar: 7", "write_bytes: 8"), stat);
        assertEquals("{\"self\":{\"io\":{\"rchar\":7,\"wchar\":null,\"read_bytes\":null,\"write_bytes\":8}}}",
                Json.of(Collections.singletonMap("self", record.get("self"))));
        List<?> processors = (List<?>) record.get("stat");
        assertEquals(2, processors.size());
        assertEquals("{cpu=cpu0, user=1, nice=2, system=3, idle=4, iowait=50}", processors.get(1).toString());
    }

    @Test
    void newThreadsAreThoseSinceTheLastRecord() throws InterruptedException {
        ThreadCounts counts = new ThreadCounts(identity);
        Map<String, Object> before = only(counts, "ThreadInfo");
        assertEquals(before.get("totalStartedThreadCount"), before.get("newThreadCount"));
        Thread thread = new Thread(() -> { });
        thread.start();
        thread.join();
        records.clear();
        Map<String, Object> after = only(counts, "ThreadInfo");
        assertTrue((Long) after.get("newThreadCount") >= 1);
        assertEquals(after.get("totalStartedThreadCount"),
                (Long) before.get("totalStartedThreadCount") + (Long) after.get("newThreadCount"));
    }

    @Test
    void theRecordingBearsWhatTheRecordsBear() {
        Map<String, Object> record = new HashMap<>();
        record.put("appId", null);
        assertEquals("start,event=cpu,file=a.jfr", Recording.command("a.jfr", record, line -> { }));
        record.put("appId", "app-1");
        record.put("tag", "a b,c;d=%\u00fc");
        assertEquals("start,event=cpu,file=a.jfr,labels=app=app-1;tag=a b%2Cc%3Bd%3D%25\u00fc;",
                Recording.command("a.jfr", record, line -> { }));
    }

    @Test
    void onlyFilesHaveARecordingUnlessItIsAskedFor() {
        assertNull(Recording.file(null, null, "u"));
        assertNull(Recording.file("off", Paths.get("d"), "u"));
        assertEquals("x", Recording.file("x", Paths.get("d"), "u"));
        assertEquals("d/u.jfr", Recording.file(null, Paths.get("d"), "u"));
        assertEquals("50%%p/u.jfr", Recording.file(null, Paths.get("50%p"), "u"));
    }
}
