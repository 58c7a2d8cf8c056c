package dev.charcloth.spark;

/**
 * Has the JVM wait for something when it ends. Spark stops an executor from a thread of its own; a signal that comes
 * meanwhile, as from a worker or node manager, would else end the process in the middle of the last upload.
 */
final class AtExit {
    private final Thread hook;

    /** @param what may be called while it is being done by another thread; it then waits for that one */
    AtExit(String name, Runnable what) {
        this.hook = new Thread(what, name);
    }

    void add() {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is about to end: there will be nothing to wait for.
        }
    }

    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs, or has run.
        }
    }
}
