package dev.charcloth.spark;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The local folder that the native agent fills: {@code <n>.jfr}, n counting up, each finished when a later one exists.
 * Any thread may ask. A folder that is gone is an empty one.
 */
final class Segments {
    private static final String SUFFIX = ".jfr";
    private static final int MAX_DIGITS = 18;

    private final Path folder;
    private final long maxBytes;
    private final boolean keep;
    private boolean complete;
    private long from;
    private long taken = -1;
    private Path takenPath;

    /**
     * @param maxBytes what may wait here
     * @param keep     whether nothing is ever deleted; then there is no bound either
     */
    Segments(Path folder, long maxBytes, boolean keep) {
        this.folder = folder;
        this.maxBytes = maxBytes;
        this.keep = keep;
    }

    Path folder() {
        return folder;
    }

    /** The agent has stopped: the last one is finished, too. */
    synchronized void complete() {
        complete = true;
    }

    /** The oldest finished one that waits, or null. It is not dropped until it is given back. */
    synchronized Path take() {
        TreeMap<Long, Path> waiting = finished();

        if (waiting.isEmpty()) {
            return null;
        }
        taken = waiting.firstKey();
        takenPath = waiting.get(taken);
        return takenPath;
    }

    /** The one taken did not go out: it waits on. */
    synchronized void giveBack() {
        taken = -1;
    }

    /** The one taken has gone out, or will never. */
    synchronized void forget() {
        from = taken + 1;
        taken = -1;
        if (!keep) {
            delete(takenPath);
        }
    }

    /**
     * Deletes the oldest ones until the rest is within the bound. The newest stays whatever its size, lest a large one
     * were gone before it was tried.
     *
     * @return how many were deleted
     */
    synchronized int dropOldest() {
        TreeMap<Long, Path> waiting = finished();
        long bytes = bytes(waiting);
        int dropped = 0;

        if (keep || bytes <= maxBytes) {
            return 0;
        }
        for (Map.Entry<Long, Path> e : waiting.headMap(waiting.lastKey()).entrySet()) {
            if (bytes <= maxBytes) {
                break;
            }
            if (e.getKey() == taken) {
                continue;
            }
            bytes -= size(e.getValue());
            if (delete(e.getValue())) {
                dropped++;
            }
        }
        return dropped;
    }

    synchronized int waiting() {
        return finished().size();
    }

    synchronized long waitingBytes() {
        return bytes(finished());
    }

    /** Removes the folder if nothing is in it. */
    void removeFolder() {
        delete(folder);
    }

    private TreeMap<Long, Path> finished() {
        TreeMap<Long, Path> all = new TreeMap<>();

        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : files) {
                long n = number(file);
                if (n >= from) {
                    all.put(n, file);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // The agent says so when it cannot write there; nothing can be shipped from there in any case.
            all.clear();
        }
        if (!complete && !all.isEmpty()) {
            all.pollLastEntry();
        }
        return all;
    }

    /** -1: another's file. */
    private static long number(Path file) {
        String name = file.getFileName().toString();
        String digits = name.substring(0, name.length() - SUFFIX.length());
        boolean ours = !digits.isEmpty() && digits.length() <= MAX_DIGITS
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');

        return ours ? Long.parseLong(digits) : -1;
    }

    private static long bytes(TreeMap<Long, Path> files) {
        return files.values().stream().mapToLong(Segments::size).sum();
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean delete(Path path) {
        try {
            return Files.deleteIfExists(path);
        } catch (IOException e) {
            return false;
        }
    }
}
