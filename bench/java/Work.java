import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A fixed amount of mixed work whenever a line comes in; answers with the thread's CPU time and the wall time.
 *
 * <p>Usage: {@code java Work UNITS}. The profiler is started and stopped from outside between the rounds.
 */
public final class Work {
    private static volatile long sink;

    private static long hash(int seed) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] block = new byte[4096];
        new Random(seed).nextBytes(block);
        long sum = 0;
        for (int i = 0; i < 20; i++) {
            byte[] made = digest.digest(block);
            block[i] = made[0];
            sum += made[1];
        }
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            counts.merge((int) (i * 2654435761L >>> 12) & 4095, 1, Integer::sum);
        }
        return sum + counts.size();
    }

    private static long sort(int seed) {
        Random random = new Random(seed);
        Integer[] boxed = new Integer[8_000];
        Arrays.setAll(boxed, i -> random.nextInt());
        Arrays.sort(boxed, Comparator.comparingInt(x -> x ^ 0x5a5a));
        int[] plain = random.ints(20_000).toArray();
        Arrays.sort(plain);
        return boxed[7] + plain[9];
    }

    private static long text(int seed) {
        StringBuilder built = new StringBuilder();
        for (int i = 0; i < 8_000; i++) {
            built.append("item-").append(i ^ seed).append(',');
        }
        long hash = 0;
        for (String part : built.toString().split(",")) {
            hash = hash * 31 + part.hashCode();
        }
        return hash + String.format("%d %s", seed, "x").length();
    }

    private static long stream(int seed) {
        return IntStream.range(0, 20_000)
                .mapToObj(i -> i * 31 + seed)
                .filter(i -> (i & 3) != 0)
                .map(i -> Integer.toString(i))
                .collect(Collectors.groupingBy(String::length, Collectors.summingInt(String::length)))
                .values().stream().mapToLong(Integer::longValue).sum();
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    private static void units(int n) throws Exception {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += hash(i) + sort(i) + text(i) + stream(i) + fib(22);
        }
        sink = sum;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        units(Integer.parseInt(args[1]));
        Truth.say("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            System.gc();
            long wall = System.nanoTime();
            long cpu = Truth.threadCpu();
            units(n);
            Truth.say("took", Truth.threadCpu() - cpu, System.nanoTime() - wall);
        }
    }
}
