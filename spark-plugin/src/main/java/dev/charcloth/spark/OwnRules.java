package dev.charcloth.spark;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Our own keys. */
final class OwnRules implements Rules {
    private final Conf conf;

    OwnRules(Conf conf) {
        this.conf = conf;
    }

    /** One of our keys that says who or what is recorded; null if none is set. */
    static String present(Conf conf) {
        for (Key key : Key.values()) {
            if (key.rules && conf.has(key.key)) {
                return key.key;
            }
        }
        return null;
    }

    @Override
    public Dialect dialect() {
        return Dialect.CHARCLOTH;
    }

    @Override
    public boolean driver() {
        return conf.read(Key.DRIVER, Parse::bool);
    }

    @Override
    public Share executors() {
        return conf.read(Key.EXECUTORS, Share::parse);
    }

    @Override
    public String agentOptions() {
        String events = conf.read(Key.EVENTS, Events::parse).options(conf);
        String more = AgentOptions.read(conf, Key.OPTIONS.key, Key.OPTIONS.fallback);
        return more.isEmpty() ? events : events + "," + more;
    }

    @Override
    public String defaultOptions() {
        return new OwnRules(Conf.NONE).agentOptions();
    }

    @Override
    public String optionsTold() {
        return Stream.of(Key.EVENTS, Key.INTERVAL, Key.OPTIONS).filter(k -> conf.has(k.key))
                .map(k -> conf.told(k.key)).collect(Collectors.joining(", "));
    }

    @Override
    public Layout layout() {
        return Layout.own();
    }
}
