package dev.charcloth.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.Supplier;

/** What Spark's own metrics say about the recording of a process. */
final class Gauges {
    private Gauges() {
    }

    static void register(MetricRegistry registry, Recording recording) {
        gauge(registry, "samples", () -> recording.status().samples);
        gauge(registry, "dropped", () -> recording.status().dropped);
        gauge(registry, "overheadPercent", () -> recording.status().overhead);
        gauge(registry, "bytesUploaded", recording::bytesShipped);
        gauge(registry, "recording", () -> recording.isOn() ? 1 : 0);
    }

    private static <T> void gauge(MetricRegistry registry, String name, Supplier<T> value) {
        registry.register("charcloth." + name, (Gauge<T>) value::get);
    }
}
