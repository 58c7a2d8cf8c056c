package dev.charcloth.uber;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * {@code -javaagent:charcloth-spark.jar=…} as a substitute for Uber's JVM profiler: the same arguments and records, and
 * a recording beside them. Whatever happens here, the JVM starts; what is wrong is a line on standard error.
 */
public final class UberAgent {
    private static final AtomicBoolean STARTED = new AtomicBoolean();
    private static final Consumer<String> WARN = text -> System.err.println("[charcloth] " + text);

    private UberAgent() {
    }

    /** Called by the JVM before the program. */
    public static void premain(String arguments) {
        try {
            if (STARTED.compareAndSet(false, true)) {
                start(Arguments.parse(arguments, WARN));
            } else {
                WARN.accept("the records are being written already: this second start is ignored");
            }
        } catch (RuntimeException | LinkageError | IOException e) {
            WARN.accept("nothing is recorded: " + e);
        }
    }

    /** Called by the JVM when the jar is loaded into a running program. */
    public static void agentmain(String arguments) {
        premain(arguments);
    }

    private static void start(Arguments arguments) throws IOException {
        if (arguments.isNoop()) {
            return;
        }
        Identity identity = Identity.of(arguments);
        Path folder = arguments.toFiles() ? folder(arguments.outputDir()) : null;
        Recording.start(arguments, folder, identity, WARN);
        startRecords(arguments, identity, folder == null ? new ConsoleReporter() : new FileReporter(folder, WARN));
    }

    private static void startRecords(Arguments arguments, Identity identity, Reporter reporter) {
        List<Profiler> periodic = new ArrayList<>();
        Schedule schedule = new Schedule(WARN);
        periodic.add(new CpuAndMemory(identity));
        if (arguments.threadProfiling()) {
            periodic.add(new ThreadCounts(identity));
        }
        if (arguments.ioProfiling()) {
            periodic.add(new InputOutput(identity));
        }
        if (arguments.sampleIntervalMs() > 0) {
            Stacktraces stacks = new Stacktraces(identity);
            periodic.add(stacks);
            schedule.every(arguments.sampleIntervalMs(), () -> stacks.sample(reporter));
        }
        schedule.once(() -> new ProcessInfo(identity).report(reporter));
        List<Runnable> reports = new ArrayList<>();
        periodic.forEach(profiler -> reports.add(() -> profiler.report(reporter)));
        reports.forEach(report -> schedule.every(arguments.metricIntervalMs(), report));
        schedule.lastly(reports);
    }

    /** The folder as it was given, else a new one for temporary files. */
    private static Path folder(String wanted) throws IOException {
        String why = "outputDir is not given";
        if (wanted != null) {
            try {
                return Files.createDirectories(Paths.get(wanted));
            } catch (IOException e) {
                why = "outputDir=" + wanted + " cannot be made (" + e + ")";
            }
        }
        Path made = Files.createTempDirectory("jvm_profiler_");
        WARN.accept(why + ": the records go to " + made);
        return made;
    }
}
