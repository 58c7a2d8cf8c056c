/*
 * Allocations: the VM samples objects as their bytes come by, on average one each interval. A
 * sampled object of s bytes stands for s / (1 - exp(-s / interval)) bytes, so that sums are true
 * whatever the sizes are. (JDK 11 draws a little otherwise, and so does the weight.)
 */
#ifndef CH_AGENT_ALLOC_H
#define CH_AGENT_ALLOC_H

#include "base/error.h"

#include <jvmti.h>
#include <stdbool.h>

struct ch_alloc_config {
	uint64_t interval_bytes;
	bool live;   /* keep a weak reference to each */
	bool govern; /* lengthen the interval when too many come, and shorten it again */
};

int ch_alloc_start(const struct ch_alloc_config *config, struct ch_error *err);
void ch_alloc_stop(void);
/* Every 100 ms or so: keeps the rate of events in bounds. */
void ch_alloc_tend(void);
/* Bytes that a sampled object stands for. */
uint64_t ch_alloc_weight(uint64_t bytes, uint64_t interval, bool jdk11);

void JNICALL ch_alloc_on_object(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jclass class, jlong bytes);

#endif
