package dev.charcloth.spark;

import org.apache.spark.SparkContext;

/**
 * Recording switched on and off while an application runs. Where the configuration has switched the plugin off, nothing
 * happens; without the plugin, and after the application has ended, an {@link IllegalStateException} says so. Nothing
 * else is thrown: options that are wrong cost a warning in the log. From Python:
 * {@code sc._jvm.dev.charcloth.spark.Charcloth.start(sc._jsc.sc(), "")}.
 */
public final class Charcloth {
    /** What warnings about the options call them. */
    static final String START = "Charcloth.start";

    private Charcloth() {
    }

    /**
     * The driver and all executors that the configuration names begin a recording, those that record already a new one.
     *
     * @param options of the agent, such as {@code event=wall,interval=20ms}; null or empty: those of the configuration
     */
    public static void start(SparkContext sc, String options) {
        DriverSide driver = driver(sc);
        if (!driver.isOff()) {
            driver.start(options);
        }
    }

    /** All recordings end; what was recorded goes to the output. */
    public static void stop(SparkContext sc) {
        DriverSide driver = driver(sc);
        if (!driver.isOff()) {
            driver.stop();
        }
    }

    /** Who records, in lines. */
    public static String status(SparkContext sc) {
        DriverSide driver = driver(sc);
        return driver.isOff() ? "switched off by the configuration\n" : driver.status();
    }

    private static DriverSide driver(SparkContext sc) {
        DriverSide driver = DriverSide.here();
        if (sc == null || driver == null) {
            throw new IllegalStateException("Charcloth is not in this application, or it has ended; start it"
                    + " with --conf spark.plugins=" + CharclothPlugin.class.getName());
        }
        return driver;
    }
}
