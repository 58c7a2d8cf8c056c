package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DialectTest {
    /** By name, as Spark makes them. */
    @ParameterizedTest
    @CsvSource({ "dev.charcloth.spark.CharclothPlugin, CHARCLOTH",
        "org.apache.spark.executor.ExecutorProfilerPlugin, SPARK_PROFILER",
        "org.apache.spark.executor.profiler.ExecutorProfilerPlugin, SPARK_PROFILER",
        "org.apache.spark.profiler.ProfilerPlugin, SPARK_PROFILER",
        "software.amazon.profiler.AmazonProfilerPlugin, CODEGURU" })
    void everyPluginClassSpeaksItsDialect(String name, Dialect dialect) throws Exception {
        CharclothPlugin plugin = (CharclothPlugin) Class.forName(name).getConstructor().newInstance();
        assertEquals(dialect, Dialect.of(plugin.getClass()));
    }
}
