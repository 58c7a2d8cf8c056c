package dev.charcloth.spark;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;

/** Labels as the agent's option {@code labels=} takes them. */
final class Labels {
    /** What the agent has room for. */
    private static final int MAX_BYTES = 1000;
    private static final String SPECIAL = ",;=%";

    private Labels() {
    }

    /** {@code KEY=VALUE;KEY=VALUE;}; what does not fit is left out with a warning. */
    static String encode(Map<String, String> labels, Consumer<String> warn) {
        StringBuilder all = new StringBuilder();
        int left = MAX_BYTES;
        for (Map.Entry<String, String> label : labels.entrySet()) {
            String one = escape(label.getKey()) + "=" + escape(label.getValue()) + ";";
            int size = one.getBytes(StandardCharsets.UTF_8).length;
            if (size > left) {
                warn.accept("No room for the label " + label.getKey() + ": use fewer or shorter spark.charcloth.tags");
            } else {
                all.append(one);
                left -= size;
            }
        }
        return all.toString();
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
