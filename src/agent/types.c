#include "agent/types.h"

#include "agent/record.h"

/*
 * Fields in the order in which they are written: emit.c, intern.c, constants.c, runs.c, labels.c and
 * metrics*.c go by it.
 */
#define FIELDS(name) static const struct ch_jfr_field_def name[]
#define START                                                                                      \
	{                                                                                          \
		"startTime", "long", .note = { "jdk.jfr.Timestamp", "TICKS" }                      \
	}
#define SPAN(name)                                                                                 \
	{                                                                                          \
		name, "long", .note = { "jdk.jfr.Timespan", "TICKS" }                              \
	}
#define NANOS(name)                                                                                \
	{                                                                                          \
		name, "long", .note = { "jdk.jfr.Timespan", "NANOSECONDS" }                        \
	}
#define BYTES(name)                                                                                \
	{                                                                                          \
		name, "long", .note = { "jdk.jfr.DataAmount", "BYTES" }                            \
	}
#define SHARE(name)                                                                                \
	{                                                                                          \
		name, "float", .note = { "jdk.jfr.Percentage" }                                    \
	}
#define POOL(name, type)                                                                           \
	{                                                                                          \
		name, type, .pooled = true                                                         \
	}
#define EVENT_THREAD POOL("eventThread", "java.lang.Thread")
#define SAMPLED      POOL("sampledThread", "java.lang.Thread")
#define STACK        POOL("stackTrace", "jdk.types.StackTrace")
#define STATE        POOL("state", "jdk.types.ThreadState")

FIELDS(value_fields) = { { "value", "java.lang.String" } };
FIELDS(name_fields) = { { "name", "java.lang.String" } };
FIELDS(symbol_fields) = { { "string", "java.lang.String" } };
FIELDS(text_fields) = { { "description", "java.lang.String" } };
FIELDS(when_fields) = { { "when", "java.lang.String" } };
FIELDS(thread_fields) = { { "osName", "java.lang.String" },
	                  { "osThreadId", "long" },
	                  { "javaName", "java.lang.String" },
	                  { "javaThreadId", "long" } };
FIELDS(class_fields) = { POOL("classLoader", "jdk.types.ClassLoader"),
	                 POOL("name", "jdk.types.Symbol"),
	                 POOL("package", "jdk.types.Package"),
	                 { "modifiers", "int" } };
FIELDS(loader_fields) = { POOL("type", "java.lang.Class"), POOL("name", "jdk.types.Symbol") };
FIELDS(package_fields) = { POOL("name", "jdk.types.Symbol") };
FIELDS(method_fields) = { POOL("type", "java.lang.Class"),
	                  POOL("name", "jdk.types.Symbol"),
	                  POOL("descriptor", "jdk.types.Symbol"),
	                  { "modifiers", "int" },
	                  { "hidden", "boolean" } };
FIELDS(frame_fields) = { POOL("method", "jdk.types.Method"),
	                 { "lineNumber", "int" },
	                 POOL("type", "jdk.types.FrameType") };
FIELDS(stack_fields) = { { "truncated", "boolean" },
	                 { "frames", "jdk.types.StackFrame", .array = true } };
FIELDS(space_fields) = { { "start", "long" },
	                 { "committedEnd", "long" },
	                 BYTES("committedSize"),
	                 { "reservedEnd", "long" },
	                 BYTES("reservedSize") };
FIELDS(cpu_fields) = { START, SAMPLED, STACK, STATE, { "samples", "int" } };
FIELDS(wall_fields) = { START, SAMPLED, STACK, STATE, { "samples", "int" }, SPAN("timeSpan") };
FIELDS(alloc_fields) = { START, EVENT_THREAD, STACK, POOL("objectClass", "java.lang.Class"),
	                 BYTES("weight") };
FIELDS(live_fields) = { START,
	                EVENT_THREAD,
	                STACK,
	                POOL("objectClass", "java.lang.Class"),
	                BYTES("allocationSize"),
	                { "allocationTime", "long", .note = { "jdk.jfr.Timestamp", "TICKS" } },
	                BYTES("weight") };
FIELDS(monitor_fields) = { START,
	                   SPAN("duration"),
	                   EVENT_THREAD,
	                   STACK,
	                   POOL("monitorClass", "java.lang.Class"),
	                   POOL("previousOwner", "java.lang.Thread"),
	                   { "address", "long" } };
FIELDS(park_fields) = { START,
	                SPAN("duration"),
	                EVENT_THREAD,
	                STACK,
	                POOL("parkedClass", "java.lang.Class"),
	                SPAN("timeout"),
	                { "until", "long" },
	                { "address", "long" } };
FIELDS(perf_fields) = {
	START, SAMPLED, STACK, { "event", "java.lang.String" }, { "weight", "long" }
};
FIELDS(span_fields) = { START,
	                SPAN("duration"),
	                EVENT_THREAD,
	                { "stage", "int" },
	                { "stageAttempt", "int" },
	                { "partition", "int" },
	                { "attempt", "int" },
	                { "taskId", "long" },
	                { "executor", "java.lang.String" },
	                { "sqlExecution", "long" },
	                { "jobGroup", "java.lang.String" },
	                { "description", "java.lang.String" },
	                { "result", "java.lang.String" } };
FIELDS(load_fields) = { START, SHARE("jvmUser"), SHARE("jvmSystem"), SHARE("machineTotal") };
FIELDS(heap_fields) = { START,
	                { "gcId", "int" },
	                POOL("when", "jdk.types.GCWhen"),
	                { "heapSpace", "jdk.types.VirtualSpace" },
	                BYTES("heapUsed") };
FIELDS(switch_fields) = { START, { "switchRate", "float", .note = { "jdk.jfr.Frequency" } } };
FIELDS(threads_fields) = { START,
	                   { "activeCount", "long" },
	                   { "daemonCount", "long" },
	                   { "accumulatedCount", "long" },
	                   { "peakCount", "long" } };
FIELDS(classes_fields) = { START,
	                   { "loadedClassCount", "long" },
	                   { "unloadedClassCount", "long" } };
FIELDS(process_fields) = { START,
	                   BYTES("rss"),
	                   BYTES("readBytes"),
	                   BYTES("writtenBytes"),
	                   BYTES("diskReadBytes"),
	                   BYTES("diskWrittenBytes"),
	                   { "minorFaults", "long" },
	                   { "majorFaults", "long" },
	                   { "voluntarySwitches", "long" },
	                   { "involuntarySwitches", "long" },
	                   { "threads", "long" } };
FIELDS(pool_fields) = {
	START, { "name", "java.lang.String" }, BYTES("used"), BYTES("committed"), BYTES("max")
};
FIELDS(collector_fields) = {
	START, { "name", "java.lang.String" }, { "collections", "long" }, NANOS("time")
};
FIELDS(stats_fields) = { START,
	                 { "taken", "long" },
	                 { "droppedFull", "long" },
	                 { "droppedBusy", "long" },
	                 { "droppedUnnamed", "long" },
	                 { "walkTruncated", "long" },
	                 { "walkBadStack", "long" },
	                 { "walkBadCode", "long" },
	                 { "walkBadFrame", "long" },
	                 { "faults", "long" },
	                 NANOS("interval"),
	                 NANOS("ownCpu") };
FIELDS(recording_fields) = {
	START,
	SPAN("duration"),
	EVENT_THREAD,
	{ "id", "long" },
	{ "name", "java.lang.String" },
	{ "destination", "java.lang.String" },
	{ "maxAge", "long", .note = { "jdk.jfr.Timespan", "MILLISECONDS" } },
	BYTES("maxSize"),
	{ "recordingStart", "long", .note = { "jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH" } },
	{ "recordingDuration", "long", .note = { "jdk.jfr.Timespan", "MILLISECONDS" } }
};
FIELDS(setting_fields) = { START,
	                   SPAN("duration"),
	                   EVENT_THREAD,
	                   { "id", "long" },
	                   { "name", "java.lang.String" },
	                   { "value", "java.lang.String" } };
FIELDS(jvm_fields) = { START,
	               { "jvmName", "java.lang.String" },
	               { "jvmVersion", "java.lang.String" },
	               { "jvmArguments", "java.lang.String" },
	               { "jvmFlags", "java.lang.String" },
	               { "javaArguments", "java.lang.String" },
	               { "jvmStartTime", "long",
	                 .note = { "jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH" } },
	               { "pid", "long" } };
FIELDS(os_fields) = { START, { "osVersion", "java.lang.String" } };
FIELDS(label_fields) = { START, { "key", "java.lang.String" }, { "value", "java.lang.String" } };

#define OF(f) .fields = (f), .n_fields = CH_LEN(f)
#define VALUE(name, f)                                                                             \
	{                                                                                          \
		name, OF(f)                                                                        \
	}
#define SIMPLE(name, f)                                                                            \
	{                                                                                          \
		name, .simple = true, OF(f)                                                        \
	}
#define EVENT(name, f)                                                                             \
	{                                                                                          \
		name, CH_JFR_EVENT, OF(f)                                                          \
	}
/* By this mark the JDK's tools know that an annotation says what a number is. */
static const struct ch_jfr_note content_type[] = { { "jdk.jfr.ContentType" } };
#define CONTENT .notes = content_type, .n_notes = CH_LEN(content_type)
#define UNIT(name)                                                                                 \
	{                                                                                          \
		name, CH_JFR_ANNOTATION, OF(value_fields), CONTENT                                 \
	}
#define MARK(name)                                                                                 \
	{                                                                                          \
		name, CH_JFR_ANNOTATION, CONTENT                                                   \
	}

/* clang-format off: one row per type */
const struct ch_jfr_type_def ch_types[CH_T_COUNT] = {
	[CH_T_BOOLEAN] = { "boolean" },
	[CH_T_INT] = { "int" },
	[CH_T_LONG] = { "long" },
	[CH_T_FLOAT] = { "float" },
	[CH_T_STRING] = { "java.lang.String" },
	[CH_T_THREAD] = VALUE("java.lang.Thread", thread_fields),
	[CH_T_CLASS] = VALUE("java.lang.Class", class_fields),
	[CH_T_LOADER] = VALUE("jdk.types.ClassLoader", loader_fields),
	[CH_T_PACKAGE] = VALUE("jdk.types.Package", package_fields),
	[CH_T_SYMBOL] = SIMPLE("jdk.types.Symbol", symbol_fields),
	[CH_T_METHOD] = VALUE("jdk.types.Method", method_fields),
	[CH_T_FRAME] = VALUE("jdk.types.StackFrame", frame_fields),
	[CH_T_STACK] = VALUE("jdk.types.StackTrace", stack_fields),
	[CH_T_STATE] = SIMPLE("jdk.types.ThreadState", name_fields),
	[CH_T_FRAME_TYPE] = SIMPLE("jdk.types.FrameType", text_fields),
	[CH_T_GC_WHEN] = SIMPLE("jdk.types.GCWhen", when_fields),
	[CH_T_SPACE] = VALUE("jdk.types.VirtualSpace", space_fields),
	[CH_T_TIMESTAMP] = UNIT("jdk.jfr.Timestamp"),
	[CH_T_TIMESPAN] = UNIT("jdk.jfr.Timespan"),
	[CH_T_AMOUNT] = UNIT("jdk.jfr.DataAmount"),
	[CH_T_PERCENTAGE] = MARK("jdk.jfr.Percentage"),
	[CH_T_FREQUENCY] = MARK("jdk.jfr.Frequency"),
	[CH_T_CONTENT_TYPE] = { "jdk.jfr.ContentType", CH_JFR_ANNOTATION },
	[CH_T_CPU_SAMPLE] = EVENT("jdk.ExecutionSample", cpu_fields),
	[CH_T_WALL_SAMPLE] = EVENT("profiler.WallClockSample", wall_fields),
	[CH_T_ALLOC_SAMPLE] = EVENT("jdk.ObjectAllocationSample", alloc_fields),
	[CH_T_LIVE_OBJECT] = EVENT("profiler.LiveObject", live_fields),
	[CH_T_MONITOR_ENTER] = EVENT("jdk.JavaMonitorEnter", monitor_fields),
	[CH_T_PARK] = EVENT("jdk.ThreadPark", park_fields),
	[CH_T_PERF_SAMPLE] = EVENT("charcloth.PerfSample", perf_fields),
	[CH_T_TASK_SPAN] = EVENT("charcloth.TaskSpan", span_fields),
	[CH_T_CPU_LOAD] = EVENT("jdk.CPULoad", load_fields),
	[CH_T_HEAP_SUMMARY] = EVENT("jdk.GCHeapSummary", heap_fields),
	[CH_T_SWITCH_RATE] = EVENT("jdk.ThreadContextSwitchRate", switch_fields),
	[CH_T_THREAD_STATS] = EVENT("jdk.JavaThreadStatistics", threads_fields),
	[CH_T_CLASS_STATS] = EVENT("jdk.ClassLoadingStatistics", classes_fields),
	[CH_T_PROCESS_STATS] = EVENT("charcloth.ProcessStats", process_fields),
	[CH_T_MEMORY_POOL] = EVENT("charcloth.MemoryPool", pool_fields),
	[CH_T_COLLECTOR] = EVENT("charcloth.Collector", collector_fields),
	[CH_T_SAMPLER_STATS] = EVENT("charcloth.SamplerStats", stats_fields),
	[CH_T_RECORDING] = EVENT("jdk.ActiveRecording", recording_fields),
	[CH_T_SETTING] = EVENT("jdk.ActiveSetting", setting_fields),
	[CH_T_JVM_INFO] = EVENT("jdk.JVMInformation", jvm_fields),
	[CH_T_OS_INFO] = EVENT("jdk.OSInformation", os_fields),
	[CH_T_LABELS] = EVENT("charcloth.Labels", label_fields),
};
/* clang-format on */

const char *const ch_state_names[CH_STATE_COUNT] = {
	[CH_STATE_RUNNABLE] = "STATE_RUNNABLE",
	[CH_STATE_SLEEPING] = "STATE_SLEEPING",
};

const char *const ch_frame_type_names[CH_FT_COUNT] = {
	[CH_FT_INTERPRETED] = "Interpreted",
	[CH_FT_JIT] = "JIT compiled",
	[CH_FT_INLINED] = "Inlined",
	[CH_FT_NATIVE] = "Native",
	[CH_FT_CPP] = "C++",
	[CH_FT_KERNEL] = "Kernel",
	[CH_FT_C1] = "C1 compiled",
};
