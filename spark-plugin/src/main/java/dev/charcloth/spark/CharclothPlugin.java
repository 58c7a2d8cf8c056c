package dev.charcloth.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/** What {@code spark.plugins} names. The classes with others' names extend it and say nothing more. */
public class CharclothPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new DriverSide(getClass());
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorSide(getClass());
    }
}
