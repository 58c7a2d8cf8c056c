package dev.charcloth;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.List;

/**
 * What this process can tell about itself without asking the network: where there is no {@code /proc} the JVM is asked,
 * which may look its host name up. Never throws.
 */
public final class Self {
    private static final Path PROC = Paths.get("/proc/self");

    private Self() {
    }

    /** The process id as this process sees it, in decimal. */
    public static String pid() {
        try {
            return Files.readSymbolicLink(PROC).getFileName().toString();
        } catch (IOException | RuntimeException e) {
            return nameOfJvm().split("@", 2)[0];
        }
    }

    /** The host's own name for itself. */
    public static String host() {
        List<String> lines = lines("/proc/sys/kernel/hostname");
        if (!lines.isEmpty() && !lines.get(0).trim().isEmpty()) {
            return lines.get(0).trim();
        }
        String name = nameOfJvm();
        return name.substring(name.indexOf('@') + 1);
    }

    /** The words after {@code java} and its options: the main class or jar, and the program's arguments. */
    public static String command() {
        return System.getProperty("sun.java.command", "");
    }

    /** The lines of a file of {@code /proc}, none when it cannot be read. Each byte is a character. */
    public static List<String> lines(String path) {
        try {
            return Files.readAllLines(Paths.get(path), StandardCharsets.ISO_8859_1);
        } catch (IOException | RuntimeException e) {
            return Collections.emptyList();
        }
    }

    private static String nameOfJvm() {
        return ManagementFactory.getRuntimeMXBean().getName();
    }
}
