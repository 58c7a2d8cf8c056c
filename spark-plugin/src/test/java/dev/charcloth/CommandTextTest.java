package dev.charcloth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandTextTest {
    @Test
    void labelsAreEscapedAndBounded() {
        List<String> warnings = new ArrayList<>();
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("a", "1,2;3=4%\u00fc\n");
        labels.put("large", "x".repeat(1000));
        labels.put("b", "");
        assertEquals("a=1%2C2%3B3%3D4%25\u00fc%0A;b=;", CommandText.labels(labels, warnings::add));
        assertEquals(List.of("No room for the label large: use fewer or shorter tags"), warnings);
    }

    @Test
    void aFolderIsNoPatternAndANameMayBeOne() {
        assertEquals("/a%%p/b/%n.jfr", CommandText.file(Paths.get("/a%p/b"), "%n.jfr"));
    }
}
