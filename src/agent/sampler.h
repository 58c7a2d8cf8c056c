/*
 * Taking samples: the one place where a stack becomes a record. Used by the signal handler of all
 * timers, and by callbacks of the VM for allocations and locks.
 */
#ifndef CH_AGENT_SAMPLER_H
#define CH_AGENT_SAMPLER_H

#include "agent/ids.h"
#include "agent/ring.h"
#include "agent/threads.h"

/* Why a sample did not make it into a ring. */
enum ch_drop {
	CH_DROP_FULL,  /* its ring was full: the recorder is behind */
	CH_DROP_BUSY,  /* all stripes were taken */
	CH_DROP_NAMES, /* no room to name its methods */
	CH_DROP_COUNT,
};

/* AsyncGetCallTrace of HotSpot: its structs. */
struct ch_asgct_frame {
	int32_t bci;
	void *method;
};

struct ch_asgct_trace {
	void *env;
	int32_t n;
	struct ch_asgct_frame *frames;
};

struct ch_sampler {
	atomic_bool running;
	struct ch_vm vm;
	struct ch_names names;
	/* NULL unless the walker does not trust this JVM: then AsyncGetCallTrace is asked. */
	void (*asgct)(struct ch_asgct_trace *, int32_t depth, void *context);
	int64_t env_offset; /* of the JNIEnv in a JavaThread */
	struct ch_pc_cache *pc_cache;
	struct ch_unwind *unwind; /* NULL: frame pointers only */
	struct ch_rings rings;
	struct ch_ids methods, classes;
	_Atomic uint32_t thread_names;
	const volatile int64_t *unloaded[2]; /* the VM's own counters; NULL: check each time */
	unsigned max_frames;
	bool native_frames;
	uint64_t interval_ns; /* of CPU time that one count stands for */
	int wake_fd;

	/* What is above is hardly ever written. What every handler writes lies by itself. */
	_Atomic uint64_t taken[CH_EV_COUNT] __attribute__((aligned(64)));
	_Atomic uint64_t dropped[CH_DROP_COUNT];
	_Atomic uint64_t ends[CH_WALK_ENDS];
	_Atomic uint64_t handler_ns, handler_calls;
	_Atomic uint64_t unasked; /* signals while nothing is recorded */
	uint32_t *handler_log;    /* for measuring: ns of each call, one after the other; or NULL */
	_Atomic uint32_t handler_logged;
};

#define CH_HANDLER_LOG_MAX (1u << 20)

extern struct ch_sampler ch_sampler;

/* What a frame takes in a ring while it is walked. */
static inline size_t ch_sampler_frame_bytes(void)
{
	return ch_sampler.asgct ? sizeof(struct ch_asgct_frame) : sizeof(uint64_t);
}

/* What a sample is about; the rest is found out. */
struct ch_sample_of {
	enum ch_event event;
	enum ch_state state;
	uint64_t weight, extra, ref;
	uint32_t class_id;
	const uint64_t *frames; /* walked already, and of AsyncGetCallTrace's kind; NULL: not yet */
	unsigned n_frames;
	const struct ch_perf_ring
	    *kernel; /* where the kernel wrote its part of the stack, or NULL */
};

/* The handler of SIGPROF. */
void ch_sampler_signal(int sig, siginfo_t *si, void *context);
/* One sample of the calling thread t; uc NULL: from its last Java frame on. Signal-safe. */
bool ch_sampler_take(struct ch_thread *t, const struct ch_sample_of *what, const ucontext_t *uc);
/* Writes "as before" for a thread that has not run since its last wall sample. Signal-safe. */
bool ch_sampler_repeat(struct ch_thread *t, uint64_t samples, uint64_t duration_ns);
/* Writes a sample without a stack, for what a thread used that nobody could see. Signal-safe. */
bool ch_sampler_note(struct ch_thread *t, enum ch_event event, uint64_t weight, enum ch_note note);
/* Tells the recorder that there is work. Signal-safe. */
void ch_sampler_wake(void);

/* Signal-safe clocks, in ns. */
uint64_t ch_now_ns(void);
uint64_t ch_cpu_ns(void);       /* of the calling thread */
uint64_t ch_cpu_ns_of(int tid); /* 0 when it is gone */
uint64_t ch_process_ns(void);   /* CPU time of all threads, those that are gone included */

/* The CPU clock of another thread, as the kernel numbers it. */
static inline clockid_t ch_cpu_clock_of(int tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 6);
}

#endif
