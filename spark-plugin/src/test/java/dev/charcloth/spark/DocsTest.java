package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;

/** The tables in docs/spark.md are those of the code; with {@code -Drenew} they are written there. */
class DocsTest {
    private static final Path PAGE = Paths.get("..", "docs", "spark.md");
    private static final String RENEW = "cd spark-plugin && mvn -q -B test -Dtest=DocsTest -Drenew";

    private static String keys() {
        StringBuilder s = new StringBuilder("| Key | Type | Unless told | Means |\n|---|---|---|---|\n");
        for (Key k : Key.values()) {
            s.append(row(code(k.key), k.type, code(k.fallback), k.doc));
        }
        return s.toString();
    }

    private static String sparkKeys() {
        StringBuilder s = new StringBuilder("| Releases | Previews of 4.0 | Unless told | Becomes |\n"
                + "|---|---|---|---|\n");
        for (SparkProfilerRules.Foreign f : SparkProfilerRules.Foreign.values()) {
            s.append(row(code(f.release), code(f.preview), code(f.fallback), f.doc));
        }
        return s.toString();
    }

    private static String codeGuruFields() {
        StringBuilder s = new StringBuilder("| Field | Unless told | Becomes |\n|---|---|---|\n");
        for (CodeGuruRules.Field f : CodeGuruRules.Field.values()) {
            s.append(row(code(f.name), code(f.fallback), f.doc));
        }
        return s.toString();
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static String code(String text) {
        return text == null ? "–" : "`" + text + "`";
    }

    /** Puts a table between its two marks. */
    private static String with(String page, String name, String table) {
        String begin = "<!-- " + name + ": made by DocsTest -->\n";
        String end = "<!-- end -->";
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf(end, from);
        if (from < begin.length() || to < 0) {
            throw new IllegalStateException(PAGE + " has lost the marks of its table '" + name + "'");
        }
        return page.substring(0, from) + table + page.substring(to);
    }

    @Test
    void thePageHasTheTablesOfTheCode() throws Exception {
        String page = new String(Files.readAllBytes(PAGE), StandardCharsets.UTF_8);
        String renewed = with(page, "keys", keys());
        renewed = with(renewed, "keys of Spark's profiler", sparkKeys());
        renewed = with(renewed, "fields of CodeGuru's context", codeGuruFields());
        if (System.getProperty("renew") != null) {
            Files.write(PAGE, renewed.getBytes(StandardCharsets.UTF_8));
        } else {
            assertEquals(renewed, page, "docs/spark.md is not what the code says; renew it with: " + RENEW);
        }
    }
}
