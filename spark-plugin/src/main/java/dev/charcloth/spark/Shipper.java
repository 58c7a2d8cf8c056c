package dev.charcloth.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Brings finished segments from a local folder to a {@link Sink}, in a thread of its own. Failures are tried again, for
 * ten minutes; then there is one WARN, and what the agent still writes is kept within the bound. Nothing is thrown.
 * Only {@link #finish} and {@link #ended} wait, as long as they are told. All methods may be called from any thread.
 */
final class Shipper {
    private static final long LOOK_MILLIS = 200;
    private static final long IDLE = Long.MIN_VALUE;

    /** Is told of each segment, in the thread that brings it out. What it throws is only logged. */
    interface Listener {
        Listener NONE = new Listener() { };

        /** It is about to be put, perhaps not for the first time. */
        default void sending() {
        }

        /** It has gone out, and is still here. */
        default void sent() {
        }
    }

    private final Segments segments;
    private final Sink sink;
    private final String told;
    private final Logger log;
    private final Listener listener;
    private final LongSupplier clock;
    private final Thread thread;
    private final Retry retry = new Retry();
    private final AtomicBoolean givenUp = new AtomicBoolean();
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean finishing;
    private volatile boolean abandoned;
    private volatile long busySince = IDLE;
    private volatile long bytesShipped;
    private volatile String lastError;
    /** Why some of what was shipped is not there any more; null: it is. */
    private volatile String lost;
    private Shipper before;
    private boolean hurried;

    /** @param told how the user has named the output, for the warning when it cannot be had */
    Shipper(Segments segments, Sink sink, String told, Logger log, Listener listener) {
        this(segments, sink, told, log, listener, () -> System.nanoTime() / 1_000_000);
    }

    /** @param clock monotonic, in milliseconds */
    Shipper(Segments segments, Sink sink, String told, Logger log, Listener listener, LongSupplier clock) {
        this.segments = segments;
        this.told = told;
        this.sink = sink;
        this.log = log;
        this.listener = listener;
        this.clock = clock;
        this.thread = Threads.daemon("charcloth-shipper", this::run, e -> lastError = e.toString());
    }

    /** @param before nothing is done before this one has ended; null: it begins at once */
    void start(Shipper before) {
        this.before = before;
        thread.start();
    }

    /**
     * The agent has stopped, all segments are finished: the thread ships the rest as patiently as ever, removes the
     * folder if nothing is left in it, closes the sink and ends.
     */
    void complete() {
        segments.complete();
        finishing = true;
        wake();
    }

    /**
     * Completes, and ends what has not ended by then. What could not be shipped stays in the folder.
     *
     * @param millis how long all this may take; a sink that hangs is left to itself
     * @return whether every segment since the start has gone out
     */
    boolean finish(long millis) {
        complete();
        if (!ended(millis - millis / 10)) {
            abandoned = true;
            thread.interrupt();
            ended(millis / 10);
        }
        if (segments.waiting() > 0) {
            giveUp("not done within " + millis + " ms" + (lastError == null ? "" : "; " + lastError));
        }
        return hasAll();
    }

    /** Whether every segment that is finished has gone out. */
    boolean hasAll() {
        return segments.waiting() == 0 && dropped.get() == 0 && lost == null;
    }

    /**
     * Keeps the bound. The thread does so itself, unless it hangs in the sink: another one that comes by every second
     * or so should call this as well.
     */
    void tend() {
        long since = busySince;

        dropped.addAndGet(segments.dropOldest());
        if (since != IDLE && clock.getAsLong() - since >= Retry.PATIENCE
                && giveUp("no answer for " + Retry.PATIENCE / 1000 + " s")) {
            thread.interrupt();
        }
    }

    long bytesShipped() {
        return bytesShipped;
    }

    /** What was lost, or else what went wrong last; null: nothing, or nothing since the last success. */
    String lastError() {
        return lost != null ? lost : lastError;
    }

    /** Ships what is due. The thread's work; tests do it by hand. */
    void step() {
        if (finishing && !hurried) {
            hurried = true;
            retry.hurry(clock.getAsLong());
        }
        while (!givenUp.get() && !abandoned && retry.due(clock.getAsLong())) {
            Path segment = segments.take();
            if (segment == null) {
                break;
            }
            ship(segment);
        }
        tend();
    }

    private void run() {
        try {
            awaitTurn();
            open();
            while (!abandoned && !(finishing && (givenUp.get() || segments.waiting() == 0))) {
                stepOrFail();
                pause();
            }
        } finally {
            segments.removeFolder();
            close();
        }
    }

    private void awaitTurn() {
        while (before != null && !abandoned && !before.ended(LOOK_MILLIS)) {
            // Whoever has something to say to this one sets a flag; the bound is kept by tend.
        }
        before = null;
    }

    /**
     * The first segment may be the last, of a process that is about to be killed, and what is wrong with the output
     * should be known early.
     */
    private void open() {
        Throwable failure = abandoned ? null : attempt(sink::open);
        if (failure != null) {
            failed(failure);
        }
    }

    /** Whatever it is the thread goes on, at least to keep the bound. */
    private void stepOrFail() {
        try {
            step();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void ship(Path segment) {
        long bytes = segment.toFile().length();
        tell(listener::sending);
        Throwable failure = attempt(() -> sink.put(segment));
        if (failure == null) {
            succeeded(bytes);
            tell(listener::sent);
            segments.forget();
        } else if (Files.exists(segment)) {
            segments.giveBack();
            failed(failure);
        } else {
            // Someone cleaned up; there is nothing to try again.
            dropped.incrementAndGet();
            segments.forget();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Does what may hang; what went wrong, or null. */
    private Throwable attempt(Step step) {
        busySince = clock.getAsLong();
        try {
            step.run();
            return null;
        } catch (IOException | RuntimeException | Error e) {
            return e;
        } finally {
            busySince = IDLE;
        }
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            log.debug("charcloth: on the way to {}", sink.where(), e);
        }
    }

    private void succeeded(long bytes) {
        if (retry.failures() > 0) {
            log.info("charcloth: writing to {} works again", sink.where());
        }
        retry.succeeded();
        lastError = null;
        bytesShipped += bytes;
    }

    private void failed(Throwable e) {
        lastError = e.toString();
        retry.failed(clock.getAsLong());
        if (e instanceof Sink.Lost) {
            lost = e.getMessage();
            log.warn("charcloth: {}, what was in it is lost; what comes now goes to another file. Leave {} alone while "
                    + "a job runs.", lost, told);
        } else if (isHopeless(e)) {
            giveUp(e instanceof Sink.Refused ? e.getMessage() : lastError);
        } else if (retry.exhausted(clock.getAsLong())) {
            giveUp(retry.failures() + " tries; " + lastError);
        } else if (retry.failures() == 1) {
            log.info("charcloth: cannot write to {}: {}; trying again", sink.where(), lastError);
        } else {
            log.debug("charcloth: cannot write to {}: {}", sink.where(), lastError);
        }
    }

    /** Memory comes back; a class that is missing does not. */
    private static boolean isHopeless(Throwable e) {
        return e instanceof Sink.Refused || e instanceof Error && !(e instanceof OutOfMemoryError);
    }

    /** @return whether this is the first time */
    private boolean giveUp(String why) {
        if (!givenUp.compareAndSet(false, true)) {
            return false;
        }
        if (lastError == null) {
            lastError = why;
        }
        log.warn("charcloth: gave up writing the recording to {}: {}. The job goes on without. {} segments ({} bytes) "
                + "are left in {}, {} were dropped. Check that {} exists, has room, and may be written to by this user.",
                sink.where(), why, segments.waiting(), segments.waitingBytes(), segments.folder(), dropped, told);
        return true;
    }

    private synchronized void wake() {
        notifyAll();
    }

    private synchronized void pause() {
        try {
            if (!finishing || !retry.due(clock.getAsLong())) {
                wait(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            // The flags say what it was for.
        }
    }

    private void close() {
        try {
            sink.close();
        } catch (Exception e) {
            log.debug("charcloth: closing {}", sink.where(), e);
        }
    }

    /** Waits for the thread, at most so long; whether it has ended. */
    boolean ended(long millis) {
        return Threads.join(thread, millis);
    }
}
