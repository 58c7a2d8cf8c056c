import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads a recording with the JDK's own library.
 *
 * <p>Usage: {@code java Read FILE}. Prints {@code type NAME COUNT} for each type, and {@code bare N}: samples without a
 * stack or a thread.
 */
public final class Read {
    private static boolean isBare(RecordedEvent event) {
        boolean sample = event.getEventType().getName().equals("jdk.ExecutionSample");
        return sample && (event.getStackTrace() == null || event.getStackTrace().getFrames().isEmpty()
                || event.getThread("sampledThread") == null);
    }

    public static void main(String[] args) throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        int bare = 0;
        try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                counts.merge(event.getEventType().getName(), 1, Integer::sum);
                bare += isBare(event) ? 1 : 0;
            }
        }
        counts.forEach((type, n) -> System.out.println("type\t" + type + "\t" + n));
        System.out.println("bare\t" + bare);
    }
}
