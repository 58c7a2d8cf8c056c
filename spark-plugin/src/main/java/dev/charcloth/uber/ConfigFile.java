package dev.charcloth.uber;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Arguments in a file: the part of YAML that is {@code key: value}, one a line, with comments and quotes. */
final class ConfigFile {
    private ConfigFile() {
    }

    /** What the file holds; nothing, with a warning, when it cannot be read. */
    static Map<String, String> read(String path, Consumer<String> warn) {
        try {
            byte[] bytes = Files.readAllBytes(Paths.get(path));
            return parse(path, Arrays.asList(new String(bytes, StandardCharsets.UTF_8).split("\r?\n")), warn);
        } catch (IOException | RuntimeException e) {
            warn.accept("configFile=" + path + " cannot be read, it must be a local file: " + e);
            return new LinkedHashMap<>();
        }
    }

    static Map<String, String> parse(String path, List<String> lines, Consumer<String> warn) {
        Map<String, String> pairs = new LinkedHashMap<>();
        int refused = 0;
        int first = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String word = line.trim();
            if (word.isEmpty() || word.startsWith("#") || word.equals("---") || add(pairs, line)) {
                continue;
            }
            first = refused++ == 0 ? i + 1 : first;
        }
        if (refused > 0) {
            warn.accept("configFile=" + path + ": " + refused + " lines are not 'key: value' and ignored, the first is "
                    + first);
        }
        return pairs;
    }

    /** False for what is nested, a list, or without a value. */
    private static boolean add(Map<String, String> pairs, String line) {
        int at = line.indexOf(": ");
        if (at <= 0 || Character.isWhitespace(line.charAt(0)) || line.startsWith("- ")) {
            return false;
        }
        String value = value(line.substring(at + 2).trim());
        if (value.isEmpty()) {
            return false;
        }
        pairs.put(value(line.substring(0, at).trim()), value);
        return true;
    }

    private static String value(String text) {
        char quote = text.isEmpty() ? ' ' : text.charAt(0);
        if (quote == '"' || quote == '\'') {
            int end = text.indexOf(quote, 1);
            return end < 0 ? text : text.substring(1, end);
        }
        int comment = text.startsWith("#") ? 0 : text.indexOf(" #");
        return comment < 0 ? text : text.substring(0, comment).trim();
    }
}
