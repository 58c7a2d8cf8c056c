package dev.charcloth.spark;

/**
 * The table of our own configuration keys; {@code docs/spark.md} is made from it. A default of null means that nothing
 * is taken unless the key is set.
 */
enum Key {
    ENABLED("enabled", "boolean", "true", false, "`false` switches everything off"),
    DRIVER("driver", "boolean", "true", true, "record the driver"),
    EXECUTORS("executors", "share", "all", true,
            "which executors record: `all`, `none`, a share (`0.25` or `25%`), a count (`3`), or `ids:1,5`"),
    AUTO_START("autoStart", "boolean", "true", false, "`false`: record only from `Charcloth.start` on"),
    SEED("seed", "number", null, false,
            "chooses other executors for a share, always the same ones; unset, executor 1 is among them"),
    EVENTS("events", "list", "cpu", true,
            "what is recorded: `cpu`, `wall`, `alloc`, `live`, `lock`, perf events; `wall=20ms`, `alloc=2m` and "
                    + "`lock=1ms` set their measure"),
    INTERVAL("interval", "time", "10ms", true,
            "CPU time from sample to sample, at least `10us`; with `wall` and without `cpu` the time on the wall"),
    OPTIONS("options", "text", null, true, "more [options of the agent](agent.md#options), as they are"),
    OUTPUT("output", "path", null, false,
            "a folder of any Hadoop file system; unset, recordings stay in `localDir` of their machine"),
    LOCAL_DIR("localDir", "path", null, false,
            "where recordings grow before they are sent; unset, `java.io.tmpdir` of the process"),
    KEEP_LOCAL("keepLocal", "boolean", "false", false, "leave the local file where it is after it was sent"),
    FLUSH_INTERVAL("flushInterval", "time", "10s", false,
            "how often what is new goes to `output`, at least `100ms`; `0s`: only at the end"),
    MAX_OVERHEAD("maxOverhead", "percent", "2", false,
            "CPU of the process that recording may take before it samples less often"),
    PYTHON("python", "boolean", "false", false, "reserved: has no effect yet"),
    TAGS("tags", "pairs", null, false, "labels of all recordings, `team=search,env=prod`");

    static final String PREFIX = "spark.charcloth.";

    final String key;
    final String type;
    final String fallback;
    /** Says who or what is recorded, so that a foreign configuration beside it cannot rule as well. */
    final boolean rules;
    final String doc;

    Key(String name, String type, String fallback, boolean rules, String doc) {
        this.key = PREFIX + name;
        this.type = type;
        this.fallback = fallback;
        this.rules = rules;
        this.doc = doc;
    }

    @Override
    public String toString() {
        return key;
    }

    /** The key whose name is nearest to one that does not exist. */
    static Key nearest(String unknown) {
        Key best = ENABLED;
        for (Key k : values()) {
            if (distance(k.key, unknown) < distance(best.key, unknown)) {
                best = k;
            }
        }
        return best;
    }

    /** Letters to insert, drop or change to get from one to the other; case counts for nothing. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                boolean same = Character.toLowerCase(a.charAt(i - 1)) == Character.toLowerCase(b.charAt(j - 1));
                int change = diagonal + (same ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
