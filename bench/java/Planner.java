import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Deep stacks as a query planner has them: rules that walk a tree of expressions, 70 frames and more.
 *
 * <p>Usage: {@code java Planner SECONDS THREADS}: seconds of CPU time of each thread.
 */
public final class Planner {
    private static final int BOTTOM = 4; // rules find something to do there: a few hundred distinct stacks
    private static volatile Object sink;

    private abstract static class Node {
        final List<Node> children = new ArrayList<>();
        int level;

        abstract Node with(List<Node> children);

        /** Bottom up: the children first, then this one. */
        Node transform(UnaryOperator<Node> rule) {
            return rule.apply(mapChildren(rule));
        }

        Node mapChildren(UnaryOperator<Node> rule) {
            List<Node> made = new ArrayList<>(children.size());
            for (Node child : children) {
                made.add(visit(child, rule));
            }
            return with(made);
        }

        Node visit(Node child, UnaryOperator<Node> rule) {
            return child.transform(rule);
        }

        Node fill(List<Node> from) {
            level = from.get(0).level + 1;
            children.addAll(from);
            return this;
        }

        abstract long cost(long seed);
    }

    private static final class Project extends Node {
        @Override Node with(List<Node> from) { return new Project().fill(from); }

        @Override long cost(long seed) { return hashColumns(seed); }

        private static long hashColumns(long seed) { return Truth.mix(seed, 3000); }
    }

    private static final class Filter extends Node {
        @Override Node with(List<Node> from) { return new Filter().fill(from); }

        @Override long cost(long seed) { return selectivity(seed) + Truth.mix(seed, 1000); }

        private static long selectivity(long seed) { return Truth.mix(seed, 2000); }
    }

    private static final class Join extends Node {
        @Override Node with(List<Node> from) { return new Join().fill(from); }

        @Override long cost(long seed) { return children.isEmpty() ? seed : reorder(seed, children.size()); }

        private static long reorder(long seed, int n) { return n == 0 ? Truth.mix(seed, 3000) : reorder(seed + n, n - 1); }
    }

    private static final class Literal extends Node {
        @Override Node with(List<Node> from) { return this; }

        @Override long cost(long seed) { return Long.toString(seed).hashCode(); }
    }

    private static Node tree(int depth, int at) {
        if (depth == 0) {
            return new Literal();
        }
        Node node = at % 3 == 0 ? new Project() : at % 3 == 1 ? new Filter() : new Join();
        // mostly chains, now and then a join of two: depth without a tree of a million nodes
        int width = depth % 7 == 3 ? 2 : 1;
        for (int i = 0; i < width; i++) {
            node.children.add(tree(depth - 1, at * 2 + i + 1));
        }
        node.level = depth;
        return node;
    }

    private static Node pushDown(Node node) {
        if (node.level < BOTTOM) {
            sink = node.cost(node.children.size());
        }
        return node;
    }

    private static Node foldConstants(Node node) {
        if (node.level < BOTTOM) {
            sink = node.cost(7) ^ node.cost(9);
        }
        return node;
    }

    private static Node prune(Node node) {
        if (node.level == 1) {
            sink = Long.toString(node.cost(3)) + node.level;
        }
        return node;
    }

    private static Node optimize(Node plan) {
        return plan.transform(Planner::pushDown).transform(Planner::foldConstants).transform(Planner::prune);
    }

    private static void work(long cpuNs) {
        Node[] plans = new Node[4];
        for (int i = 0; i < plans.length; i++) {
            plans[i] = tree(26 + i, i);
        }
        for (int i = 0; Truth.threadCpu() < cpuNs; i++) {
            sink = optimize(plans[i % plans.length]);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long cpuNs = Long.parseLong(args[0]) * 1_000_000_000L;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            threads.add(new Thread(() -> work(cpuNs), "planner-" + i));
            threads.get(i).start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Truth.say("process", Truth.processCpu());
    }
}
