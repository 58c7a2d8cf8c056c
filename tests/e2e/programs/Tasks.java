import dev.charcloth.Agent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs tasks one after the other and tells the profiler about them, but not of the end of one whose thread ends with it.
 * The last one never ends: the process is halted in the middle of it.
 */
public class Tasks {
    static volatile long sink;

    static void burn(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        while (System.nanoTime() < end) {
            sink++;
        }
    }

    static void task(long id, int stage, String result) {
        Agent.taskStart(id, stage, 0, (int) id % 4, 0, 7, "exec-1", "group \u00e9\ud83d\ude00", "two\nlines");
        burn(200);
        if (result != null) {
            Agent.taskEnd(result);
        }
    }

    static void measure(int n) {
        long before = System.nanoTime();
        for (int i = 0; i < n; i++) {
            Agent.taskStart(1000 + i, 9, 0, i, 0, -1, "exec-1", "group", null);
            Agent.taskEnd("ok");
        }
        System.out.println("pair_ns " + (System.nanoTime() - before) / n);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("late")) {
            Thread gone = new Thread(() -> Agent.taskStart(49, 5, 0, 0, 0, -1, null, null, "ended before, too"));
            gone.start();
            gone.join();
            Agent.taskStart(50, 5, 0, 0, 0, -1, null, null, "began before the recording");
            System.out.print(Agent.execute("start,event=cpu,interval=1ms,file=" + arguments[1]));
            burn(200);
            Agent.taskEnd("ok");
            System.out.print(Agent.execute("stop"));
            System.out.print(Agent.execute("stop"));
            return;
        }
        if (arguments[0].equals("measure")) {
            for (int i = 0; i < 5; i++) {
                measure(2000);
                Thread.sleep(300);
            }
            return;
        }
        Thread worker = new Thread(() -> {
            task(1, 3, "ok");
            task(2, 3, "failed");
        }, "worker");
        worker.start();
        worker.join();
        Thread leaver = new Thread(() -> task(4, 4, null), "leaver");
        leaver.start();
        leaver.join();
        CountDownLatch burnt = new CountDownLatch(1);
        new Thread(() -> {
            task(3, 4, null);
            burnt.countDown();
            LockSupport.park();
        }, "last").start();
        burnt.await();
        Thread.sleep(1500); // a flush writes what there is every second
        System.out.println("halt");
        System.out.flush();
        Runtime.getRuntime().halt(9);
    }
}
