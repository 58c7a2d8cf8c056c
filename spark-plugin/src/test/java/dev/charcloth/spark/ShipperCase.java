package dev.charcloth.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.SubstituteLogger;

/** A shipper, the folder that it empties, what it says, and a clock that stands still. */
abstract class ShipperCase {
    /** Takes segments, unless it shall fail. */
    static class ListSink implements Sink {
        final List<String> got = new ArrayList<>();
        int tries;
        int failures;
        boolean opened;
        boolean closed;

        @Override
        public void open() throws IOException {
            opened = true;
        }

        @Override
        public void put(Path segment) throws IOException {
            tries++;
            if (failures-- > 0) {
                throw new IOException("not now");
            }
            got.add(Files.readString(segment));
        }

        @Override
        public String where() {
            return "list:/x";
        }

        @Override
        public void close() throws IOException {
            closed = true;
        }
    }

    static final int FOR_EVER = Integer.MAX_VALUE;

    @TempDir
    Path folder;
    final AtomicLong now = new AtomicLong();
    final ListSink sink = new ListSink();
    final ConcurrentLinkedQueue<SubstituteLoggingEvent> events = new ConcurrentLinkedQueue<>();
    /** What the listener was told. */
    final List<String> told = new ArrayList<>();

    Shipper shipper(Sink to, long maxBytes, boolean keep) {
        return new Shipper(new Segments(folder, maxBytes, keep), to, "output='list:/'",
                new SubstituteLogger("test", events, false), new Shipper.Listener() {
                    @Override
                    public void sending() {
                        told.add("sending");
                    }

                    @Override
                    public void sent() {
                        told.add("sent");
                    }
                }, now::get);
    }

    Shipper shipper() {
        return shipper(sink, 1 << 20, false);
    }

    void segments(int from, int to) throws IOException {
        for (int n = from; n <= to; n++) {
            Files.writeString(folder.resolve(n + ".jfr"), "<" + n + ">");
        }
    }

    List<String> local() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(p -> p.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }

    List<String> warnings() {
        return events.stream().filter(e -> e.getLevel() == Level.WARN)
                .map(e -> MessageFormatter.arrayFormat(e.getMessage(), e.getArgumentArray()).getMessage())
                .collect(Collectors.toList());
    }
}
