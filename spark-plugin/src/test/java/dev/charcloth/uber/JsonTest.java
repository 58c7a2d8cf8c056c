package dev.charcloth.uber;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

class JsonTest {
    private static String json(Object value) {
        return Json.of(Collections.singletonMap("k", value));
    }

    @Test
    void numbersAreWrittenAsJavaWritesThem() {
        assertEquals("{\"k\":1.2735472E7}", json(1.2735472E7));
        assertEquals("{\"k\":-1.0}", json(-1.0));
        assertEquals("{\"k\":9223372036854775807}", json(Long.MAX_VALUE));
        assertEquals("{\"k\":3}", json(3));
    }

    @Test
    void whatIsNoNumberIsText() {
        assertEquals("{\"k\":\"NaN\"}", json(Double.NaN));
        assertEquals("{\"k\":\"Infinity\"}", json(Double.POSITIVE_INFINITY));
        assertEquals("{\"k\":null}", json(null));
    }

    @Test
    void textIsEscapedToAscii() {
        assertEquals("{\"k\":\"a\\\"b\\\\c\"}", json("a\"b\\c"));
        assertEquals("{\"k\":\"\\u0000\\u000a\\u001f \\u007f\"}", json("\0\n\u001f \u007f"));
        assertEquals("{\"k\":\"\\u00fc\\u2028\\ud83d\\ude00\\ud800\"}", json("\u00fc\u2028\ud83d\ude00\ud800"));
    }

    @Test
    void mapsAndListsNest() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("a\"", Arrays.asList("x", 1L, Collections.emptyMap()));
        map.put("b", Collections.emptyList());
        assertEquals("{\"a\\\"\":[\"x\",1,{}],\"b\":[]}", Json.of(map));
    }
}
