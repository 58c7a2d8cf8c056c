/* The types of a recording by the agent: one table, whose rows give the ids. */
#ifndef CH_AGENT_TYPES_H
#define CH_AGENT_TYPES_H

#include "jfr/writer.h"

enum ch_type {
	CH_T_BOOLEAN,
	CH_T_INT,
	CH_T_LONG,
	CH_T_FLOAT,
	CH_T_STRING,
	CH_T_THREAD,
	CH_T_CLASS,
	CH_T_LOADER,
	CH_T_PACKAGE,
	CH_T_SYMBOL,
	CH_T_METHOD,
	CH_T_FRAME,
	CH_T_STACK,
	CH_T_STATE,
	CH_T_FRAME_TYPE,
	CH_T_GC_WHEN,
	CH_T_SPACE,
	CH_T_TIMESTAMP,
	CH_T_TIMESPAN,
	CH_T_AMOUNT,
	CH_T_PERCENTAGE,
	CH_T_FREQUENCY,
	CH_T_CONTENT_TYPE,
	CH_T_CPU_SAMPLE,
	CH_T_WALL_SAMPLE,
	CH_T_ALLOC_SAMPLE,
	CH_T_LIVE_OBJECT,
	CH_T_MONITOR_ENTER,
	CH_T_PARK,
	CH_T_PERF_SAMPLE,
	CH_T_TASK_SPAN,
	CH_T_CPU_LOAD,
	CH_T_HEAP_SUMMARY,
	CH_T_SWITCH_RATE,
	CH_T_THREAD_STATS,
	CH_T_CLASS_STATS,
	CH_T_PROCESS_STATS,
	CH_T_MEMORY_POOL,
	CH_T_COLLECTOR,
	CH_T_SAMPLER_STATS,
	CH_T_RECORDING,
	CH_T_SETTING,
	CH_T_JVM_INFO,
	CH_T_OS_INFO,
	CH_T_LABELS,
	CH_T_COUNT,
};

extern const struct ch_jfr_type_def ch_types[CH_T_COUNT];

/* When a heap summary was taken; the first two as the JDK has them. */
enum ch_gc_when {
	CH_WHEN_BEFORE_GC,
	CH_WHEN_AFTER_GC,
	CH_WHEN_NOW,
};

/* Keys of the constants that never change, and their texts. */
extern const char *const ch_state_names[];
extern const char *const ch_frame_type_names[];
enum ch_frame_type {
	CH_FT_INTERPRETED,
	CH_FT_JIT,
	CH_FT_INLINED,
	CH_FT_NATIVE,
	CH_FT_CPP,
	CH_FT_KERNEL,
	CH_FT_C1,
	CH_FT_COUNT,
};

static inline uint64_t ch_type_id(enum ch_type t)
{
	return ch_jfr_type_id(t);
}

#endif
