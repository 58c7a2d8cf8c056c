/*
 * Emptying the rings: all definitions, then all samples and spans in the order of their time, over
 * all stripes. For the recorder's thread, or who holds its lock.
 */
#ifndef CH_AGENT_DRAIN_H
#define CH_AGENT_DRAIN_H

#include "agent/intern.h"
#include "agent/ring.h"

/* Called with each sample or span; `rec` is gone after the call. */
typedef void ch_drain_fn(void *arg, const struct ch_rec *rec);

void ch_drain(struct ch_rings *rings, struct ch_intern *in, ch_drain_fn *take, void *arg);

#endif
