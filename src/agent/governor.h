/*
 * What sampling may cost: when the agent takes more of the process's CPU than it was allowed for
 * some seconds, threads are asked less often; when it takes far less, as often as before again.
 * Where a signal alone costs too much they are from the start. What a count stands for stays the
 * same: totals remain exact, there are only fewer samples.
 */
#ifndef CH_AGENT_GOVERNOR_H
#define CH_AGENT_GOVERNOR_H

#include "agent/cpu.h"

struct ch_governor {
	unsigned stretch;     /* threads are asked every `stretch` intervals; 1 as was wanted */
	unsigned over, under; /* seconds in a row */
};

/*
 * The decision of one second, and nothing else: own_ns of process_ns were the agent's, of which it
 * may have max_percent. Returns g->stretch, which it may have changed.
 */
unsigned ch_governor_decide(struct ch_governor *g, uint64_t own_ns, uint64_t process_ns,
                            double max_percent);

/* The stretch of the CPU clock to begin with, where a signal of it costs that much. */
unsigned ch_governor_begin(uint64_t signal_ns, uint64_t interval_ns, double max_percent);

/* A recording is about to begin. Measures what a signal costs; SIGPROF must be ours. */
void ch_governor_start(enum ch_cpu_engine engine, uint64_t interval_ns, double max_percent);
/* Perf's clock, of which that was told, is not to be had after all. */
void ch_governor_no_clock(void);
/* A second is over; threads_ns is what the agent's own threads have used so far. */
void ch_governor_second(uint64_t threads_ns, double max_percent);

struct ch_governor_status {
	unsigned stretch; /* of the CPU clock */
	unsigned changes;
	double percent;     /* of the process's CPU, in the last second that had 100 ms of it */
	uint64_t signal_ns; /* what a signal costs, its handler aside */
};

/* Any thread. */
void ch_governor_status(struct ch_governor_status *ret);
/* All CPU time of the agent so far: its threads, its handlers, and signals. Any thread. */
uint64_t ch_governor_own_ns(uint64_t threads_ns);

#endif
