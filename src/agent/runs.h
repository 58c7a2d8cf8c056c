/*
 * Wall samples of a thread that stay the same (stack and state) are one event, with the number of
 * samples and the time of all: a run. Runs that are open are written before each flush.
 */
#ifndef CH_AGENT_RUNS_H
#define CH_AGENT_RUNS_H

#include "agent/chunk.h"

#define CH_RUNS_MAX 256 /* threads with an open run; a thread more closes another's */

struct ch_run {
	uint64_t thread, stack; /* keys of the chunk */
	uint64_t state;
	int64_t start_ticks;
	uint64_t samples, span_ns; /* samples 0: none */
};

struct ch_runs {
	struct ch_run open[CH_RUNS_MAX];
};

void ch_runs_add(struct ch_runs *r, struct ch_chunk *c, const struct ch_run *sample);
/* Writes what is open: before the chunk is flushed or its keys are forgotten. */
void ch_runs_close(struct ch_runs *r, struct ch_chunk *c);

#endif
