package dev.charcloth.uber;

/** One kind of record. The methods may be called by several threads. */
interface Profiler {
    /** Reports what there is to say now. */
    void report(Reporter to);
}
