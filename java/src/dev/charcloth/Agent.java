package dev.charcloth;

/**
 * The way to the profiler for Java code. The library must be loaded before: by {@code -agentpath}, by attach, or with
 * {@link System#load}; else these methods throw {@link UnsatisfiedLinkError}.
 */
public final class Agent {
    private Agent() {
    }

    /**
     * Runs a command, as {@code -agentpath} takes it: {@code start,event=cpu,file=x.jfr}, {@code stop}, {@code status}.
     *
     * @return what there is to say about it; begins with {@code ok} or {@code error}
     */
    public static native String execute(String command);

    /**
     * The calling thread begins a task. It is written at once, so that a task which never ends is in the recording.
     * Numbers that are not known are -1, texts null.
     *
     * @param taskId unique in this process; names the task for {@link #taskEnd}
     */
    public static native void taskStart(long taskId, int stage, int stageAttempt, int partition, int attempt,
            long sqlExecution, String executor, String jobGroup, String description);

    /**
     * A task has ended; one that did not begin here is ignored. Called on the thread that it began on.
     *
     * @param result how it ended, in a word
     */
    public static native void taskEnd(long taskId, String result);
}
