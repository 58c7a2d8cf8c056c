package dev.charcloth;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/** Values as the agent's commands take them. */
public final class CommandText {
    /** What the agent has room for. */
    private static final int LABELS_BYTES_MAX = 1000;
    private static final String SPECIAL = ",;=%";

    private CommandText() {
    }

    /** For {@code labels=}: {@code KEY=VALUE;KEY=VALUE;}. What does not fit is left out with a warning. */
    public static String labels(Map<String, String> labels, Consumer<String> warn) {
        StringBuilder all = new StringBuilder();
        int left = LABELS_BYTES_MAX;
        for (Map.Entry<String, String> label : labels.entrySet()) {
            String one = escape(label.getKey()) + "=" + escape(label.getValue()) + ";";
            int size = one.getBytes(StandardCharsets.UTF_8).length;
            if (size > left) {
                warn.accept("No room for the label " + label.getKey() + ": use fewer or shorter tags");
            } else {
                all.append(one);
                left -= size;
            }
        }
        return all.toString();
    }

    /**
     * For {@code file=}.
     *
     * @param folder as it is: a % in it is no pattern
     * @param name   may have patterns, such as the number of the segment
     */
    public static String file(Path folder, String name) {
        return folder.toString().replace("%", "%%") + "/" + name;
    }

    private static String escape(String text) {
        StringBuilder to = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c < ' ' || SPECIAL.indexOf(c) >= 0) {
                to.append(String.format("%%%02X", (int) c));
            } else {
                to.append(c);
            }
        }
        return to.toString();
    }
}
