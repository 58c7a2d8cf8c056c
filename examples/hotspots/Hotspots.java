import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/**
 * Prices orders with three planted faults, each of which a profile must show:
 *
 * <ul>
 *   <li>CPU: {@code Rules.matches} compiles its pattern again for every order.
 *   <li>Memory: {@code Invoice.render} joins its lines with {@code +=}.
 *   <li>Waiting: {@code Ledger.post} sums up all accounts while it holds the only lock.
 * </ul>
 *
 * <p>Usage: {@code java Hotspots [SECONDS]}. Prints how many orders were priced.
 */
public final class Hotspots {
    private static final int WORKERS = 3;

    /** One order: who buys what for how much. */
    static final class Order {
        final String customer;
        final String[] items;
        final long[] cents;

        Order(Random random) {
            customer = "customer-" + random.nextInt(500);
            items = new String[3 + random.nextInt(6)];
            cents = new long[items.length];
            for (int i = 0; i < items.length; i++) {
                items[i] = "sku-" + random.nextInt(10_000) + (random.nextInt(4) == 0 ? "-sale" : "-plain");
                cents[i] = 100 + random.nextInt(10_000);
            }
        }
    }

    /** Which discount an item gets. */
    static final class Rules {
        private static final String[] RULES = {
            "sku-[0-9]*[02468]-sale", "sku-(1|2|3)[0-9]{3}-.*", "sku-.*[13579]-(plain|sale)", "sku-9+-plain",
            "sku-[1-4][0-9]*-sale", "(sku|lot)-[0-9]{4}-(plain|sale)",
        };

        static boolean matches(String rule, String item) {
            return Pattern.compile(rule).matcher(item).matches();
        }

        static long discounted(String item, long cents) {
            long price = cents;
            for (String rule : RULES) {
                if (matches(rule, item)) {
                    price -= price / 20;
                }
            }
            return price;
        }
    }

    /** The text that goes to the customer. */
    static final class Invoice {
        static String render(Order order, long[] prices) {
            String text = "Invoice for " + order.customer + "\n";
            for (int copy = 0; copy < 16; copy++) {
                for (int i = 0; i < prices.length; i++) {
                    text += order.items[i] + ": " + prices[i] + " cents\n";
                }
            }
            return text;
        }
    }

    /** What every customer owes. */
    static final class Ledger {
        private final Map<String, Long> owed = new HashMap<>();
        private long total;

        synchronized void post(String customer, long cents) {
            owed.merge(customer, cents, Long::sum);
            long sum = 0;
            for (int pass = 0; pass < 3; pass++) {
                for (long one : owed.values()) {
                    sum += one;
                }
            }
            total = sum / 3;
        }

        synchronized long total() {
            return total;
        }
    }

    private static void work(Ledger ledger, long seed, long deadlineNanos, LongAdder priced) {
        Random random = new Random(seed);
        List<String> outbox = new ArrayList<>();
        while (System.nanoTime() < deadlineNanos) {
            Order order = new Order(random);
            long[] prices = new long[order.items.length];
            long sum = 0;
            for (int i = 0; i < prices.length; i++) {
                prices[i] = Rules.discounted(order.items[i], order.cents[i]);
                sum += prices[i];
            }
            outbox.add(Invoice.render(order, prices));
            ledger.post(order.customer, sum);
            priced.increment();
            if (outbox.size() == 1000) {
                outbox.clear();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long seconds = args.length > 0 ? Long.parseLong(args[0]) : 12;
        long deadlineNanos = System.nanoTime() + seconds * 1_000_000_000L;
        Ledger ledger = new Ledger();
        LongAdder priced = new LongAdder();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            long seed = i;
            Thread worker = new Thread(() -> work(ledger, seed, deadlineNanos, priced), "pricing-" + i);
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("priced " + priced.sum() + " orders, " + ledger.total() / 100 + " owed");
    }
}
