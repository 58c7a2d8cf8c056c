package dev.charcloth.spark;

import dev.charcloth.Agent;
import dev.charcloth.CommandText;
import dev.charcloth.NativeAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import org.apache.hadoop.fs.permission.FsPermission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recording of this process: the native agent writes segments into a private folder, a {@link Shipper} brings them
 * to the output. Without an output the agent writes the one file that stays. May be started again after it was
 * stopped. Nothing is thrown; any thread may call.
 */
final class Recording {
    private static final Logger LOG = LoggerFactory.getLogger(Recording.class);
    private static final long LOCAL_BYTES_MAX = 512L << 20;
    private static final long STATUS_MILLIS = 1000;
    /** Told to who would stop it from outside, and expected of who may. */
    static final String OWNER = ",owner=the Spark plugin (Charcloth.stop ends it)";

    private final String name;
    private final Settings settings;
    private final Hadoop hadoop;
    private final Shippers shippers;
    private Who who;
    private boolean on;
    private boolean closed;
    /** Why the last one ended, though nobody stopped it; null if it did not. */
    private String ended;
    private AgentStatus status = AgentStatus.NONE;
    private long statusMillis;

    /** @param name what the log calls this process */
    Recording(String name, Settings settings, Hadoop hadoop) {
        this.name = name;
        this.settings = settings;
        this.hadoop = hadoop;
        this.shippers = new Shippers(name, LOG);
    }

    synchronized boolean isOn() {
        return on;
    }

    /**
     * @param who     where the recording goes to, and its labels
     * @param options in the place of those of the settings; empty: those
     */
    synchronized void start(Who who, String options) {
        if (on || closed || !NativeAgent.load(LOG::warn)) {
            return;
        }
        this.who = who;
        ended = null;
        statusMillis = 0;
        settings.greeting().forEach(LOG::info);
        try {
            on = settings.output == null ? startLocal(options) : startShipping(options);
        } catch (OutOfMemoryError e) {
            LOG.warn("No recording of {}: {}", this, e.toString());
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.warn("No recording of {}: {}{}", this, e.toString(), anotherFolder());
        }
    }

    /** Ends it. What is left to be brought out goes on its way; {@link #await} and {@link #close} wait for it. */
    synchronized void stop() {
        if (!on) {
            return;
        }
        on = false;
        ended = AgentStatus.parse(Agent.execute("status")).ended;
        String said = Agent.execute("stop" + OWNER);
        if (ended == null && said.startsWith("error")) {
            ended = firstLine(said);
        }
        if (ended != null) {
            LOG.warn("The recording of {} has ended early: {}{}", this, ended, remedy(ended));
        }
        status = AgentStatus.parse(said);
        shippers.complete();
    }

    /** Waits until all that was recorded is out, at most so long. What takes longer goes on. */
    void await(Deadline deadline) {
        shippers.await(deadline);
    }

    /** Ends it for good: what is not out by then is given up. */
    void close(Deadline deadline) {
        synchronized (this) {
            closed = true;
            stop();
        }
        // Not under our lock, which a shipper takes for each segment.
        shippers.close(deadline);
    }

    /** To be called about once a second: what ends by itself is to be told, and brought out, at once. */
    void tend() {
        synchronized (this) {
            if (on && status().ended != null) {
                stop();
            }
        }
        shippers.tend();
    }

    /** Asked of the agent once a second at most. */
    synchronized AgentStatus status() {
        long now = System.currentTimeMillis();
        if (on && now - statusMillis >= STATUS_MILLIS) {
            status = AgentStatus.parse(Agent.execute("status"));
            statusMillis = now;
        }
        return status;
    }

    long bytesShipped() {
        return shippers.bytesShipped();
    }

    /** What has ended the recording or keeps it from the output; null: nothing. */
    synchronized String trouble() {
        return ended != null ? ended : shippers.trouble();
    }

    @Override
    public String toString() {
        return name;
    }

    private String folderName() {
        return settings.layout.folder(who.app, who.attempt);
    }

    private String stem() {
        return settings.layout.stem(who.driver, who.executor);
    }

    /** The file has its last name from the start; one that is there already is left alone. */
    private boolean startLocal(String options) throws IOException {
        Path folder = Paths.get(settings.localDir).toAbsolutePath().resolve(folderName());
        Files.createDirectories(folder);
        int n = 0;
        while (Files.exists(folder.resolve(Layout.file(stem(), n)))) {
            n++;
        }
        String name = Layout.file(stem(), n);
        if (!startAgent(options, "", folder, name)) {
            return false;
        }
        LOG.info("Charcloth records {} to {}", this, folder.resolve(name));
        return true;
    }

    private boolean startShipping(String options) throws IOException {
        Sink sink = sink();
        if (sink == null) {
            return false;
        }
        Path local = Paths.get(settings.localDir).toAbsolutePath();
        Files.createDirectories(local);
        Path folder = Files.createTempDirectory(local, "charcloth-");
        String loop = settings.flushMillis == 0 ? "" : ",loop=" + settings.flushMillis + "ms";
        if (!startAgent(options, loop, folder, "%n.jfr")) {
            discard(folder);
            return false;
        }
        Segments segments = new Segments(folder, LOCAL_BYTES_MAX, settings.keepLocal);
        try {
            Shipper.Listener listener = settings.listener(this::status, LOG::info);
            shippers.start(new Shipper(segments, sink, settings.outputTold, LOG, listener));
        } catch (RuntimeException | Error e) {
            // Without its thread nobody would take away what the agent writes.
            Agent.execute("stop" + OWNER);
            discard(folder);
            throw e;
        }
        LOG.info("Charcloth records {} to {}", this, sink.where());
        return true;
    }

    /** A folder of a recording that did not come about. */
    private static void discard(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve("0.jfr"));
        Files.deleteIfExists(folder);
    }

    /** Null, with a warning, for an output that can be none. */
    private Sink sink() {
        try {
            return new HadoopSink(hadoop, new org.apache.hadoop.fs.Path(settings.output, folderName()), stem(),
                    mode(settings.layout.folderMode), mode(settings.layout.fileMode), settings.outputMustExist);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("No recording of {}: {}: {}; use e.g. hdfs:///profiles", this, settings.outputTold, e.toString());
            return null;
        }
    }

    /** Options that the agent refuses cost a warning, and the default is taken, as with all that is configured. */
    private boolean startAgent(String options, String loop, Path folder, String name) {
        String wanted = options.isEmpty() ? settings.agentOptions : options;
        String rest = loop + OWNER + ",labels=" + labels() + ",file=" + CommandText.file(folder, name);
        String refusal = refusal(wanted + rest);
        if (refusal == null) {
            return true;
        }
        if (wanted.equals(settings.defaultOptions) || refusal(settings.defaultOptions + rest) != null) {
            LOG.warn("No recording of {}: {}", this, refusal);
            return false;
        }
        String told = options.isEmpty() ? settings.optionsTold : Conf.told(Charcloth.START, options);
        LOG.warn("{}: the agent of {} refuses: {}; leave it out (taken: {})", told, this, refusal,
                settings.defaultOptions);
        return true;
    }

    /** Why the agent does not start so; null if it does. */
    private static String refusal(String options) {
        String said = Agent.execute("start," + options);
        return said.startsWith("error") ? firstLine(said) : null;
    }

    private String labels() {
        Map<String, String> labels = who.labels();
        settings.tags.forEach(labels::putIfAbsent);
        return CommandText.labels(labels, LOG::warn);
    }

    private String remedy(String ended) {
        switch (ended) {
            case AgentStatus.TIME_OVER:
                return "; leave duration and timeout out of its options";
            case AgentStatus.STOPPED:
                return "";
            default:
                return anotherFolder();
        }
    }

    private String anotherFolder() {
        return "; set " + Key.LOCAL_DIR + " to another folder (now " + settings.localDirTold + ")";
    }

    private static FsPermission mode(String octal) {
        return octal == null ? null : new FsPermission(octal);
    }

    private static String firstLine(String said) {
        return said.split("\n", 2)[0].replaceFirst("^error: ", "");
    }
}
