package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class CharclothTest {
    private final List<String> warnings = new ArrayList<>();

    private String taken(String options) {
        Conf said = Conf.plain(Collections.singletonMap(Charcloth.START, options), warnings::add);
        return AgentOptions.read(said, Charcloth.START, null);
    }

    @Test
    void withoutThePluginItSaysHowToHaveIt() {
        String why = assertThrows(IllegalStateException.class, () -> Charcloth.status(null)).getMessage();
        assertTrue(why.contains("spark.plugins=dev.charcloth.spark.CharclothPlugin"), why);
    }

    @Test
    void wrongOptionsAreAWarningAndNoException() {
        assertEquals("", taken(null));
        assertEquals("event=wall", taken("event=wall"));
        assertEquals(List.of(), warnings);
        assertEquals("", taken("x".repeat(2001)));
        assertEquals("event=wall", taken("event=wall,file=x"));
        assertEquals(2, warnings.size());
        assertTrue(warnings.get(0).startsWith("Charcloth.start='xxx"), warnings.get(0));
        assertEquals("Charcloth.start='event=wall,file=x': not for the agent here: file=x; leave it out"
                + " (taken: event=wall)", warnings.get(1));
    }
}
