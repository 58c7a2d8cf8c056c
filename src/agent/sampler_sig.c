#include "agent/sampler.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cpu.h"
#include "agent/names.h"
#include "agent/perf.h"
#include "agent/warm.h"

struct ch_sampler ch_sampler = { .wake_fd = -1 };

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t ch_now_ns(void)
{
	return ns_of(CLOCK_MONOTONIC);
}

uint64_t ch_cpu_ns(void)
{
	return ns_of(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t ch_cpu_ns_of(int tid)
{
	return ns_of(ch_cpu_clock_of(tid));
}

uint64_t ch_process_ns(void)
{
	return ns_of(CLOCK_PROCESS_CPUTIME_ID);
}

static void count(_Atomic uint64_t *c)
{
	atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
}

void ch_sampler_wake(void)
{
	uint64_t one = 1;

	if (ch_sampler.wake_fd >= 0 && write(ch_sampler.wake_fd, &one, sizeof(one)) < 0)
		return; /* it is awake already */
}

/* --- samples --------------------------------------------------------------------------------- */

/*
 * AsyncGetCallTrace writes frames of twice the size into the same room (ch_sampler_frame_bytes).
 * They are turned into ours from the first one on, each of which ends before the next one begins.
 */
static enum ch_walk_end walk_asgct(struct ch_walk *w, uint64_t java, const ucontext_t *uc)
{
	struct ch_asgct_frame *frames = (struct ch_asgct_frame *)w->frames;
	struct ch_asgct_trace trace = { (void *)(java + (uint64_t)ch_sampler.env_offset), 0,
		                        frames };

	w->n = 0;
	if (!java || !uc)
		return CH_WALK_NATIVE;
	ch_sampler.asgct(&trace, (int32_t)w->max, (void *)(uintptr_t)uc);
	if (trace.n <= 0) {
		w->frames[w->n++] = ch_frame_addr(CH_FRAME_NOTE, (uint64_t)-trace.n);
		return CH_WALK_BAD_FRAME;
	}
	for (int32_t i = 0; i < trace.n; i++) {
		unsigned bci = frames[i].bci < 0 ? CH_FRAME_BCI_NONE : (unsigned)frames[i].bci;

		w->frames[w->n++] =
		    ch_frame_java(CH_FRAME_JMETHOD, (uintptr_t)frames[i].method >> 3, bci);
	}
	return CH_WALK_DONE;
}

static enum ch_walk_end walk(struct ch_walk *w, const ucontext_t *uc)
{
	struct ch_regs regs;

	if (ch_sampler.asgct)
		return walk_asgct(w, w->thread, uc);
	if (!uc)
		return ch_walk_sig(w, NULL);
	regs = ch_arch_regs(uc);
	return ch_walk_sig(w, &regs);
}

/* What the thread did in the kernel; half of the room is for what it did before. */
static unsigned take_kernel(uint64_t *frames, unsigned max, const struct ch_sample_of *what)
{
	size_t n = what->kernel ? ch_perf_event_chain_sig(what->kernel, frames, max / 2) : 0;

	for (size_t i = 0; i < n; i++)
		frames[i] = ch_frame_addr(CH_FRAME_KERNEL, frames[i]);
	return (unsigned)n;
}

static enum ch_walk_end take_walked(struct ch_walk *w, const struct ch_sample_of *what)
{
	w->n = what->n_frames < w->max ? what->n_frames : w->max;
	memcpy(w->frames, what->frames, w->n * sizeof(*w->frames));
	return w->n ? CH_WALK_DONE : CH_WALK_NATIVE;
}

static bool take_in(struct ch_stripe *s, struct ch_thread *t, const struct ch_sample_of *what,
                    const ucontext_t *uc)
{
	uint64_t now_ns = ch_now_ns();
	struct ch_rec_sample *rec;
	unsigned n_kernel;
	struct ch_walk w = { .vm = &ch_sampler.vm,
		             .thread = atomic_load(&t->java),
		             .max = ch_sampler.max_frames,
		             .native = ch_sampler.native_frames,
		             .unwind = ch_sampler.unwind,
		             .cache = ch_sampler.pc_cache,
		             .name = ch_name_method,
		             .arg = &s->defs,
		             .epoch = ch_names_epoch(now_ns) };

	rec = ch_ring_reserve(&s->samples, sizeof(*rec) + w.max * ch_sampler_frame_bytes());
	if (!rec) {
		count(&ch_sampler.dropped[CH_DROP_FULL]);
		return false;
	}
	*rec = (struct ch_rec_sample){ .rec.type = CH_REC_SAMPLE,
		                       .time_ns = now_ns,
		                       .weight = what->weight,
		                       .extra = what->extra,
		                       .ref = what->ref,
		                       .class_id = what->class_id,
		                       .event = (uint8_t)what->event,
		                       .state = (uint8_t)what->state };
	if (!ch_name_thread(t, s, &rec->name)) {
		count(&ch_sampler.dropped[CH_DROP_NAMES]);
		return false;
	}
	if (what->event == CH_EV_WALL)
		atomic_store(&t->wall_name_id, rec->name);
	n_kernel = take_kernel(rec->frames, w.max, what);
	w.frames = rec->frames + n_kernel;
	w.max -= n_kernel;
	rec->end = (uint16_t)(what->frames ? take_walked(&w, what) : walk(&w, uc));
	rec->n_frames = n_kernel + w.n;
	if (w.unnamed) {
		count(&ch_sampler.dropped[CH_DROP_NAMES]);
		return false;
	}
	count(&ch_sampler.ends[rec->end]);
	ch_ring_commit(&s->samples, rec, sizeof(*rec) + rec->n_frames * sizeof(uint64_t));
	return true;
}

bool ch_sampler_take(struct ch_thread *t, const struct ch_sample_of *what, const ucontext_t *uc)
{
	struct ch_stripe *s = ch_stripe_take(&ch_sampler.rings);
	bool taken, crowded;

	if (!s) {
		count(&ch_sampler.dropped[CH_DROP_BUSY]);
		return false;
	}
	t->stripe = s;
	ch_warm_objects(s, t);
	taken = take_in(s, t, what, uc);
	crowded = ch_ring_crowded(&s->samples) || ch_ring_crowded(&s->defs);
	ch_stripe_release(s);
	if (crowded)
		ch_sampler_wake();
	if (taken)
		count(&ch_sampler.taken[what->event]);
	return taken;
}

static bool put_made_in(struct ch_stripe *s, struct ch_thread *t, const struct ch_rec_sample *made,
                        uint64_t frame)
{
	struct ch_rec_sample *rec = ch_ring_reserve(&s->samples, sizeof(*rec) + 8);

	if (!rec) {
		count(&ch_sampler.dropped[CH_DROP_FULL]);
		return false;
	}
	*rec = *made;
	rec->rec.type = CH_REC_SAMPLE;
	rec->time_ns = ch_now_ns();
	rec->name = atomic_load(&t->wall_name_id);
	if (frame && !ch_name_thread(t, s, &rec->name)) {
		count(&ch_sampler.dropped[CH_DROP_NAMES]);
		return false;
	}
	rec->frames[0] = frame;
	ch_ring_commit(&s->samples, rec, sizeof(*rec) + 8);
	return true;
}

/*
 * A record that is made up, without a walk; `frame` is its only one, if it has one. Only the thread
 * itself may be asked for its name now; others are called as in their last wall sample.
 */
static bool put_made(struct ch_thread *t, const struct ch_rec_sample *made, uint64_t frame)
{
	struct ch_stripe *s = ch_stripe_take(&ch_sampler.rings);
	bool put;

	if (!s) {
		count(&ch_sampler.dropped[CH_DROP_BUSY]);
		return false;
	}
	put = put_made_in(s, t, made, frame);
	ch_stripe_release(s);
	return put;
}

bool ch_sampler_repeat(struct ch_thread *t, uint64_t samples, uint64_t duration_ns)
{
	struct ch_rec_sample made = { .weight = samples,
		                      .extra = duration_ns,
		                      .event = CH_EV_WALL,
		                      .state = CH_STATE_SLEEPING,
		                      .n_frames = CH_FRAMES_AS_BEFORE };
	bool put = put_made(t, &made, 0);

	if (put)
		atomic_fetch_add(&ch_sampler.taken[CH_EV_WALL], samples);
	return put;
}

bool ch_sampler_note(struct ch_thread *t, enum ch_event event, uint64_t weight, enum ch_note note)
{
	struct ch_rec_sample made = { .weight = weight, .event = (uint8_t)event, .n_frames = 1 };
	bool put = put_made(t, &made, ch_frame_addr(CH_FRAME_NOTE, note));

	if (put)
		count(&ch_sampler.taken[event]);
	return put;
}

/* --- the handler ----------------------------------------------------------------------------- */

static struct ch_thread *thread_of(const siginfo_t *si)
{
	if (ch_has_handle(si))
		return ch_thread_of_handle(ch_handle_of(si));
	/* An interval timer of the process, a counter of the kernel, or nobody knows: whoever runs. */
	return ch_thread_of_tid((int)syscall(SYS_gettid));
}

/* Somebody's kill, or a signal that came without what it was to say, as too many are pending. */
static bool says_nothing(const siginfo_t *si)
{
	return si->si_code <= 0 && !ch_has_handle(si);
}

static bool is_wall(const siginfo_t *si)
{
	return si->si_code == SI_QUEUE && ch_handle_is_wall(ch_handle_of(si));
}

static bool is_perf(const siginfo_t *si)
{
	return si->si_code > 0 && si->si_code != SI_KERNEL;
}

static void log_cost(uint64_t ns)
{
	uint32_t at;

	if (!ch_sampler.handler_log)
		return;
	at = atomic_fetch_add(&ch_sampler.handler_logged, 1);
	if (at < CH_HANDLER_LOG_MAX)
		ch_sampler.handler_log[at] = (uint32_t)ns;
}

void ch_sampler_signal(int sig, siginfo_t *si, void *context)
{
	int saved = errno;
	uint64_t begun;
	struct ch_thread *t;

	(void)sig;
	if (!atomic_load_explicit(&ch_sampler.running, memory_order_acquire)) {
		count(&ch_sampler.unasked);
		return;
	}
	ch_warm_first(si, context);
	begun = ch_cpu_ns();
	t = thread_of(si);
	if (!t || t->ours) {
		errno = saved;
		return;
	}
	atomic_store(&t->in_handler, true);
	ch_warm_thread(t);
	if (!is_wall(si) && !says_nothing(si) &&
	    (!is_perf(si) || !ch_perf_signal(t, si->si_fd, context)))
		ch_cpu_signal(t, begun, context);
	/* One signal is pending at a time: the wall clock's may have been lost to any other. */
	if (atomic_load(&t->wall_asked))
		ch_wall_signal(t, context);
	atomic_store(&t->in_handler, false);
	begun = ch_cpu_ns() - begun;
	atomic_fetch_add_explicit(&ch_sampler.handler_ns, begun, memory_order_relaxed);
	count(&ch_sampler.handler_calls);
	log_cost(begun);
	errno = saved;
}
