/**
 * Burns CPU in a method of its own. Usage: {@code java Spin SECONDS [STATUS]}; prints {@code up}, spins that long in
 * {@code Spin.burn}, and exits with the status.
 */
public final class Spin {
    private static volatile double sink;

    private static void burn() {
        for (int i = 0; i < 100_000; i++) {
            sink += Math.sqrt(i);
        }
    }

    public static void main(String[] arguments) {
        System.out.println("up");
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        while (System.nanoTime() < end) {
            burn();
        }
        System.exit(arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0);
    }
}
