package dev.charcloth;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings the native profiler into this JVM, so that {@link Agent} can be called: the one that is there already, else
 * the one for this platform from our jar. Tried once; the answer stays. Never throws.
 */
public final class NativeAgent {
    private static final String FOLDER = "META-INF/charcloth/";
    /** How the names of our libraries end: the command line finds the one in a JVM by it. */
    private static final String SUFFIX = "libcharcloth.so";

    /** Null: not tried yet. */
    private static volatile Boolean loaded;

    private NativeAgent() {
    }

    /**
     * Whether {@link Agent} can be called.
     *
     * @param warn told the reason, in one line and only the first time, when it cannot
     */
    public static boolean load(Consumer<String> warn) {
        Boolean known = loaded;
        return known != null ? known : loadOnce(warn);
    }

    private static synchronized boolean loadOnce(Consumer<String> warn) {
        if (loaded == null) {
            loaded = isBound() || tryLoad(warn);
        }
        return loaded;
    }

    /** The folder of the library for a platform, empty when there is none for it. */
    static Optional<String> folder(String os, String arch, boolean musl) {
        if (!os.toLowerCase(Locale.ROOT).startsWith("linux")) {
            return Optional.empty();
        }
        String libc = musl ? "linux-musl-" : "linux-";
        switch (arch.toLowerCase(Locale.ROOT)) {
            case "amd64":
            case "x86_64":
                return Optional.of(libc + "x64");
            case "aarch64":
            case "arm64":
                return Optional.of(libc + "arm64");
            default:
                return Optional.empty();
        }
    }

    /** The path in a line of {@code /proc/self/maps}, empty when memory of no file is mapped there. */
    static String mappedPath(String line) {
        int slash = line.indexOf('/');
        return slash < 0 ? "" : line.substring(slash);
    }

    /** The profiler that is mapped already, by its path. */
    static Optional<String> mappedAgent(List<String> maps) {
        return maps.stream().map(NativeAgent::mappedPath)
                .filter(path -> path.endsWith("/" + SUFFIX) || path.endsWith("-" + SUFFIX)).findFirst();
    }

    /** The JVM looks for native methods in agents too: one that came by -agentpath or attach answers at once. */
    private static boolean isBound() {
        try {
            return Agent.execute("version") != null;
        } catch (LinkageError e) {
            return false;
        }
    }

    private static boolean tryLoad(Consumer<String> warn) {
        try {
            if (System.getProperty("java.specification.version", "").startsWith("1.")) {
                warn.accept("the native profiler needs JDK 11 or later: no JFR is recorded");
                return false;
            }
            return loadFor(Self.lines("/proc/self/maps"), warn);
        } catch (IOException | RuntimeException | LinkageError e) {
            if (!libraryHasSaidWhy(e)) {
                warn.accept("the native profiler could not be loaded, no JFR is recorded: " + e
                        + "; a -Djava.io.tmpdir that may hold programs helps where the default does not");
            }
            return false;
        }
    }

    /** A library that refuses this JVM writes the reason itself; the JVM then only complains about its version. */
    private static boolean libraryHasSaidWhy(Throwable e) {
        return e instanceof UnsatisfiedLinkError && String.valueOf(e.getMessage()).contains("unsupported JNI version");
    }

    private static boolean loadFor(List<String> maps, Consumer<String> warn) throws IOException {
        Optional<String> there = mappedAgent(maps);
        if (there.isPresent()) {
            return reuse(there.get(), warn);
        }
        boolean musl = maps.stream().anyMatch(line -> mappedPath(line).contains("/ld-musl"));
        String os = System.getProperty("os.name", "");
        String arch = System.getProperty("os.arch", "");
        Optional<String> folder = folder(os, arch, musl);
        String name = FOLDER + folder.orElse("none") + "/libcharcloth.so";
        try (InputStream in = NativeAgent.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                warn.accept("there is no native profiler for " + os + " " + arch + (musl ? " (musl)" : "")
                        + " in the jar: no JFR is recorded");
                return false;
            }
            System.load(extract(in).toString());
            return true;
        }
    }

    /** A second copy would fight with the first one for its signals: it is that one or none. */
    private static boolean reuse(String path, Consumer<String> warn) {
        try {
            System.load(path);
            return true;
        } catch (UnsatisfiedLinkError e) {
            warn.accept("the native profiler is in this JVM already and cannot be shared, have the jar on one class path"
                    + " only: " + e.getMessage());
            return false;
        }
    }

    private static Path extract(InputStream in) throws IOException {
        Path folder = Paths.get(System.getProperty("java.io.tmpdir", "."));
        Path file = Files.createTempFile(folder, "charcloth-" + Self.pid() + "-", "-" + SUFFIX,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        new File(file.toString()).deleteOnExit();
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        return file.toAbsolutePath();
    }
}
