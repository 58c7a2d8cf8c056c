/*
 * Events that the kernel counts for each thread (page-faults, cycles, …), asked for by name. Like
 * CPU time they are accounted, not counted: a sample stands for all that the thread's counter has
 * moved since the last one, so that signals which fall together lose nothing.
 */
#ifndef CH_AGENT_PERF_H
#define CH_AGENT_PERF_H

#include "agent/args.h"
#include "agent/threads.h"
#include "base/buf.h"
#include "sys/perf_event.h"

#include <ucontext.h>

/* Opens a descriptor of the thread; with `kernel`, also the ring for chains if there is room. */
int ch_perf_slot_open(struct ch_thread *t, struct ch_perf_slot *s, const struct ch_perf_spec *spec,
                      uint64_t period, bool kernel, struct ch_error *err);
void ch_perf_slot_period(struct ch_perf_slot *s, uint64_t period);
/* For the thread itself, or another: a handler that still looks at the ring is waited for. */
void ch_perf_slot_close(struct ch_thread *t, struct ch_perf_slot *s);

/* Finds the events of args, which may be none; `out` gets what is left out. */
int ch_perf_prepare(const struct ch_args *args, struct ch_buf *out, struct ch_error *err);
/* Starts them for the threads that are registered; fails when it can for none. */
int ch_perf_start(struct ch_buf *out, struct ch_error *err);
/* A line on threads that could not be given theirs, if there are any. */
void ch_perf_counts(struct ch_buf *out);
void ch_perf_stop(void);
void ch_perf_add(struct ch_thread *t);
void ch_perf_forget(struct ch_thread *t);

/* The event of a sample, as it was asked for. */
const char *ch_perf_name(unsigned index);
uint64_t ch_perf_period(unsigned index);

/* False when the descriptor is none of the thread's events. Signal-safe. */
bool ch_perf_signal(struct ch_thread *t, int fd, ucontext_t *uc);

#endif
