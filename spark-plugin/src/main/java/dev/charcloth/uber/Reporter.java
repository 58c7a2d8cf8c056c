package dev.charcloth.uber;

import java.util.Map;

/** Where records go. Called by several threads; throws nothing but what the caller may forget. */
interface Reporter {
    /** Takes a record of a profiler; it is outside this process's buffers when this returns. */
    void report(String profiler, Map<String, Object> record);
}
