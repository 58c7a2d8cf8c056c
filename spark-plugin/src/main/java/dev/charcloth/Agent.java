package dev.charcloth;

/**
 * The way to the profiler for Java code. The library must be loaded before: by {@code -agentpath}, by attach, or with
 * {@link System#load}; else these methods throw {@link UnsatisfiedLinkError}.
 */
public final class Agent {
    /** The task that a thread works for, or that the thread which started it did. */
    private static final InheritableThreadLocal<Task> TASK = new InheritableThreadLocal<Task>() {
        @Override
        protected Task childValue(Task parent) {
            return new Task(parent.id, false);
        }
    };

    private static final class Task {
        final long id;
        /** It began on this very thread. */
        final boolean own;

        Task(long id, boolean own) {
            this.id = id;
            this.own = own;
        }
    }

    private Agent() {
    }

    /**
     * Runs a command, as {@code -agentpath} takes it: {@code start,event=cpu,file=x.jfr}, {@code stop}, {@code status}.
     *
     * @return what there is to say about it; begins with {@code ok} or {@code error}
     */
    public static native String execute(String command);

    /** Lines that {@code status} is to say at its end; they replace those said before. */
    public static native void tell(String lines);

    /**
     * The calling thread begins a task. It is written at once, so that a task which never ends is in the recording.
     * Threads that it starts, and that by their name work for no other, belong to the task too. Numbers that are not
     * known are -1, texts null.
     *
     * @param taskId unique in this process
     */
    public static void taskStart(long taskId, int stage, int stageAttempt, int partition, int attempt,
            long sqlExecution, String executor, String jobGroup, String description) {
        TASK.set(new Task(taskId, true));
        begin(taskId, stage, stageAttempt, partition, attempt, sqlExecution, executor, jobGroup, description);
    }

    /**
     * The task that the calling thread has begun ends; nothing happens if there is none.
     *
     * @param result how it ended, in a word
     */
    public static void taskEnd(String result) {
        Task task = TASK.get();
        if (task != null && task.own) {
            TASK.remove();
            end(task.id, result);
        }
    }

    private static native void begin(long taskId, int stage, int stageAttempt, int partition, int attempt,
            long sqlExecution, String executor, String jobGroup, String description);

    private static native void end(long taskId, String result);

    /** For the library, on a thread that has just started: the task that it was started by, -1 none. */
    private static long inherited() {
        Task task = TASK.get();
        return task == null ? -1 : task.id;
    }
}
