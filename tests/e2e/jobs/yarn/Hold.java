import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Two tasks that burn CPU until {@code FOLDER/end} is there. Meanwhile each writes the time into {@code
 * FOLDER/<executor>.<pid>}. The result is always the same.
 */
public final class Hold {
    private static final int TASKS = 2;

    private Hold() {
    }

    public static void main(String[] args) {
        String folder = args[0];
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf().setAppName("Hold"))) {
            long sum = context.parallelize(Arrays.asList(1L, 2L), TASKS).map(n -> burn(n, Paths.get(folder)))
                    .mapToPair(n -> new Tuple2<>(n % 1000, n)).reduceByKey(Long::sum, TASKS).values()
                    .reduce(Long::sum);
            System.out.println("result " + sum);
        }
    }

    private static long burn(long n, Path folder) throws IOException {
        String executor = SparkEnv.get().executorId();
        Path beat = folder.resolve(executor + "." + ProcessHandle.current().pid());
        Path scratch = folder.resolve("." + beat.getFileName() + "." + TaskContext.getPartitionId());
        long x = n;
        while (!Files.exists(folder.resolve("end"))) {
            for (int i = 0; i < 2_000_000; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
            }
            Files.write(scratch, Long.toString(System.currentTimeMillis()).getBytes());
            Files.move(scratch, beat, StandardCopyOption.ATOMIC_MOVE);
        }
        return x == 0 ? 0 : n * 1_000_003;
    }
}
