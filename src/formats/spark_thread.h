/* What Spark says about a task in the name of the thread that runs it. */
#ifndef CH_FORMATS_SPARK_THREAD_H
#define CH_FORMATS_SPARK_THREAD_H

#include "profile/profile.h"

/*
 * The label set with stage, stage_attempt, partition, attempt and task added, as far as the name
 * has them and the profile wants them:
 *	Executor task launch worker for task 1.0 in stage 3.0 (TID 17)
 *	Executor task launch worker for task 17
 * The set itself for any other name.
 */
uint32_t ch_spark_thread_labels(struct ch_profile *p, uint32_t set, const char *name, size_t n);
/* True when one of those labels is wanted. */
bool ch_spark_thread_wanted(const struct ch_profile *p);

#endif
