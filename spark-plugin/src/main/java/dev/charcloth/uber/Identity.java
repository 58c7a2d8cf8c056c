package dev.charcloth.uber;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.charcloth.Self;

/** What all records of a process have in common, taken once at the start. Immutable. */
final class Identity {
    private static final String APP_ID_OPTION = "--app-id";

    private final String uuid;
    private final Map<String, Object> fields;

    private Identity(String uuid, Map<String, Object> fields) {
        this.uuid = uuid;
        this.fields = Collections.unmodifiableMap(fields);
    }

    static Identity of(Arguments arguments) {
        String host = Self.host();
        String uuid = UUID.randomUUID().toString();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", Self.pid() + "@" + host);
        fields.put("host", host);
        fields.put("processUuid", uuid);
        fields.put("appId", appIdOf(arguments));
        putIfKnown(fields, "tag", arguments.tag());
        putIfKnown(fields, "cluster", arguments.cluster());
        putIfKnown(fields, "role", Role.of(Self.command()));
        return new Identity(uuid, fields);
    }

    String uuid() {
        return uuid;
    }

    /** A new record that a profiler may add its own fields to. */
    Map<String, Object> record() {
        return new LinkedHashMap<>(fields);
    }

    /** A new record with the time of now. */
    Map<String, Object> recordOfNow() {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("epochMillis", System.currentTimeMillis());
        record.putAll(fields);
        return record;
    }

    private static void putIfKnown(Map<String, Object> fields, String key, String value) {
        if (value != null) {
            fields.put(key, value);
        }
    }

    private static String appIdOf(Arguments arguments) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        String variable = arguments.appIdVariable();
        List<String> texts = new ArrayList<>();
        texts.add(Self.command());
        texts.addAll(runtime.getInputArguments());
        texts.add(runtime.getClassPath());
        return appId(variable == null ? null : System.getenv(variable), System.getProperty("spark.app.id"),
                arguments.appIdRegex(), texts);
    }

    /**
     * The first that is known: what is stated, else what the expression finds in the texts, else what follows
     * {@code --app-id} in the first of them, the command line.
     */
    static String appId(String fromEnvironment, String fromProperty, Pattern regex, List<String> texts) {
        if (fromEnvironment != null && !fromEnvironment.isEmpty()) {
            return fromEnvironment;
        }
        if (fromProperty != null && !fromProperty.isEmpty()) {
            return fromProperty;
        }
        for (String text : texts) {
            Matcher matcher = regex.matcher(text);
            if (matcher.find() && !matcher.group().isEmpty()) {
                return matcher.group();
            }
        }
        return ProcessInfo.optionOf(texts.get(0), APP_ID_OPTION);
    }
}
