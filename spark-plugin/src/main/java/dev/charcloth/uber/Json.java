package dev.charcloth.uber;

import java.util.Map;

/**
 * Writes maps, lists, texts, numbers and null as JSON in one line of ASCII: it survives any character set that standard
 * output may have. A double that is no number is a text, as Uber's readers know it.
 */
final class Json {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final int LAST_PRINTABLE = 0x7e;

    private Json() {
    }

    static String of(Map<String, ?> map) {
        StringBuilder out = new StringBuilder(1024);
        value(out, map);
        return out.toString();
    }

    private static void value(StringBuilder out, Object value) {
        if (value instanceof Map) {
            map(out, (Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            list(out, (Iterable<?>) value);
        } else if (value == null || value instanceof Number && isFinite((Number) value)) {
            out.append(value);
        } else {
            text(out, value.toString());
        }
    }

    private static boolean isFinite(Number number) {
        return !(number instanceof Double) || Double.isFinite((Double) number);
    }

    private static void map(StringBuilder out, Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            text(out, String.valueOf(entry.getKey()));
            out.append(':');
            value(out, entry.getValue());
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void list(StringBuilder out, Iterable<?> list) {
        String separator = "";
        out.append('[');
        for (Object entry : list) {
            out.append(separator);
            value(out, entry);
            separator = ",";
        }
        out.append(']');
    }

    private static void text(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c >= FIRST_PRINTABLE && c <= LAST_PRINTABLE) {
                out.append(c);
            } else {
                out.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            }
        }
        out.append('"');
    }
}
