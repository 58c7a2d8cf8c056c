/* Once a second: how the process, the VM and the machine fare, as events of the recording. */
#ifndef CH_AGENT_METRICS_H
#define CH_AGENT_METRICS_H

#include "agent/chunk.h"

/* A recording begins: differences are counted from here. The calling thread is attached. */
void ch_metrics_start(void);
/* Writes the events of this second; the calling thread is attached. */
void ch_metrics_write(struct ch_chunk *c);
/* A recording ended: what was held open for it is let go. */
void ch_metrics_stop(void);
/* CPU time of ch_metrics_write on average, 0 before the first. Any thread. */
uint64_t ch_metrics_cost_ns(void);

/* --- what the VM knows, in metrics_vm.c ------------------------------------------------------ */

void ch_metrics_vm_start(void);
void ch_metrics_vm_write(struct ch_chunk *c, int64_t ticks);
void ch_metrics_vm_stop(void);

#endif
