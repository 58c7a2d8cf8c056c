package dev.charcloth.spark;

import java.util.Locale;

/** The numbers in what the agent answers to {@code status}. Immutable. */
final class AgentStatus {
    static final AgentStatus NONE = new AgentStatus("");

    final boolean recording;
    final long samples;
    /** Those of live objects among them. */
    final long live;
    final long dropped;
    /** Of the process's CPU, in percent. */
    final double overhead;
    /** Why the recording has ended by itself; null while it has not. */
    final String failure;

    private AgentStatus(String text) {
        boolean recording = false;
        long samples = 0;
        long live = 0;
        long dropped = 0;
        double overhead = 0;
        String failure = null;
        for (String line : text.split("\n")) {
            String value = line.substring(line.indexOf(':') + 1).trim();
            if (line.startsWith("samples ")) {
                samples += number(value);
                live += line.startsWith("samples live:") ? number(value) : 0;
            } else if (line.startsWith("dropped, ")) {
                dropped += number(value);
            } else if (line.startsWith("own share ")) {
                overhead = fraction(value.replace("%", "").trim());
            } else if (line.startsWith("recording to:")) {
                recording = true;
            } else if (line.startsWith("the recording has ended:")) {
                failure = value;
            }
        }
        this.recording = recording;
        this.samples = samples;
        this.live = live;
        this.dropped = dropped;
        this.overhead = overhead;
        this.failure = failure;
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
