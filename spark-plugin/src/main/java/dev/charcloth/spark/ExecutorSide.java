package dev.charcloth.spark;

import dev.charcloth.Agent;
import dev.charcloth.NativeAgent;
import dev.charcloth.Self;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugin in an executor: tells the agent about tasks, and records if the driver says so. Only reading the
 * configuration is waited for; all else is done by a thread that loads the library and asks the driver every so often.
 * Nothing is thrown into Spark. A process has one that counts: the first that is to record, until it is shut down.
 */
final class ExecutorSide implements ExecutorPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorSide.class);
    private static final long STOP_MILLIS = 10_000;
    /** Of these, until the driver has heard of it. */
    private static final long SAY_MILLIS = 1_000;
    private static final long ASK_AGAIN_MILLIS = 5_000;
    private static final int RESULT_MAX = 200;

    private static ExecutorSide here;

    private final Dialect dialect;
    private PluginContext context;
    private Settings settings;
    private Recording recording;
    private Beat beat;
    private AtExit atExit;
    private String executor;
    private volatile boolean spans;
    /** The driver's last word, and whether it was followed. */
    private long turn = -1;
    private boolean tried;
    private boolean complained;
    private boolean done;

    /** @param plugin the class that the job names */
    ExecutorSide(Class<?> plugin) {
        this.dialect = Dialect.of(plugin);
    }

    private static synchronized boolean enter(ExecutorSide side) {
        if (here == null) {
            here = side;
        }
        return here == side;
    }

    private static synchronized void leave(ExecutorSide side) {
        if (here == side) {
            here = null;
        }
    }

    @Override
    public void init(PluginContext ctx, Map<String, String> extraConf) {
        try {
            long begun = System.nanoTime();
            begin(ctx);
            LOG.info("Charcloth is ready in executor {} after {} ms", executor,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Charcloth stays out of executor {}: {}", ctx.executorID(), e.toString(), e);
        }
    }

    private void begin(PluginContext ctx) {
        context = ctx;
        executor = ctx.executorID();
        // The driver has warned about what is in the configuration; an environment may be the executor's alone.
        settings = Settings.of(Who.map(ctx.conf()), System.getenv(), false, dialect,
                dialect == Dialect.CODEGURU ? LOG::warn : LOG::debug);
        boolean shared = DriverSide.recordsHere();
        boolean needed = shared || settings.enabled;
        spans = needed && enter(this);
        if (!spans || shared) {
            return;
        }
        recording = new Recording("executor " + executor, settings,
                new Hadoop(() -> SparkHadoopUtil.get().newConfiguration(ctx.conf())));
        Gauges.register(ctx.metricRegistry(), recording);
        beat = new Beat("charcloth-executor", () -> NativeAgent.load(LOG::warn), this::askDriver);
        beat.start();
        atExit = new AtExit("charcloth-executor-end", this::shutdown);
        atExit.add();
    }

    /** Says how it goes and does as it is told; returns when to ask again. */
    private long askDriver() {
        Object answer;
        recording.tend();
        try {
            answer = context.ask(report());
        } catch (Exception e) {
            // It is about to end, or too busy: what is being recorded goes on.
            if (turn < 0 && !complained) {
                complained = true;
                LOG.warn("Executor {} does not record before the driver answers, and it did not: {}", executor,
                        e.toString());
            }
            return ASK_AGAIN_MILLIS;
        }
        if (!(answer instanceof Map)) {
            return ASK_AGAIN_MILLIS;
        }
        Map<?, ?> todo = (Map<?, ?>) answer;
        if (todo.containsKey(Fleet.TURN)) {
            follow(todo);
        }
        return Long.parseLong(word(todo, Fleet.WAIT));
    }

    /** Within a turn, too, an executor may be chosen later than at its start, to keep the share. */
    private void follow(Map<?, ?> todo) {
        long newTurn = Long.parseLong(word(todo, Fleet.TURN));
        if (newTurn != turn) {
            recording.stop();
            turn = newTurn;
            tried = false;
        }
        if (Boolean.parseBoolean(word(todo, Fleet.ON)) && !tried) {
            tried = true;
            Who who = Who.executor(word(todo, Fleet.APP), word(todo, Fleet.ATTEMPT), executor);
            recording.start(who, word(todo, Fleet.OPTIONS));
        }
    }

    private static String word(Map<?, ?> answer, String name) {
        return String.valueOf(answer.get(name));
    }

    private Map<String, String> report() {
        AgentStatus status = recording.status();
        Map<String, String> said = new HashMap<>();
        said.put(Fleet.ID, executor);
        // Not the context's: in an executor it fails, as there is no server there that has an address.
        said.put(Fleet.HOST, Self.host());
        said.put(Fleet.SHARE, settings.executors.toString());
        said.put(Fleet.ON, Boolean.toString(recording.isOn()));
        said.put(Fleet.SAMPLES, Long.toString(status.samples));
        said.put(Fleet.DROPPED, Long.toString(status.dropped));
        said.put(Fleet.OVERHEAD, status.overheadText());
        said.put(Fleet.BYTES, Long.toString(recording.bytesShipped()));
        String trouble = recording.trouble();
        if (trouble != null) {
            said.put(Fleet.TROUBLE, trouble);
        }
        return said;
    }

    /** By Spark or when the JVM ends: who comes second waits for the first, and has nothing left to do. */
    @Override
    public synchronized void shutdown() {
        spans = false;
        leave(this);
        if (done || atExit == null) {
            return;
        }
        done = true;
        try {
            Deadline deadline = Deadline.in(STOP_MILLIS - SAY_MILLIS);
            beat.end(deadline.left() / 10);
            recording.close(deadline);
            sayDone();
            atExit.remove();
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("The recording of executor {} could not be ended: {}", executor, e.toString());
        }
    }

    /** The driver waits for that. In a thread, as a driver that hangs would be waited for as long as Spark asks. */
    private void sayDone() {
        Map<String, String> said = new HashMap<>();
        said.put(Fleet.ID, executor);
        said.put(Fleet.DONE, "true");
        Thread thread = Threads.daemon("charcloth-done", () -> tellDriver(said), this::notTold);
        thread.start();
        Threads.join(thread, SAY_MILLIS);
    }

    private void tellDriver(Map<String, String> said) {
        try {
            context.ask(said);
        } catch (Exception e) {
            notTold(e);
        }
    }

    private void notTold(Throwable e) {
        LOG.debug("The driver is gone before executor {}: {}", executor, e.toString());
    }

    /** The first task waits for the library if that is still being loaded; none waits afterwards. */
    @Override
    public void onTaskStart() {
        TaskContext t = spans && NativeAgent.load(LOG::warn) ? TaskContext.get() : null;
        if (t == null) {
            return;
        }
        Agent.taskStart(t.taskAttemptId(), t.stageId(), t.stageAttemptNumber(), t.partitionId(), t.attemptNumber(),
                number(t.getLocalProperty("spark.sql.execution.id")), executor, t.getLocalProperty("spark.jobGroup.id"),
                t.getLocalProperty("spark.job.description"));
    }

    @Override
    public void onTaskSucceeded() {
        Agent.taskEnd("succeeded");
    }

    /** The task's context is gone by now; one that was killed before it ran has not begun here. */
    @Override
    public void onTaskFailed(TaskFailedReason reason) {
        Agent.taskEnd(reason instanceof TaskKilled ? "killed" : "failed: " + firstLine(reason.toErrorString()));
    }

    private static String firstLine(String text) {
        String line = text.split("\n", 2)[0];
        return line.length() > RESULT_MAX ? line.substring(0, RESULT_MAX) : line;
    }

    private static long number(String text) {
        try {
            return text == null ? -1 : Long.parseLong(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
