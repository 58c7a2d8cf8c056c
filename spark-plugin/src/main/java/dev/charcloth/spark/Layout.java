package dev.charcloth.spark;

import java.util.Locale;

/**
 * Where below the output a recording lies and what it is called: ours, or as users of another profiler know it. Ids and
 * names come from outside; what this gives back are plain relative names that cannot leave the output.
 */
final class Layout {
    private static final int NAME_MAX = 100;

    /** Octal modes of the application's folder and of its files; null: as the file system makes them. */
    final String folderMode;
    final String fileMode;

    private enum Style { OWN, RELEASE, PREVIEW }

    private final Style style;
    private final String parent;
    private final String driver;
    private final String executor;

    private Layout(Style style, String parent, String driver, String executor) {
        this.style = style;
        this.parent = parent;
        this.driver = driver;
        this.executor = executor;
        this.folderMode = style == Style.RELEASE ? "770" : null;
        this.fileMode = style == Style.RELEASE ? "660" : null;
    }

    /** {@code <app-id>[_<attempt>]/driver.jfr} and {@code executor-<id>.jfr}. */
    static Layout own() {
        return new Layout(Style.OWN, "", "driver", "executor-");
    }

    /** Our names in a folder of the group. */
    static Layout group(String group) {
        return new Layout(Style.OWN, safe(group) + "/", "driver", "executor-");
    }

    /** As Spark's profiler since 4.0. */
    static Layout spark() {
        return new Layout(Style.RELEASE, "", "profile-driver", "profile-exec-");
    }

    /** As Spark's profiler in the previews of 4.0, which told no attempts apart. */
    static Layout preview(String appName) {
        String name = "profile-" + safe(appName.replace(' ', '-'));
        return new Layout(Style.PREVIEW, "", name + "-driver", name + "-exec-");
    }

    /** The application's folder below the output; an attempt of null or "" is none. */
    String folder(String appId, String attempt) {
        boolean only = style == Style.PREVIEW || attempt == null || attempt.isEmpty();
        return parent + component(appId) + (only ? "" : "_" + component(attempt));
    }

    /**
     * What the names of a process's files in that folder begin with. In local mode the executor's id is {@code driver}:
     * its name is still its own.
     */
    String stem(boolean isDriver, String executorId) {
        return isDriver ? driver : executor + safe(executorId);
    }

    /** The file, for 0, or its n-th part. */
    static String file(String stem, int n) {
        return stem + (n == 0 ? "" : "." + n) + ".jfr";
    }

    private String component(String text) {
        if (style != Style.RELEASE) {
            return safe(text);
        }
        return safe(text.replaceAll("[ :/]", "-").replaceAll("[.${}'\"]", "_").toLowerCase(Locale.ROOT));
    }

    /**
     * One component of a path. Beside {@code /} also what a Hadoop path ({@code :}) or the agent's options
     * ({@code , % =}) would read as something else becomes {@code _}.
     */
    static String safe(String text) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < text.length() && i < NAME_MAX; i++) {
            char c = text.charAt(i);
            boolean plain = Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.' && i > 0;
            s.append(plain ? c : '_');
        }
        return s.length() == 0 ? "_" : s.toString();
    }
}
