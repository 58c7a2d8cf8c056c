/*
 * The threads of this process, as the agent knows them: one slot each, found by its number in a
 * signal's value, or by thread id. Slots are never freed, only given to the next thread under a
 * new generation; a late signal for the thread before does not match.
 */
#ifndef CH_AGENT_THREADS_H
#define CH_AGENT_THREADS_H

#include "agent/args.h"
#include "agent/record.h"
#include "sys/perf_event.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#define CH_THREADS_MAX (1u << 16)

struct ch_stripe;

/* A counter of the kernel. */
struct ch_perf_slot {
	_Atomic int fd; /* plus 1: 0 is none */
	struct ch_perf_ring ring;
	uint64_t seen; /* its count at the last sample */
};

/* What its handler reads comes first. */
struct ch_thread {
	_Atomic uint32_t generation;
	_Atomic int tid;       /* 0: the slot is free */
	_Atomic uint64_t java; /* JavaThread *, 0 for a thread that is none */
	bool ours;             /* a thread of the agent */
	atomic_bool in_handler;
	atomic_bool wall_asked; /* by the sampler of all threads, and not answered yet */

	/* CPU time: samples are due at every multiple of the interval, less the offset. */
	bool has_timer, has_young_timer;
	int timer, young_timer;
	unsigned young_rearms;
	uint64_t offset_ns, accounted;

	/* Of the thread itself, in its handler. */
	const struct ch_stripe *stripe; /* where its last sample went: the next one likely too */
	_Atomic uint32_t name_id;
	_Atomic uint64_t name_hash; /* 0: to be told anew, though name_id still is the last one */
	uint64_t name_mark;         /* of ch_thread_name_mark_sig when name_id was given; 0: none */

	/* Counters of the kernel: its CPU clock, and others. */
	struct ch_perf_slot clock, perf[CH_ARGS_PERF_MAX];

	/* Wall clock: of the sampler of all threads, and of the thread while it is asked. */
	_Atomic uint64_t wall_cpu_ns;  /* CPU time at the end of the last sample; 0: none yet */
	_Atomic uint32_t wall_name_id; /* its name in that sample, which outlives a chunk */
	uint64_t wall_seen_cpu_ns, wall_last_ns;
	uint64_t wall_counted_ns; /* all before is counted; a late answer may have counted ahead */
	uint32_t wall_idle;

	/* Of others: from which CPU time on it counts; its name, odd seq while they write it. */
	uint64_t counted_from_ns;
	int64_t java_id;
	_Atomic uint32_t name_seq;
	uint32_t name_len;
	char name[CH_THREAD_NAME_MAX];
} __attribute__((aligned(64)));

/* Signals carry this value. */
static inline uint64_t ch_thread_handle(uint32_t index, uint32_t generation, bool wall)
{
	return (uint64_t)generation << 32 | (uint64_t)wall << 31 | index;
}

static inline uint32_t ch_handle_index(uint64_t handle)
{
	return (uint32_t)handle & 0x7fffffff;
}

static inline bool ch_handle_is_wall(uint64_t handle)
{
	return handle >> 31 & 1;
}

static inline bool ch_has_handle(const siginfo_t *si)
{
	return si->si_code == SI_TIMER || si->si_code == SI_QUEUE;
}

/* Of a signal that has one. */
static inline uint64_t ch_handle_of(const siginfo_t *si)
{
	return (uintptr_t)si->si_value.sival_ptr;
}

int ch_threads_init(struct ch_error *err);
/* How many slots have ever been used. Signal-safe. */
uint32_t ch_threads_count(void);
struct ch_thread *ch_thread_at(uint32_t index);
uint32_t ch_thread_index(const struct ch_thread *t);

/* The slot that a signal's value names, NULL when it names none any more. Signal-safe. */
struct ch_thread *ch_thread_of_handle(uint64_t handle);
/* The slot of a thread id, NULL when it has none. Signal-safe. */
struct ch_thread *ch_thread_of_tid(int tid);

/* A slot for the thread tid; the one it has already. NULL when there are too many. */
struct ch_thread *ch_thread_add(int tid, uint64_t java, int64_t java_id);
void ch_thread_remove(struct ch_thread *t);
/* A thread leaves the VM, having used that much; it may come again. */
void ch_thread_left(const struct ch_thread *t, uint64_t cpu_ns);
/* What it had used when it left: at most cpu_ns, what it has used by now; 0 when it never did. */
uint64_t ch_thread_left_ns(const struct ch_thread *t, uint64_t cpu_ns);
/* Whether a thread that enters the VM with that much CPU time has just begun its life. */
bool ch_thread_is_new(const struct ch_thread *t, uint64_t cpu_ns);
/* Tells the name that samples show when it cannot be read at the moment itself. */
void ch_thread_tell_name(struct ch_thread *t, const char *name, size_t n);

#endif
