package dev.charcloth.uber;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.charcloth.Self;

/** How the JVM was started. Texts that are too long for one record come in numbered fragments, each in its field. */
final class ProcessInfo implements Profiler {
    static final String NAME = "ProcessInfo";
    private static final int MAX_CHARS = 800_000;
    private static final Pattern XMX = Pattern.compile("-Xmx(\\d+)([kKmMgGtT]?)");
    private static final String UNITS = "kmgt";

    private final Identity identity;

    ProcessInfo(Identity identity) {
        this.identity = identity;
    }

    @Override
    public void report(Reporter to) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        List<String> arguments = runtime.getInputArguments();
        String commandLine = String.join("\n", Self.lines("/proc/self/cmdline")).replace('\0', ' ');
        Map<String, Object> head = head(Self.command(), xmxBytes(arguments));
        // The command line holds the other two already.
        Map<String, String> texts = commandLine.isEmpty()
                ? texts(String.join(" ", arguments), runtime.getClassPath(), "") : texts("", "", commandLine);
        fragments(head, texts, MAX_CHARS).forEach(record -> to.report(NAME, record));
    }

    static Map<String, String> texts(String jvmInputArguments, String jvmClassPath, String cmdline) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("jvmInputArguments", jvmInputArguments);
        texts.put("jvmClassPath", jvmClassPath);
        texts.put("cmdline", cmdline);
        return texts;
    }

    /** One record with all texts where they fit, else one for each piece, the other texts empty. */
    static List<Map<String, Object>> fragments(Map<String, Object> head, Map<String, String> texts, int maxChars) {
        List<Map<String, Object>> records = new ArrayList<>();
        if (texts.values().stream().mapToInt(String::length).sum() <= maxChars) {
            records.add(with(head, texts));
            return records;
        }
        texts.forEach((field, text) -> {
            for (int at = 0; at < text.length(); at += maxChars) {
                Map<String, Object> record = with(head, texts("", "", ""));
                record.put(field, text.substring(at, Math.min(text.length(), at + maxChars)));
                record.put("fragmentSeq", records.size());
                records.add(record);
            }
        });
        records.forEach(record -> record.put("fragmentCount", records.size()));
        return records;
    }

    /** What follows an option in a command line; null when it is not there. */
    static String optionOf(String command, String option) {
        List<String> words = Arrays.asList(command.trim().split("\\s+"));
        int at = words.indexOf(option);
        return at < 0 || at + 1 == words.size() ? null : words.get(at + 1);
    }

    /** The largest heap as it was asked for, null when it was not; the last of several counts, as for the JVM. */
    static Long xmxBytes(List<String> arguments) {
        Long bytes = null;
        for (String argument : arguments) {
            Matcher matcher = XMX.matcher(argument);
            if (matcher.matches() && matcher.group(1).length() <= 15) {
                String letter = matcher.group(2).toLowerCase(Locale.ROOT);
                int unit = letter.isEmpty() ? 0 : UNITS.indexOf(letter) + 1;
                bytes = Long.parseLong(matcher.group(1)) << (10 * unit);
            }
        }
        return bytes;
    }

    private Map<String, Object> head(String command, Long xmxBytes) {
        String version = ProcessInfo.class.getPackage().getImplementationVersion();
        Map<String, Object> head = identity.recordOfNow();
        head.put("agentVersion", version == null ? "unknown" : version);
        head.put("appJar", optionOf(command, "--jar"));
        head.put("appClass", optionOf(command, "--class"));
        if (xmxBytes != null) {
            head.put("xmxBytes", xmxBytes);
        }
        return head;
    }

    private static Map<String, Object> with(Map<String, Object> head, Map<String, String> texts) {
        Map<String, Object> record = new LinkedHashMap<>(head);
        record.putAll(texts);
        return record;
    }
}
