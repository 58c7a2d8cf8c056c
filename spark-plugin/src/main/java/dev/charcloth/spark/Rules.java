package dev.charcloth.spark;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What one dialect's configuration says; {@link Settings} asks each question once. */
interface Rules {
    Dialect dialect();

    boolean driver();

    Share executors();

    /** Whether executors may be told to record by what the driver cannot see, such as their environment. */
    default boolean executorsKnowMore() {
        return false;
    }

    /** As the agent takes them, without the limit of overhead. */
    String agentOptions();

    /** What these are where no key says anything. */
    String defaultOptions();

    /** The keys that these come from, with their values, for a warning; empty if none is set. */
    default String optionsTold() {
        return "";
    }

    Layout layout();

    /** A key that holds the folder of the output, which must exist; null if the dialect has none. */
    default String outputKey() {
        return null;
    }

    /** Where recordings grow, null: wherever. */
    default String localDir() {
        return null;
    }

    /** The key that says so; null if the dialect has none. */
    default String localDirKey() {
        return null;
    }

    /** Null: as our own keys say. */
    default Long flushMillis() {
        return null;
    }

    default Map<String, String> tags() {
        return Collections.emptyMap();
    }

    /**
     * Lines for the log when a recording starts, which users of another profiler look for.
     *
     * @param flushMillis how often it is sent
     */
    default List<String> greeting(long flushMillis) {
        return Collections.emptyList();
    }

    /**
     * What is told of a recording on its way.
     *
     * @param status of that recording
     * @param log    takes lines for the log
     */
    default Shipper.Listener listener(Supplier<AgentStatus> status, Consumer<String> log) {
        return Shipper.Listener.NONE;
    }
}
