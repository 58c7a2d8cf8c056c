package dev.charcloth.uber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
    private final List<String> warnings = new ArrayList<>();

    private Arguments parse(String text) {
        return Arguments.parse(text, warnings::add);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",", ",,"})
    void nothingMeansTheDefaults(String text) {
        Arguments arguments = parse(text);
        assertFalse(arguments.toFiles());
        assertEquals(60_000, arguments.metricIntervalMs());
        assertEquals(0, arguments.sampleIntervalMs());
        assertEquals("application_[\\w_]+", arguments.appIdRegex().pattern());
        assertFalse(arguments.ioProfiling() || arguments.threadProfiling() || arguments.isNoop());
        assertNull(arguments.tag());
        assertNull(arguments.jfr());
        assertEquals(0, warnings.size());
    }

    @Test
    void noTextMeansTheDefaultsToo() {
        assertEquals(60_000, parse(null).metricIntervalMs());
    }

    @Test
    void everyArgumentIsTaken() {
        Arguments arguments = parse("reporter=com.uber.profiling.reporters.FileOutputReporter,outputDir=/tmp/x,"
                + "metricInterval=100,sampleInterval=1000,tag=a=b,cluster=c,appIdVariable=APP,appIdRegex=app-\\d+,"
                + "ioProfiling=true,threadProfiling=TRUE,jfr=x.jfr,noop=false");
        assertTrue(arguments.toFiles() && arguments.ioProfiling() && arguments.threadProfiling());
        assertEquals("/tmp/x", arguments.outputDir());
        assertEquals(100, arguments.metricIntervalMs());
        assertEquals(1000, arguments.sampleIntervalMs());
        assertEquals("a=b", arguments.tag());
        assertEquals("c", arguments.cluster());
        assertEquals("APP", arguments.appIdVariable());
        assertEquals("app-\\d+", arguments.appIdRegex().pattern());
        assertEquals("x.jfr", arguments.jfr());
        assertEquals(0, warnings.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"FileOutputReporter", "com.uber.profiling.reporters.FileOutputReporter"})
    void aReporterIsKnownByItsLastName(String name) {
        assertTrue(parse("reporter=" + name).toFiles());
        assertEquals(0, warnings.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "metricInterval=49", "metricInterval=0", "metricInterval=-1", "metricInterval=1s", "sampleInterval=49",
        "sampleInterval=-100", "sampleInterval=99999999999999999999", "ioProfiling=yes", "appIdRegex=(", "unknown=1",
        "word", "tag=", "=x", "reporter=com.uber.profiling.reporters.KafkaOutputReporter",
        "durationProfiling=a.B.c,durationProfiling=a.B.d", "argumentProfiling=a.B.c.1", "configProvider=a.Other",
        "configProvider=com.uber.profiling.YamlConfigProvider", "configFile=/there/is/none", "configFile=http://a/b",
    })
    void whatIsWrongIsOneWarningAndTheDefault(String text) {
        Arguments arguments = parse(text);
        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(warnings.get(0).contains(text.split("=")[0]), warnings.toString());
        assertFalse(warnings.get(0).contains("\n"));
        assertEquals(60_000, arguments.metricIntervalMs());
        assertEquals(0, arguments.sampleIntervalMs());
        assertFalse(arguments.toFiles() || arguments.ioProfiling());
    }

    @Test
    void theFileHasTheLastWord(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("a.yaml");
        String text = "---\n# said\nmetricInterval: 200\r\ntag: \"a # b\" # c\n'cluster': it # d\n\noutputDir: /a:b\n";
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        Arguments arguments = parse("metricInterval=100,sampleInterval=70,configFile=" + file);
        assertEquals(200, arguments.metricIntervalMs());
        assertEquals(70, arguments.sampleIntervalMs());
        assertEquals("a # b", arguments.tag());
        assertEquals("it", arguments.cluster());
        assertEquals("/a:b", arguments.outputDir());
        assertEquals(0, warnings.size(), warnings.toString());
    }

    @Test
    void whatIsNestedInTheFileIsIgnoredAndToldOnce(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("a.yaml");
        String text = "tag: a\noverride:\n  b:\n    tag: c\n- d\n";
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        assertEquals("a", parse("configProvider=com.uber.profiling.YamlConfigProvider,configFile=" + file).tag());
        assertEquals(1, warnings.size(), warnings.toString());
        assertTrue(warnings.get(0).contains("4 lines") && warnings.get(0).endsWith("the first is 2"));
    }
}
