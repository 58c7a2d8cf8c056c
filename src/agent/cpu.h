/*
 * When a thread is sampled: CPU time and wall time.
 *
 * CPU time is accounted, not counted: a sample stands for all intervals that the thread's own CPU
 * clock has passed since its last one. Timers only make sure that a thread is asked often enough,
 * whatever the kernel's tick: totals are exact, and a timer that is late loses nothing.
 */
#ifndef CH_AGENT_CPU_H
#define CH_AGENT_CPU_H

#include "agent/threads.h"

#include <ucontext.h>

/* What asks the threads. The order is that of preference; the table is in cpu.c. */
enum ch_cpu_engine {
	CH_CPU_OFF,
	CH_CPU_TIMER,  /* a timer on each thread's CPU clock */
	CH_CPU_PERF,   /* perf's CPU clock of each thread, finer than the kernel's tick */
	CH_CPU_ITIMER, /* one timer for the process; whoever runs is asked */
};

struct ch_cpu_config {
	enum ch_cpu_engine engine;
	uint64_t interval_ns; /* what one count stands for */
	bool kernel;          /* perf: with frames of the kernel, where that is permitted */
};

/*
 * Starts with the threads that are registered, at the stretch that was last set; fails when it
 * cannot ask all of them.
 */
int ch_cpu_start(const struct ch_cpu_config *config, struct ch_error *err);
void ch_cpu_stop(void);
/* Threads are asked every `stretch` intervals; what a count stands for stays. Before a start too. */
void ch_cpu_stretch(unsigned stretch);
unsigned ch_cpu_stretched(void);
/* How a thread came to be known, which decides from when on its CPU time counts. */
enum ch_thread_age {
	CH_AGE_OLD,  /* it was there before the recording: from now on */
	CH_AGE_BORN, /* it begins right now, and may be short-lived */
	CH_AGE_LATE, /* it began unseen during the recording, or left the VM: all since then */
};

void ch_cpu_add(struct ch_thread *t, enum ch_thread_age age);
/* A thread ends, called by itself: what it used since its last sample is accounted. */
void ch_cpu_end(struct ch_thread *t);
/* A thread is gone, as another sees: its timers go too. */
void ch_cpu_gone(struct ch_thread *t);
/* Now and then: young threads that have grown up get their lasting timer. */
void ch_cpu_tend(void);

/*
 * Once a second: what the process used and no thread that is known, because a thread came and went
 * unseen or was busy ending, is written without a stack. So that the sum is that of the process.
 */
void ch_cpu_write_unseen(void);
/* Names are told anew: that of these threads, too. */
void ch_cpu_forget_name(void);

/* In the handler; cpu_ns is the thread's CPU time. Signal-safe. */
void ch_cpu_signal(struct ch_thread *t, uint64_t cpu_ns, ucontext_t *uc);

/* --- wall ------------------------------------------------------------------------------------ */

/* Samples all threads every interval; only those of Spark tasks when `tasks_only`. */
int ch_wall_start(uint64_t interval_ns, bool tasks_only, struct ch_error *err);
void ch_wall_stop(void);
/* Makes the interval that many times longer; each sample then counts for as many. */
void ch_wall_stretch(unsigned stretch);
uint64_t ch_wall_cpu_ns(void); /* what its own thread has used since ch_wall_begin */
void ch_wall_begin(void);      /* a recording begins, with it or without */
/* In the handler of a thread that was asked. Signal-safe. */
void ch_wall_signal(struct ch_thread *t, ucontext_t *uc);

#endif
