package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
    private static String repeat(String text, int n) {
        return String.join("", Collections.nCopies(n, text));
    }

    private static String error(String text) {
        return assertThrows(IllegalArgumentException.class, () -> Json.object(text)).getMessage();
    }

    @Test
    void scalarsAreTextAndTheRestIsLeftOut() {
        assertEquals("{a=x, b=1, c=-2.5e+3, d=true, e=false}", Json.object(
                " {\"a\":\"x\" , \"b\" : 1,\"c\":-2.5e+3,\n\"d\":true,\"e\":false,\"f\":null,\"g\":{\"a\":[]},"
                        + "\"h\":[1,{\"x\":\"]\"},[]] } ").toString());
        assertEquals("{}", Json.object("{}").toString());
        assertEquals("{a=2}", Json.object("{\"a\":1,\"a\":2}").toString());
    }

    @Test
    void escapesAreResolved() {
        assertEquals("\"\\/\b\f\n\r\té", Json.object("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"}").get("a"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = { "`` | it ends at character 1",
        "[] | no { at character 1",
        "{ | it ends at character 2", "{\"a | it ends at character 4", "{\"a\" | it ends at character 5",
        "{\"a\": | it ends at character 6", "{\"a\":1 | it ends at character 7", "{\"a\":1, | it ends at character 8",
        "{\"a\":\"x | it ends at character 8", "{\"a\":\"\\ | it ends at character 8",
        "{\"a\":\"\\u12 | an unknown escape at character 8", "{\"a\":\"\\x\"} | an unknown escape at character 8",
        "{a:1} | no \" at character 2", "{\"a\":1}} | more after its end at character 8",
        "{\"a\":01} | no value at character 6", "{\"a\":tru} | no value at character 6",
        "{\"a\":1,} | no \" at character 8", "{\"a\":[1 2]} | no ] at character 9",
        "{\"a\":NaN} | no value at character 6", "{\"a\":} | no value at character 6" })
    void whatIsNoObjectIsRefusedWithItsPlace(String text, String message) {
        assertEquals(message, error(text));
    }

    @Test
    void controlCharactersInStringsAreRefused() {
        assertEquals("a control character at character 7", error("{\"a\":\"\n\"}"));
    }

    @Test
    void depthAndSizeHaveLimits() {
        assertEquals("too deep at character 21", error("{\"a\":" + repeat("[", 1000)));
        assertEquals("too deep at character 81", error(repeat("{\"a\":", 30_000 / 5)));
        assertEquals("{}", Json.object("{\"a\":" + repeat("[", 15) + repeat("]", 15) + "}").toString());
        assertEquals("longer than 65536 characters", error("{\"a\":\"" + repeat("x", 10_000_000) + "\"}"));
    }
}
