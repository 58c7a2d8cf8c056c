#include "agent/sampler.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cpu.h"
#include "agent/perf.h"
#include "base/hash.h"
#include "sys/peek.h"

struct ch_sampler ch_sampler = { .wake_fd = -1 };

uint64_t ch_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t ch_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void count(_Atomic uint64_t *c)
{
	atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
}

static void wake_recorder(void)
{
	uint64_t one = 1;

	if (ch_sampler.wake_fd >= 0 && write(ch_sampler.wake_fd, &one, sizeof(one)) < 0)
		return; /* it is awake already */
}

/* --- names ----------------------------------------------------------------------------------- */

/* Grows whenever classes were unloaded: what was known at an address must be looked at again. */
static uint32_t epoch(void)
{
	static _Atomic uint32_t always;
	const struct ch_sampler *s = &ch_sampler;

	if (!s->unloaded[0])
		return atomic_fetch_add_explicit(&always, 1, memory_order_relaxed) + 1;
	return (uint32_t)(*s->unloaded[0] + (s->unloaded[1] ? *s->unloaded[1] : 0)) + 1;
}

static uint32_t define_method(uint64_t method, struct ch_ring *defs)
{
	struct ch_rec_method *m =
	    ch_ring_reserve(defs, sizeof(*m) + CH_METHOD_COPY_MAX - sizeof(m->copy));
	uint32_t id;

	if (!m)
		return 0;
	id = ch_ids_next(&ch_sampler.methods);
	m->rec.type = CH_REC_METHOD;
	m->id = id;
	ch_ring_commit(defs, m,
	               offsetof(struct ch_rec_method, copy) +
	                   ch_method_copy_sig(&ch_sampler.vm, method, &m->copy));
	return id;
}

/* 0 when it cannot be named now. */
static uint32_t method_id(uint64_t method, uint32_t now, struct ch_ring *defs)
{
	struct ch_id_entry *e = ch_ids_find(&ch_sampler.methods, method);
	uint32_t id;
	uint64_t hash;

	if (!e)
		return 0;
	id = atomic_load_explicit(&e->id, memory_order_acquire);
	if (id && atomic_load_explicit(&e->epoch, memory_order_acquire) == now)
		return id;
	hash = ch_method_hash_sig(&ch_sampler.vm, method);
	if (!id || atomic_load_explicit(&e->hash, memory_order_acquire) != hash) {
		id = define_method(method, defs);
		if (!id)
			return 0;
		atomic_store_explicit(&e->hash, hash, memory_order_release);
		atomic_store_explicit(&e->id, id, memory_order_release);
	}
	atomic_store_explicit(&e->epoch, now, memory_order_release);
	return id;
}

/* Addresses of Methods become ids, while the frames keep their classes alive. */
static bool name_frames(uint64_t *frames, unsigned n, struct ch_ring *defs)
{
	uint32_t now = epoch();

	for (unsigned i = 0; i < n; i++) {
		uint64_t f = frames[i];
		uint32_t id;

		if (!ch_frame_is_java(f) || ch_frame_kind(f) == CH_FRAME_JMETHOD)
			continue;
		id = method_id(ch_frame_what(f) << 3, now, defs);
		if (!id)
			return false;
		frames[i] = ch_frame_java(ch_frame_kind(f), id, ch_frame_bci(f));
	}
	return true;
}

static uint64_t hash_text(const char *s, size_t n)
{
	uint64_t h = n + 1;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (uint8_t)s[i]) * CH_HASH_K1;
	return h ^ h >> 29;
}

/* What others told, unless they are just telling. */
static int told_name(struct ch_thread *t, char *to)
{
	uint32_t seq = atomic_load(&t->name_seq), n = t->name_len;

	if (seq & 1 || n > CH_THREAD_NAME_MAX)
		return -1;
	memcpy(to, t->name, n);
	return atomic_load(&t->name_seq) == seq ? (int)n : -1;
}

uint32_t ch_sampler_name(struct ch_thread *t, struct ch_stripe *s)
{
	char text[CH_THREAD_NAME_MAX];
	uint64_t java = atomic_load(&t->java), hash;
	struct ch_rec_thread *def;
	uint32_t id = atomic_load(&t->name_id);
	int n = -1;

	if (java)
		n = ch_thread_name_sig(&ch_sampler.vm, &ch_sampler.names, java, text, sizeof(text));
	if (n < 0 && (!id || !ch_sampler.names.known || !java))
		n = told_name(t, text);
	if (n < 0)
		return id;
	hash = hash_text(text, (size_t)n);
	if (id && hash == t->name_hash)
		return id;
	def = ch_ring_reserve(&s->defs, sizeof(*def) + (size_t)n);
	if (!def)
		return id;
	id = atomic_fetch_add(&ch_sampler.thread_names, 1) + 1;
	def->rec.type = CH_REC_THREAD;
	def->id = id;
	def->tid = atomic_load(&t->tid);
	def->java_id = t->java_id;
	def->len = (uint32_t)n;
	memcpy(def->name, text, (size_t)n);
	ch_ring_commit(&s->defs, def, sizeof(*def) + (size_t)n);
	t->name_hash = hash;
	atomic_store(&t->name_id, id);
	return id;
}

static uint32_t define_class(const char *name, size_t n)
{
	struct ch_stripe *s = ch_stripe_take(&ch_sampler.rings);
	struct ch_rec_class *def = s ? ch_ring_reserve(&s->defs, sizeof(*def) + n) : NULL;
	uint32_t id = 0;

	if (def) {
		id = ch_ids_next(&ch_sampler.classes);
		def->rec.type = CH_REC_CLASS;
		def->id = id;
		def->len = (uint32_t)n;
		memcpy(def->name, name, n);
		ch_ring_commit(&s->defs, def, sizeof(*def) + n);
	}
	if (s)
		ch_stripe_release(s);
	return id;
}

uint32_t ch_sampler_class(const char *name, size_t n)
{
	struct ch_id_entry *e;
	uint32_t id;

	if (n > CH_METHOD_TEXT_MAX)
		n = CH_METHOD_TEXT_MAX;
	e = ch_ids_find(&ch_sampler.classes, hash_text(name, n) | 1);
	if (!e)
		return 0;
	id = atomic_load_explicit(&e->id, memory_order_acquire);
	if (id)
		return id;
	id = define_class(name, n);
	if (id)
		atomic_store_explicit(&e->id, id, memory_order_release);
	return id;
}

/* --- samples --------------------------------------------------------------------------------- */

/* AsyncGetCallTrace writes larger frames than ours: its buffer lies behind ours in the ring. */
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
	enum ch_walk_end end;

	if (ch_sampler.asgct)
		return walk_asgct(w, w->thread, uc);
	if (!uc)
		return ch_walk_sig(w, NULL);
	regs = ch_arch_regs(uc);
	if (!ch_sampler.unwind)
		return ch_walk_sig(w, &regs);
	w->libs = ch_unwind_enter_sig(ch_sampler.unwind);
	end = ch_walk_sig(w, &regs);
	ch_unwind_leave_sig(ch_sampler.unwind);
	return end;
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
	size_t per_frame = ch_sampler.asgct ? sizeof(struct ch_asgct_frame) : sizeof(uint64_t);
	struct ch_rec_sample *rec;
	unsigned n_kernel;
	struct ch_walk w = { .vm = &ch_sampler.vm,
		             .thread = atomic_load(&t->java),
		             .max = ch_sampler.max_frames,
		             .native = ch_sampler.native_frames,
		             .cache = ch_sampler.pc_cache };

	rec = ch_ring_reserve(&s->samples, sizeof(*rec) + w.max * per_frame);
	if (!rec) {
		count(&ch_sampler.dropped[CH_DROP_FULL]);
		return false;
	}
	*rec = (struct ch_rec_sample){ .rec.type = CH_REC_SAMPLE,
		                       .time_ns = ch_now_ns(),
		                       .weight = what->weight,
		                       .extra = what->extra,
		                       .since_ns = what->since_ns,
		                       .class_id = what->class_id,
		                       .event = (uint8_t)what->event,
		                       .state = (uint8_t)what->state };
	rec->name = ch_sampler_name(t, s);
	if (what->event == CH_EV_WALL)
		atomic_store(&t->wall_name_id, rec->name);
	n_kernel = take_kernel(rec->frames, w.max, what);
	w.frames = rec->frames + n_kernel;
	w.max -= n_kernel;
	rec->end = (uint16_t)(what->frames ? take_walked(&w, what) : walk(&w, uc));
	rec->n_frames = n_kernel + w.n;
	if (!name_frames(rec->frames, rec->n_frames, &s->defs)) {
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
	taken = take_in(s, t, what, uc);
	crowded = ch_ring_crowded(&s->samples) || ch_ring_crowded(&s->defs);
	ch_stripe_release(s);
	if (crowded)
		wake_recorder();
	if (taken)
		count(&ch_sampler.taken[what->event]);
	return taken;
}

/*
 * A record that is made up, without a walk; `frame` is its only one, if it has one. Only the thread
 * itself may be asked for its name now; others are called as in their last wall sample.
 */
static bool put_made(struct ch_thread *t, const struct ch_rec_sample *made, uint64_t frame)
{
	struct ch_stripe *s = ch_stripe_take(&ch_sampler.rings);
	struct ch_rec_sample *rec = s ? ch_ring_reserve(&s->samples, sizeof(*rec) + 8) : NULL;

	if (rec) {
		*rec = *made;
		rec->rec.type = CH_REC_SAMPLE;
		rec->time_ns = ch_now_ns();
		rec->name = frame ? ch_sampler_name(t, s) : atomic_load(&t->wall_name_id);
		rec->frames[0] = frame;
		ch_ring_commit(&s->samples, rec, sizeof(*rec) + 8);
	} else {
		count(&ch_sampler.dropped[s ? CH_DROP_FULL : CH_DROP_BUSY]);
	}
	if (s)
		ch_stripe_release(s);
	return rec != NULL;
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
	if (si->si_code == SI_TIMER || si->si_code == SI_QUEUE)
		return ch_thread_of_handle((uint64_t)(uintptr_t)si->si_value.sival_ptr);
	/* An interval timer of the process, or a counter of the kernel: whoever runs. */
	if (si->si_code == SI_KERNEL || si->si_code > 0)
		return ch_thread_of_tid((int)syscall(SYS_gettid));
	return NULL;
}

static bool is_wall(const siginfo_t *si)
{
	return si->si_code == SI_QUEUE && (uintptr_t)si->si_value.sival_ptr >> 31 & 1;
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
	if (!atomic_load_explicit(&ch_sampler.running, memory_order_acquire))
		return;
	t = thread_of(si);
	if (!t || t->ours) {
		errno = saved;
		return;
	}
	atomic_store(&t->in_handler, true);
	begun = ch_cpu_ns();
	if (is_wall(si))
		ch_wall_signal(t, context);
	else if (!is_perf(si) || !ch_perf_signal(t, si->si_fd, context))
		ch_cpu_signal(t, begun, si, context);
	atomic_store(&t->in_handler, false);
	begun = ch_cpu_ns() - begun;
	atomic_fetch_add_explicit(&ch_sampler.handler_ns, begun, memory_order_relaxed);
	count(&ch_sampler.handler_calls);
	log_cost(begun);
	errno = saved;
}
