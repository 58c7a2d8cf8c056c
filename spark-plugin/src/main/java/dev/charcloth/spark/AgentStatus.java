package dev.charcloth.spark;

import java.util.Locale;

/** The numbers in what the agent answers to {@code status}. Immutable. */
final class AgentStatus {
    static final AgentStatus NONE = new AgentStatus("");

    /** Reasons for which a recording ends that are no failures; the first is the agent's own word. */
    static final String TIME_OVER = "its time was over";
    static final String STOPPED = "it was stopped from outside";

    final long samples;
    /** Those of live objects among them. */
    final long live;
    final long dropped;
    /** Of the process's CPU, in percent. */
    final double overhead;
    /** Why the recording has ended, though nobody stopped it; null while it has not. */
    final String ended;

    private AgentStatus(String text) {
        long samples = 0;
        long live = 0;
        long dropped = 0;
        double overhead = 0;
        String ended = null;
        for (String line : text.split("\n")) {
            String value = line.substring(line.indexOf(':') + 1).trim();
            if (line.startsWith("samples ")) {
                samples += number(value);
                live += line.startsWith("samples live:") ? number(value) : 0;
            } else if (line.startsWith("dropped, ")) {
                dropped += number(value);
            } else if (line.startsWith("own share ")) {
                overhead = fraction(value.replace("%", "").trim());
            } else if (line.startsWith("the recording has ended:")) {
                ended = value;
            } else if (line.equals("nothing is being recorded")) {
                ended = STOPPED;
            }
        }
        this.samples = samples;
        this.live = live;
        this.dropped = dropped;
        this.overhead = overhead;
        this.ended = ended;
    }

    static AgentStatus parse(String text) {
        return new AgentStatus(text);
    }

    private static double fraction(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static long number(String text) {
        return (long) fraction(text);
    }

    String overheadText() {
        return String.format(Locale.ROOT, "%.1f", overhead);
    }
}
