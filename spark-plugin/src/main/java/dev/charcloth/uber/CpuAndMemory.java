package dev.charcloth.uber;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.OperatingSystemMXBean;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.charcloth.Self;

/** CPU, heap, collectors and memory of the process at a moment. */
final class CpuAndMemory implements Profiler {
    static final String NAME = "CpuAndMemory";

    /** The fields that come from /proc/self/status, and their names there. */
    private static final String[][] STATUS = {
        {"vmRSS", "VmRSS"}, {"vmHWM", "VmHWM"}, {"vmSize", "VmSize"}, {"vmPeak", "VmPeak"},
    };

    private final Identity identity;

    CpuAndMemory(Identity identity) {
        this.identity = identity;
    }

    @Override
    public void report(Reporter to) {
        Map<String, Object> record = identity.recordOfNow();
        putCpu(record);
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        putMemory(record, "heapMemory", memory.getHeapMemoryUsage());
        putMemory(record, "nonHeapMemory", memory.getNonHeapMemoryUsage());
        record.put("gc", each(ManagementFactory.getGarbageCollectorMXBeans(), CpuAndMemory::collector));
        record.put("memoryPools", each(ManagementFactory.getMemoryPoolMXBeans(), CpuAndMemory::memoryPool));
        record.put("bufferPools",
                each(ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class), CpuAndMemory::bufferPool));
        putStatus(record, Self.lines("/proc/self/status"));
        to.report(NAME, record);
    }

    /** A share of 0 to 1; not a number where the JVM does not know it, which it tells by a negative one. */
    static double load(double load) {
        return load >= 0 ? load : Double.NaN;
    }

    /** Adds the sizes that the lines of a status file have, in bytes. */
    static void putStatus(Map<String, Object> record, List<String> lines) {
        Map<String, Long> values = ProcText.values(lines);
        for (String[] names : STATUS) {
            if (values.containsKey(names[1])) {
                record.put(names[0], values.get(names[1]));
            }
        }
    }

    private static void putCpu(Map<String, Object> record) {
        double process = Double.NaN;
        double system = Double.NaN;
        Long time = null;
        try {
            OperatingSystemMXBean bean = ManagementFactory.getOperatingSystemMXBean();
            if (bean instanceof com.sun.management.OperatingSystemMXBean) {
                com.sun.management.OperatingSystemMXBean more = (com.sun.management.OperatingSystemMXBean) bean;
                process = load(more.getProcessCpuLoad());
                system = load(more.getSystemCpuLoad());
                time = more.getProcessCpuTime();
            }
        } catch (LinkageError e) {
            // A runtime image without jdk.management: the loads stay unknown.
            time = null;
        }
        record.put("processCpuLoad", process);
        record.put("systemCpuLoad", system);
        record.put("processCpuTime", time);
    }

    private static void putMemory(Map<String, Object> record, String prefix, MemoryUsage usage) {
        record.put(prefix + "TotalUsed", (double) usage.getUsed());
        record.put(prefix + "Committed", (double) usage.getCommitted());
        record.put(prefix + "Max", (double) usage.getMax());
    }

    private static <T> List<Map<String, Object>> each(List<T> beans, Function<T, Map<String, Object>> record) {
        return beans.stream().map(record).collect(Collectors.toList());
    }

    private static Map<String, Object> collector(GarbageCollectorMXBean bean) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", bean.getName());
        map.put("collectionCount", bean.getCollectionCount());
        map.put("collectionTime", bean.getCollectionTime());
        return map;
    }

    private static Map<String, Object> memoryPool(MemoryPoolMXBean bean) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", bean.getName());
        map.put("type", bean.getType().toString());
        putPool(map, "usage", bean.getUsage());
        putPool(map, "peakUsage", bean.getPeakUsage());
        return map;
    }

    private static void putPool(Map<String, Object> map, String prefix, MemoryUsage usage) {
        if (usage != null) { // null for a pool that is no longer valid
            map.put(prefix + "Used", usage.getUsed());
            map.put(prefix + "Committed", usage.getCommitted());
            map.put(prefix + "Max", usage.getMax());
        }
    }

    private static Map<String, Object> bufferPool(BufferPoolMXBean bean) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", bean.getName());
        map.put("count", bean.getCount());
        map.put("memoryUsed", bean.getMemoryUsed());
        map.put("totalCapacity", bean.getTotalCapacity());
        return map;
    }
}
