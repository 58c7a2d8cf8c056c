/* Turning records into events of the recording. */
#ifndef CH_AGENT_EMIT_H
#define CH_AGENT_EMIT_H

#include "agent/args.h"
#include "agent/intern.h"
#include "agent/runs.h"

/* The sample as one of `event`: an object that may live on was allocated, too. */
void ch_emit_sample(struct ch_chunk *c, struct ch_intern *in, const struct ch_rec_sample *s,
                    enum ch_event event);
/* A wall sample, which may go on with the run before it. */
void ch_emit_wall(struct ch_chunk *c, struct ch_intern *in, struct ch_runs *runs,
                  const struct ch_rec_sample *s);
/* name: the thread's, as it was defined in. */
void ch_emit_span(struct ch_chunk *c, struct ch_intern *in, uint32_t name,
                  const struct ch_rec_span *s);
/* What every chunk begins with: who this is and what is recorded how. */
void ch_emit_head(struct ch_chunk *c, const struct ch_args *args, int64_t start_ms);
/* How the sampling goes; own_cpu_ns is what the agent's threads used. */
void ch_emit_stats(struct ch_chunk *c, uint64_t own_cpu_ns);

#endif
