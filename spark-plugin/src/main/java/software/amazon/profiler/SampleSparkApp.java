package software.amazon.profiler;

import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A job to try a profiler with: each core of the executors looks for a prime of n thousand bits (n is the argument, 1
 * unless given), the driver for one of 5000 bits.
 */
public final class SampleSparkApp {
    private static final int DRIVER_BITS = 5000;

    private SampleSparkApp() {
    }

    public static void main(String[] args) {
        int bits = 1000 * (args.length > 0 ? Integer.parseInt(args[0]) : 1);
        SparkConf conf = new SparkConf();
        conf.setAppName(conf.get("spark.app.name", SampleSparkApp.class.getSimpleName()));
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            int cores = context.defaultParallelism();
            List<Integer> sizes = Collections.nCopies(cores, bits);
            for (BigInteger prime : context.parallelize(sizes, cores).map(SampleSparkApp::prime).collect()) {
                print("An executor", prime);
            }
            print("The driver", prime(DRIVER_BITS));
        }
    }

    private static BigInteger prime(int bits) {
        return BigInteger.probablePrime(bits, new Random());
    }

    private static void print(String who, BigInteger prime) {
        System.out.println(who + " found a prime of " + prime.bitLength() + " bits: " + prime);
    }
}
