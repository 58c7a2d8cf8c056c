/*
 * Once a second: how the process, the VM and the machine fare, as events of the recording; and
 * whether sampling costs more than was allowed.
 */
#ifndef CH_AGENT_METRICS_H
#define CH_AGENT_METRICS_H

#include "agent/chunk.h"

/* A recording begins: differences are counted from here. */
void ch_metrics_start(void);
/*
 * Writes the events of this second; the calling thread is attached. own_cpu_ns: what the agent's
 * threads used so far; max_overhead: percent of the process's CPU that the agent may take before
 * threads are sampled less often.
 */
void ch_metrics_write(struct ch_chunk *c, uint64_t own_cpu_ns, double max_overhead);

#endif
