import dev.charcloth.Agent;
import java.util.concurrent.CountDownLatch;

/** A thread waits for a monitor while one recording of locks ends, and again while the next one begins. */
public class Across {
    static final Object MONITOR = new Object();

    static void enter() {
        synchronized (MONITOR) {
            Thread.onSpinWait();
        }
    }

    static void awaitBlocked(Thread thread) throws InterruptedException {
        while (thread.getState() != Thread.State.BLOCKED) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch again = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            enter();
            try {
                again.await();
            } catch (InterruptedException e) {
                return;
            }
            enter();
        });

        System.out.print(Agent.execute("start,lock=0,file=" + arguments[0]));
        synchronized (MONITOR) {
            waiter.start();
            awaitBlocked(waiter);
            System.out.print(Agent.execute("stop"));
        }
        synchronized (MONITOR) {
            again.countDown();
            awaitBlocked(waiter);
            System.out.print(Agent.execute("start,lock=0,file=" + arguments[1]));
        }
        waiter.join();
        System.out.print(Agent.execute("stop"));
    }
}
