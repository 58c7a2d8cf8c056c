package dev.charcloth.spark;

import org.apache.spark.SparkContext;

/**
 * Recording switched on and off while an application runs. Where the configuration has switched the plugin off, nothing
 * happens; without the plugin an {@link IllegalStateException} says so. From Python:
 * {@code sc._jvm.dev.charcloth.spark.Charcloth.start(sc._jsc.sc(), "")}.
 */
public final class Charcloth {
    private Charcloth() {
    }

    /**
     * The driver and all executors that the configuration names begin a recording, those that record already a new one.
     *
     * @param options of the agent, such as {@code event=wall,interval=20ms}; null or empty: those of the configuration
     */
    public static void start(SparkContext sc, String options) {
        if (isOn(sc)) {
            DriverSide.active().start(options);
        }
    }

    /** All recordings end; what was recorded goes to the output. */
    public static void stop(SparkContext sc) {
        if (isOn(sc)) {
            DriverSide.active().stop();
        }
    }

    /** Who records, in lines. */
    public static String status(SparkContext sc) {
        return isOn(sc) ? DriverSide.active().status() : "switched off by the configuration\n";
    }

    private static boolean isOn(SparkContext sc) {
        boolean on = sc != null && DriverSide.active() != null;
        if (!on && !DriverSide.isOff()) {
            throw new IllegalStateException("Charcloth is not in this application; start it with"
                    + " --conf spark.plugins=" + CharclothPlugin.class.getName());
        }
        return on;
    }
}
