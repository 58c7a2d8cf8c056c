package dev.charcloth.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;

/**
 * The shippers of one process, in the order of their recordings: each begins when the one before it has ended, since
 * they share an output and find free names by looking. Any thread may call.
 */
final class Shippers {
    private final String whose;
    private final Logger log;
    private final List<Shipper> all = new ArrayList<>();
    private long bytesBefore;

    /** @param whose what the log calls the process */
    Shippers(String whose, Logger log) {
        this.whose = whose;
        this.log = log;
    }

    /** Starts it behind those that are still at work. */
    synchronized void start(Shipper shipper) {
        shipper.start(all.isEmpty() ? null : all.get(all.size() - 1));
        all.add(shipper);
    }

    /** The agent has stopped: no more segments come. */
    void complete() {
        copy().forEach(Shipper::complete);
    }

    /** Waits until all is out. What takes longer goes on. */
    void await(Deadline deadline) {
        copy().forEach(s -> s.ended(deadline.left()));
        tend();
    }

    /** Ends all: what is not out by then is given up. */
    void close(Deadline deadline) {
        for (Shipper s : copy()) {
            s.finish(deadline.left());
            settle(s);
        }
    }

    /** To be called about once a second. */
    void tend() {
        for (Shipper s : copy()) {
            if (s.ended(0)) {
                settle(s);
            } else {
                s.tend();
            }
        }
    }

    synchronized long bytesShipped() {
        return bytesBefore + all.stream().mapToLong(Shipper::bytesShipped).sum();
    }

    /** What keeps segments from the output; null: nothing. */
    String trouble() {
        return copy().stream().map(Shipper::lastError).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private synchronized void settle(Shipper s) {
        if (all.remove(s)) {
            bytesBefore += s.bytesShipped();
            log.info("The recording of {} {}", whose, s.hasAll() ? "is complete" : "is not complete: " + s.lastError());
        }
    }

    private synchronized List<Shipper> copy() {
        return new ArrayList<>(all);
    }
}
