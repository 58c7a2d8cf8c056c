package dev.charcloth.uber;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which part of a Spark application a JVM is, by its main class. */
final class Role {
    private static final Map<String, String> BY_MAIN_CLASS = new HashMap<>();

    static {
        for (String name : Arrays.asList("executor.CoarseGrainedExecutorBackend", "executor.MesosExecutorBackend",
                "executor.YarnCoarseGrainedExecutorBackend", "scheduler.cluster.k8s.KubernetesExecutorBackend")) {
            BY_MAIN_CLASS.put("org.apache.spark." + name, "executor");
        }
        for (String name : Arrays.asList("SparkSubmit", "yarn.ApplicationMaster", "worker.DriverWrapper")) {
            BY_MAIN_CLASS.put("org.apache.spark.deploy." + name, "driver");
        }
    }

    private Role() {
    }

    /** {@code driver}, {@code executor}, or null for any other command. */
    static String of(String command) {
        List<String> words = Arrays.asList(command.trim().split("\\s+"));
        return isSubmitter(words) ? null : BY_MAIN_CLASS.get(words.get(0));
    }

    /** In cluster mode SparkSubmit hands the application over and only watches: the driver runs elsewhere. */
    private static boolean isSubmitter(List<String> words) {
        int mode = words.indexOf("--deploy-mode");
        return mode >= 0 && mode + 1 < words.size() && words.get(mode + 1).equals("cluster")
                || words.contains("spark.submit.deployMode=cluster");
    }
}
