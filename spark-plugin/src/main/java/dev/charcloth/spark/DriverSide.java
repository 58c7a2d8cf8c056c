package dev.charcloth.spark;

import dev.charcloth.Agent;
import dev.charcloth.NativeAgent;
import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The plugin in the driver: records it if that is wanted, answers executors, and puts how all of them are into the
 * agent's status. It does so although nobody is to record as far as the driver knows: executors may know more. A
 * process has one that counts: the first that is not switched off, until it is shut down.
 */
final class DriverSide implements DriverPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(DriverSide.class);
    private static final long STOP_MILLIS = 10_000;
    private static final long TURN_MILLIS = 1_000;

    private static DriverSide here;

    private final String name;
    private final Dialect dialect;
    /** Held where a recording is begun or ended, so that the last word holds. */
    private final Object commands = new Object();
    private SparkContext spark;
    private Settings settings;
    private Fleet fleet;
    private Who who;
    private Recording recording;
    private Beat beat;
    private AtExit atExit;
    private boolean done;
    private boolean commanded;
    private String told = "";

    /** @param plugin the class that the job names */
    DriverSide(Class<?> plugin) {
        this.name = plugin.getName();
        this.dialect = Dialect.of(plugin);
    }

    /** The driver that counts in this process, null if there is none. */
    static synchronized DriverSide here() {
        return here;
    }

    /** Whether the driver in this process records: then an executor in it need not. */
    static boolean recordsHere() {
        DriverSide side = here();
        return side != null && !side.isOff() && side.settings.driverRecords;
    }

    /** Takes the place of none, or of one that is off; returns that which was there. */
    private static synchronized DriverSide enter(DriverSide side) {
        DriverSide before = here;
        if (before == null || before.isOff()) {
            here = side;
        }
        return before;
    }

    private static synchronized void leave(DriverSide side) {
        if (here == side) {
            here = null;
        }
    }

    /** Whether the configuration forbids all recording, or could not be read. */
    boolean isOff() {
        return settings == null || settings.off;
    }

    /** Whether this one has something to do. */
    private boolean isActive() {
        return here() == this && !isOff();
    }

    @Override
    public Map<String, String> init(SparkContext sc, PluginContext ctx) {
        try {
            DriverSide before = enter(this);
            if (before != null) {
                LOG.warn("spark.plugins names {} and {}: both are Charcloth, {} is taken; remove the other", before.name,
                        name, here().name);
            }
            if (here() != this) {
                return Collections.emptyMap();
            }
            spark = sc;
            settings = Settings.of(Who.map(ctx.conf()), System.getenv(), true, dialect, LOG::warn);
            fleet = new Fleet(settings.seed, settings.autoStart);
            if (isActive()) {
                sc.addSparkListener(new SparkListener() {
                    @Override
                    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                        fleet.removed(removed.executorId());
                    }
                });
            }
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Charcloth stays out of the driver: {}", e.toString(), e);
        }
        return Collections.emptyMap();
    }

    /** The application has its id by now, which {@link #init} is too early for. */
    @Override
    public void registerMetrics(String appId, PluginContext ctx) {
        try {
            if (!isActive()) {
                return;
            }
            Option<String> attempt = spark.applicationAttemptId();
            who = Who.driver(appId, attempt.isDefined() ? attempt.get() : "");
            fleet.name(who);
            recording = new Recording("the driver", settings, new Hadoop(spark::hadoopConfiguration));
            Gauges.register(ctx.metricRegistry(), recording);
            beat = new Beat("charcloth-driver", this::begin, this::turn);
            beat.start();
            atExit = new AtExit("charcloth-driver-end", this::shutdown);
            atExit.add();
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Charcloth stays out of the driver: {}", e.toString(), e);
        }
    }

    /** What a user has said meanwhile holds. */
    private boolean begin() {
        synchronized (commands) {
            if (settings.driverRecords && settings.autoStart && !commanded) {
                recording.start(who, "");
            }
        }
        return true;
    }

    private long turn() {
        String text = where() + fleet.text();
        // Where nobody records, there is no need for the agent.
        boolean needed = settings.driverRecords || !fleet.isEmpty();
        if (needed && !text.equals(told) && NativeAgent.load(LOG::warn)) {
            Agent.tell(text);
            told = text;
        }
        recording.tend();
        fleet.tend();
        return TURN_MILLIS;
    }

    @Override
    public Object receive(Object message) {
        try {
            return isActive() && message instanceof Map ? fleet.receive((Map<?, ?>) message) : Fleet.off();
        } catch (RuntimeException e) {
            LOG.warn("A message of an executor was not understood: {}", e.toString());
            return null;
        }
    }

    /** All that are to record begin anew, with these options or those of the settings. */
    void start(String options) {
        Conf said = Conf.plain(Collections.singletonMap(Charcloth.START, options), LOG::warn);
        String taken = AgentOptions.read(said, Charcloth.START, null);
        synchronized (commands) {
            commanded = true;
            fleet.command(true, taken);
            if (settings.driverRecords && recording != null) {
                recording.stop();
                recording.start(who, taken);
            }
        }
    }

    void stop() {
        synchronized (commands) {
            commanded = true;
            fleet.command(false, "");
            if (recording != null) {
                recording.stop();
            }
        }
        if (recording != null) {
            recording.await(Deadline.in(STOP_MILLIS));
        }
    }

    String status() {
        String own = recording != null && recording.isOn() ? "recording, samples " + recording.status().samples
                : "not recording";
        return "driver: " + own + "\n" + where() + fleet.text();
    }

    /** The recordings that one sees in this process are private pieces. */
    private String where() {
        return settings.output == null || who == null ? ""
                : "output: " + settings.output + "/" + settings.layout.folder(who.app, who.attempt) + "\n";
    }

    /** By Spark or when the JVM ends: who comes second waits for the first, and has nothing left to do. */
    @Override
    public synchronized void shutdown() {
        try {
            if (!done && atExit != null) {
                done = true;
                end();
            }
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("The recording of the driver could not be ended: {}", e.toString());
        } finally {
            // Not before: executors still have to say that they are done.
            leave(this);
        }
    }

    private void end() {
        Deadline deadline = Deadline.in(STOP_MILLIS);
        beat.end(deadline.left() / 10);
        recording.close(deadline);
        // Executors have been told to end by now. A cluster manager kills them soon after the driver is gone.
        fleet.awaitDone(deadline);
        atExit.remove();
    }
}
