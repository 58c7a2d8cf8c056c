/* What the files of the CPU engines and of the wall clock share. */
#ifndef CH_AGENT_CPU_STATE_H
#define CH_AGENT_CPU_STATE_H

#include "agent/cpu.h"

struct ch_cpu_state {
	struct ch_cpu_config config;
	_Atomic unsigned stretch;
	uint64_t period_ns; /* interval * stretch */
	uint64_t wall_interval_ns;
	_Atomic unsigned wall_stretch;
};

extern struct ch_cpu_state ch_cpu_state;

/* A one-shot timer of a young thread, that far from now. Signal-safe. */
void ch_cpu_arm_young(struct ch_thread *t, uint64_t in_ns);

/*
 * How many intervals a sample of the wall clock counts at `now`, when all before counted_ns is
 * counted: the nearest number, at least one. What is too much or too little then, the next one
 * makes up for, if counted_ns moves on by what was counted. Signal-safe.
 */
uint64_t ch_wall_samples(uint64_t counted_ns, uint64_t now, uint64_t interval_ns);

/* How often a young thread may be asked before its lasting timer takes over. */
#define CH_YOUNG_REARMS 12

#endif
