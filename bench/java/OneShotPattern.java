import java.util.function.LongUnaryOperator;

/** What OneShot runs under thousands of names: a loop over rows, as generated code has it. */
public final class OneShotPattern implements LongUnaryOperator {
    private long sum;

    @Override
    public long applyAsLong(long ns) {
        long end = System.nanoTime() + ns;
        while (System.nanoTime() < end) {
            processNext();
        }
        return sum;
    }

    private void processNext() {
        for (int row = 0; row < 200; row++) {
            sum = consume(sum, row);
        }
    }

    private static long consume(long sum, int row) {
        long h = sum + row;
        for (int i = 0; i < 5; i++) {
            h = h * 6364136223846793005L + 1442695040888963407L;
        }
        return h ^ h >>> 17;
    }
}
