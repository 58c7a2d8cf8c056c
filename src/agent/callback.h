/*
 * What callbacks of the VM share, for allocations and locks: they run on the thread that the event
 * is about, outside of signal handlers, with its last Java frame on record. Nothing here waits.
 */
#ifndef CH_AGENT_CALLBACK_H
#define CH_AGENT_CALLBACK_H

#include "agent/sampler.h"

#include <jvmti.h>

/* The slot of the calling thread; NULL when it is not known, one of ours, or nothing is recorded. */
struct ch_thread *ch_callback_thread(void);
/* The id of a class by its name, 0 when it cannot be named. */
uint32_t ch_callback_class(jclass class);
/* One sample of the calling thread; `thread` is its Java object, NULL: the current one. */
bool ch_callback_take(struct ch_thread *t, jthread thread, struct ch_sample_of *what);

#endif
