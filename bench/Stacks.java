import java.util.ArrayList;
import java.util.List;

/**
 * Makes a large flight recording: allocates on thousands of distinct deep stacks from a few threads.
 *
 * <p>Usage: {@code java Stacks PATHS ALLOCATIONS}. Each of the 12 methods calls the next one that a path names; a path is a
 * number whose digits in base 12 are mixed anew at every level, so that stacks share beginnings as those of real programs
 * do. Every allocation that needs a new TLAB becomes an event.
 */
public final class Stacks {
    private static final int THREADS = 2;
    private static final int FANOUT = 12;
    private static volatile Object sink;

    private interface Service {
        int call(long path, int depth);
    }

    private static final Service[] SERVICES = {
        Stacks::parse, Stacks::validate, Stacks::resolve, Stacks::authorize, Stacks::lookup, Stacks::join,
        Stacks::aggregate, Stacks::filter, Stacks::project, Stacks::encode, Stacks::compress, Stacks::send,
    };

    private static int next(long path, int depth) {
        if (depth == 0) {
            byte[] block = new byte[400];
            sink = block;
            return block.length;
        }
        // the upper levels take few ways, the lower ones many
        long ways = depth > 24 ? 2 : depth > 12 ? 4 : FANOUT;
        long mixed = (path >>> (depth % 7)) * 0x9E3779B97F4A7C15L >>> 40;
        return SERVICES[(int) (mixed % ways)].call(path * 31 + depth, depth - 1);
    }

    private static int parse(long path, int depth) { return next(path, depth) + 1; }

    private static int validate(long path, int depth) { return next(path, depth) + 2; }

    private static int resolve(long path, int depth) { return next(path, depth) + 3; }

    private static int authorize(long path, int depth) { return next(path, depth) + 4; }

    private static int lookup(long path, int depth) { return next(path, depth) + 5; }

    private static int join(long path, int depth) { return next(path, depth) + 6; }

    private static int aggregate(long path, int depth) { return next(path, depth) + 7; }

    private static int filter(long path, int depth) { return next(path, depth) + 8; }

    private static int project(long path, int depth) { return next(path, depth) + 9; }

    private static int encode(long path, int depth) { return next(path, depth) + 10; }

    private static int compress(long path, int depth) { return next(path, depth) + 11; }

    private static int send(long path, int depth) { return next(path, depth) + 12; }

    private static void work(long paths, long allocations, long seed) {
        long state = seed;
        for (long i = 0; i < allocations; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            long path = (state >>> 33) % paths;
            SERVICES[(int) (path % FANOUT)].call(path * 7919, 20 + (int) (path % 24));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long paths = Long.parseLong(args[0]);
        long allocations = Long.parseLong(args[1]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long seed = i + 1;
            Thread thread = new Thread(() -> work(paths, allocations / THREADS, seed), "worker-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("allocated " + allocations);
    }
}
