package dev.charcloth.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A configuration that a test puts together, and the warnings that came of it. */
final class Given {
    final Map<String, String> conf = new HashMap<>();
    final Map<String, String> env = new HashMap<>();
    final List<String> warnings = new ArrayList<>();

    static Given conf(String... keysAndValues) {
        Given given = new Given();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            given.conf.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return given;
    }

    Given env(String name, String value) {
        env.put(name, value);
        return this;
    }

    Settings driver(Dialect dialect) {
        return Settings.of(conf, env, true, dialect, warnings::add);
    }

    Settings executor(Dialect dialect) {
        return Settings.of(conf, env, false, dialect, warnings::add);
    }
}
