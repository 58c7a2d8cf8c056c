package dev.charcloth.uber;

import java.io.PrintStream;
import java.util.Map;

/** Prints records between the lines of the program, each behind the words that readers look for. */
final class ConsoleReporter implements Reporter {
    @Override
    public void report(String profiler, Map<String, Object> record) {
        // Asked for each time, as the program may redirect it.
        PrintStream out = System.out;
        out.print("ConsoleOutputReporter - " + profiler + ": " + Json.of(record) + "\n");
        out.flush();
    }
}
