/*
 * What a signal costs the thread that gets it, its handler aside: the way in, the way out, and what
 * the kernel does to send it. On a virtual machine that is most of what sampling costs. Measured on
 * the calling thread while nothing is recorded; SIGPROF must be ours, and not blocked.
 */
#ifndef CH_AGENT_SIGNAL_COST_H
#define CH_AGENT_SIGNAL_COST_H

#include <stdint.h>

/* A signal that comes with the kernel's tick, which comes anyway. Takes less than a millisecond. */
uint64_t ch_signal_cost_at_tick(void);
/*
 * A signal of perf's clock, which interrupts at times of its own; without a call chain, which adds
 * little. 0 when it cannot be told. Takes 12 ms, up to 200 where the processor is not to be had.
 */
uint64_t ch_signal_cost_of_clock(void);

#endif
