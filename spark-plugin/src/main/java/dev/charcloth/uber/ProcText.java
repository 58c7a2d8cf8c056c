package dev.charcloth.uber;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The texts of {@code /proc} as values. Lines of another shape are skipped. */
final class ProcText {
    private static final Pattern VALUE = Pattern.compile("(\\w+):\\s+(\\d{1,15})( kB)?\\s*");
    private static final Pattern CPU = Pattern.compile(
            "(cpu\\d*)\\s+(\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18})\\b.*");
    private static final String[] CPU_FIELDS = {"user", "nice", "system", "idle", "iowait"};

    private ProcText() {
    }

    /** Of lines {@code name: number}, in bytes where the unit is kB. */
    static Map<String, Long> values(List<String> lines) {
        Map<String, Long> values = new HashMap<>();
        for (String line : lines) {
            Matcher matcher = VALUE.matcher(line);
            if (matcher.matches()) {
                long number = Long.parseLong(matcher.group(2));
                values.put(matcher.group(1), matcher.group(3) == null ? number : number * 1024);
            }
        }
        return values;
    }

    /** The times of all processors together and of each, in ticks, from the lines of {@code /proc/stat}. */
    static List<Map<String, Object>> processors(List<String> lines) {
        List<Map<String, Object>> processors = new ArrayList<>();
        for (String line : lines) {
            Matcher matcher = CPU.matcher(line);
            if (matcher.matches()) {
                Map<String, Object> times = new LinkedHashMap<>();
                times.put("cpu", matcher.group(1));
                for (int i = 0; i < CPU_FIELDS.length; i++) {
                    times.put(CPU_FIELDS[i], Long.parseLong(matcher.group(i + 2)));
                }
                processors.add(times);
            }
        }
        return processors;
    }
}
