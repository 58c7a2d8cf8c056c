package dev.charcloth.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentOptionsTest {
    /** The texts that the rows of one of the agent's tables begin with. */
    private static Set<String> table(String file, String name, String row) throws Exception {
        String source = new String(Files.readAllBytes(Paths.get("..", "src", file)), StandardCharsets.UTF_8);
        int from = source.indexOf(name + "[] = {");
        Matcher rows = Pattern.compile(row).matcher(source.substring(from, source.indexOf("\n};", from)));
        Set<String> words = new TreeSet<>();
        while (rows.find()) {
            for (int i = 1; i <= rows.groupCount(); i++) {
                if (rows.group(i) != null) {
                    words.add(rows.group(i));
                }
            }
        }
        return words;
    }

    @Test
    void theTablesAreThoseOfTheAgent() throws Exception {
        String first = "\\{ \"([^\"]+)\",";
        assertEquals(table("agent/args.c", "options", first), new TreeSet<>(AgentOptions.OPTIONS));
        assertEquals(table("agent/events.c", "words", first), new TreeSet<>(AgentOptions.EVENTS));
        assertEquals(table("sys/perf_names.c", "ch_perf_events", first + " (?:NULL|\"([^\"]+)\")"),
                new TreeSet<>(AgentOptions.PERF));
    }

    @ParameterizedTest
    @ValueSource(strings = { "cpu", "live", "cs", "r3c", "mem:0x10/4:rw", "sched:sched_switch" })
    void events(String name) {
        assertTrue(AgentOptions.isEvent(name));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "CPU", "heap", "rxyz", "a:b,c", "a:b=c", "java.lang.Thread.start" })
    void noEvents(String name) {
        assertFalse(AgentOptions.isEvent(name));
    }

    @Test
    void optionsArePartedFromWhatTheAgentWouldRefuse() {
        AgentOptions.Filtered f = AgentOptions.filter(" event=cpu ,,alloc, loop=1h,log=x,flamegraph,event=,event,stop");
        assertEquals("event=cpu,alloc", f.options);
        assertEquals("[loop=1h, log=x, flamegraph, event=, event, stop]", f.dropped.toString());
    }
}
