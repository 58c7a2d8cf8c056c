package dev.charcloth.uber;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.charcloth.Self;

/** Bytes read and written by the process, and the times of the machine's processors. */
final class InputOutput implements Profiler {
    static final String NAME = "IO";
    private static final String[] FIELDS = {"rchar", "wchar", "read_bytes", "write_bytes"};

    private final Identity identity;

    InputOutput(Identity identity) {
        this.identity = identity;
    }

    @Override
    public void report(Reporter to) {
        to.report(NAME, of(identity.recordOfNow(), Self.lines("/proc/self/io"), Self.lines("/proc/stat")));
    }

    /** The record with the fields of both files; a number that is not in the first is null. */
    static Map<String, Object> of(Map<String, Object> record, List<String> ioLines, List<String> statLines) {
        Map<String, Long> values = ProcText.values(ioLines);
        Map<String, Object> io = new LinkedHashMap<>();
        for (String field : FIELDS) {
            io.put(field, values.get(field));
        }
        record.put("self", Collections.singletonMap("io", io));
        record.put("stat", ProcText.processors(statLines));
        return record;
    }
}
