package dev.charcloth.uber;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

import dev.charcloth.Agent;
import dev.charcloth.CommandText;
import dev.charcloth.NativeAgent;

/** The recording beside the records, which bears their tag, cluster and application as labels. */
final class Recording {
    /** Fields of records that become labels, and their names there. */
    private static final Map<String, String> LABELS = new LinkedHashMap<>();

    static {
        LABELS.put("appId", "app");
        LABELS.put("tag", "tag");
        LABELS.put("cluster", "cluster");
    }

    private Recording() {
    }

    /** Starts it where one is wanted; the native profiler ends it with the JVM. The folder is null for the console. */
    static void start(Arguments arguments, Path folder, Identity identity, Consumer<String> warn) {
        String file = file(arguments.jfr(), folder, identity.uuid());
        if (file == null || !NativeAgent.load(warn)) {
            return;
        }
        String said = Agent.execute(command(file, identity.record(), warn));
        if (said == null || !said.startsWith("ok")) {
            warn.accept("no JFR is recorded to " + file + ": " + String.valueOf(said).trim());
        }
    }

    /** As the agent takes it, null for none: beside records on the console nobody expects a file. */
    static String file(String wanted, Path folder, String uuid) {
        if (wanted != null) {
            return wanted.equals("off") ? null : wanted;
        }
        return folder == null ? null : CommandText.file(folder, uuid + ".jfr");
    }

    static String command(String file, Map<String, Object> record, Consumer<String> warn) {
        Map<String, String> labels = new LinkedHashMap<>();
        LABELS.forEach((field, label) -> {
            if (record.get(field) != null) {
                labels.put(label, record.get(field).toString());
            }
        });
        String text = CommandText.labels(labels, warn);
        return "start,event=cpu,file=" + file + (text.isEmpty() ? "" : ",labels=" + text);
    }
}
