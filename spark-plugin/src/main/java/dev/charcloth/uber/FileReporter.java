package dev.charcloth.uber;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Appends records to {@code <folder>/<profiler>.json}. A record is one write to a file opened for appending: several
 * processes may share the folder. What cannot be written is lost, with one warning.
 */
final class FileReporter implements Reporter {
    private final Path folder;
    private final Consumer<String> warn;
    private final Map<String, OutputStream> files = new HashMap<>();
    private boolean hasWarned;

    FileReporter(Path folder, Consumer<String> warn) {
        this.folder = folder;
        this.warn = warn;
    }

    @Override
    public synchronized void report(String profiler, Map<String, Object> record) {
        try {
            file(profiler).write((Json.of(record) + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            if (!hasWarned) {
                warn.accept("outputDir=" + folder + ": records are lost, no more is said about it: " + e.getMessage());
            }
            hasWarned = true;
        }
    }

    private OutputStream file(String profiler) throws IOException {
        OutputStream file = files.get(profiler);
        if (file == null) {
            file = new FileOutputStream(folder.resolve(profiler + ".json").toFile(), true);
            files.put(profiler, file);
        }
        return file;
    }
}
