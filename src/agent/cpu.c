#include "agent/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <sys/time.h>

#include "agent/cpu_state.h"
#include "agent/perf.h"
#include "agent/sampler.h"
#include "sys/kernel.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
}

static int make_timer(struct ch_thread *t, clockid_t clock, int *ret)
{
	struct sigevent to = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };

	to.sigev_value.sival_ptr = (void *)(uintptr_t)ch_thread_handle(
	    ch_thread_index(t), atomic_load(&t->generation), false);
	to.sigev_notify_thread_id = atomic_load(&t->tid);
	return ch_timer_create(clock, &to, ret) < 0 ? -errno : 0;
}

/* How long until the thread is due, and from then on once a period. */
static struct itimerspec schedule(const struct ch_thread *t, uint64_t cpu_ns)
{
	uint64_t period = ch_cpu_state.period_ns;

	return (struct itimerspec){ timespec_of(period),
		                    timespec_of(period - (cpu_ns + t->offset_ns) % period) };
}

/* --- a timer for each thread ----------------------------------------------------------------- */

static int timer_add(struct ch_thread *t)
{
	struct itimerspec when;
	int tid = atomic_load(&t->tid), r;

	if (t->has_timer)
		return 0;
	r = make_timer(t, ch_cpu_clock_of(tid), &t->timer);
	if (r < 0)
		return r;
	when = schedule(t, ch_cpu_ns_of(tid));
	t->has_timer = true;
	ch_timer_settime(t->timer, &when);
	return 0;
}

static void timer_remove(struct ch_thread *t)
{
	if (t->has_timer)
		ch_timer_delete(t->timer);
	t->has_timer = false;
}

static void timer_again(struct ch_thread *t)
{
	struct itimerspec when;

	if (!t->has_timer)
		return;
	when = schedule(t, ch_cpu_ns_of(atomic_load(&t->tid)));
	ch_timer_settime(t->timer, &when);
}

/* --- perf's clock for each thread ------------------------------------------------------------ */

static struct ch_perf_spec clock_spec;

static int clock_add(struct ch_thread *t)
{
	struct ch_cpu_config *c = &ch_cpu_state.config;
	struct ch_error err;
	int r = clock_spec.name[0] ? 0 : ch_perf_event_parse("cpu-clock", &clock_spec, &err);

	if (r >= 0)
		r = ch_perf_slot_open(t, &t->clock, &clock_spec, ch_cpu_state.period_ns, c->kernel,
		                      &err);
	if ((r == -EACCES || r == -EPERM) && c->kernel) {
		c->kernel = false;
		r = clock_add(t);
	}
	return r;
}

/* --- the one or the other -------------------------------------------------------------------- */

/* Of descriptors, memory, or signals that may be pending. */
static bool is_shortage(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -ENOSPC || r == -EAGAIN;
}

/* A thread that cannot have the one has the other: it is asked at other times, and counts as much. */
static int perf_add(struct ch_thread *t)
{
	int r = clock_add(t);

	return is_shortage(r) ? timer_add(t) : r;
}

static int timer_first_add(struct ch_thread *t)
{
	int r = timer_add(t);

	return is_shortage(r) && clock_add(t) >= 0 ? 0 : r;
}

static void either_remove(struct ch_thread *t)
{
	ch_perf_slot_close(t, &t->clock);
	timer_remove(t);
}

static void either_again(struct ch_thread *t)
{
	ch_perf_slot_period(&t->clock, ch_cpu_state.period_ns);
	timer_again(t);
}

/* --- one timer for all ----------------------------------------------------------------------- */

static void itimer_set(uint64_t ns)
{
	struct itimerval when = { .it_interval = { (time_t)(ns / 1000000000u),
		                                   (suseconds_t)(ns / 1000 % 1000000) } };

	when.it_value = when.it_interval;
	setitimer(ITIMER_PROF, &when, NULL);
}

/* --- the engines ----------------------------------------------------------------------------- */

static const struct engine {
	int (*add)(struct ch_thread *t);
	void (*remove)(struct ch_thread *t);
	void (*again)(struct ch_thread *t); /* after the period changed */
} engines[] = {
	[CH_CPU_TIMER] = { timer_first_add, either_remove, either_again },
	[CH_CPU_PERF] = { perf_add, either_remove, either_again },
	[CH_CPU_ITIMER] = { NULL, NULL, NULL },
};

static const struct engine *engine(void)
{
	return &engines[ch_cpu_state.config.engine];
}

static void young_remove(struct ch_thread *t)
{
	if (t->has_young_timer)
		ch_timer_delete(t->young_timer);
	t->has_young_timer = false;
}

/*
 * Where in its interval a thread starts. Steps of the golden ratio fill the interval more evenly
 * than chance: the sum over many short threads comes out right, whatever pattern they come in.
 */
static uint64_t next_offset(uint64_t interval_ns)
{
	static _Atomic uint64_t phase;
	uint64_t at = atomic_fetch_add(&phase, 0x9e3779b97f4a7c15);

	return (uint64_t)((unsigned __int128)at * interval_ns >> 64);
}

/* CPU time that belongs to no thread which is known; for the recorder's thread. */
static struct {
	struct ch_thread thread;   /* in whose name it is written */
	uint64_t from_ns;          /* of the process's clock */
	_Atomic uint64_t ended_ns; /* of threads that have ended */
	uint64_t written;          /* intervals */
} unseen;

/* Timers of a thread are made and removed by itself and by the recorder. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool on(void)
{
	return ch_cpu_state.config.engine != CH_CPU_OFF;
}

/*
 * The way into the VM belongs to a new thread; what an old one did elsewhere does not. One that is
 * found late may have been a thread of the VM before: that much of it is accounted already.
 */
static uint64_t counts_from(const struct ch_thread *t, enum ch_thread_age age, uint64_t cpu_ns)
{
	if (age == CH_AGE_LATE)
		return ch_thread_left_ns(t, cpu_ns);
	return age == CH_AGE_BORN && ch_thread_is_new(t, cpu_ns) ? 0 : cpu_ns;
}

static int add(struct ch_thread *t, enum ch_thread_age age)
{
	uint64_t interval = ch_cpu_state.config.interval_ns, cpu_ns;
	int r = 0;

	/* Told twice, as it began while a recording was started; or the engine is off by now. */
	if (!on() || t->has_timer || t->has_young_timer || atomic_load(&t->clock.fd))
		return 0;

	t->offset_ns = next_offset(interval);
	cpu_ns = ch_cpu_ns_of(atomic_load(&t->tid));
	t->counted_from_ns = counts_from(t, age, cpu_ns);
	t->accounted = (t->counted_from_ns + t->offset_ns) / interval;
	if (!engine()->add)
		return 0;
	if (age == CH_AGE_BORN && ch_cpu_state.config.engine == CH_CPU_TIMER &&
	    make_timer(t, CLOCK_MONOTONIC, &t->young_timer) == 0) {
		t->has_young_timer = true;
		ch_cpu_arm_young(t, ch_cpu_state.period_ns - (cpu_ns + t->offset_ns) % interval);
	} else {
		r = engine()->add(t);
	}
	return r;
}

void ch_cpu_add(struct ch_thread *t, enum ch_thread_age age)
{
	if (!on() || t->ours)
		return;
	pthread_mutex_lock(&lock);
	add(t, age);
	pthread_mutex_unlock(&lock);
}

static void forget(struct ch_thread *t, const struct engine *e)
{
	pthread_mutex_lock(&lock);
	young_remove(t);
	if (e->remove)
		e->remove(t);
	pthread_mutex_unlock(&lock);
}

void ch_cpu_end(struct ch_thread *t)
{
	uint64_t cpu_ns = ch_cpu_ns(), due;

	ch_thread_left(t, cpu_ns);
	if (!on() || !engine()->remove)
		return;
	forget(t, engine());
	atomic_fetch_add(&unseen.ended_ns, cpu_ns - t->counted_from_ns);
	due = (cpu_ns + t->offset_ns) / ch_cpu_state.config.interval_ns;
	if (due > t->accounted)
		ch_sampler_note(t, CH_EV_CPU, due - t->accounted, CH_NOTE_THREAD_ENDED);
}

/* --- what nobody saw ------------------------------------------------------------------------- */

/* What a thread used since it counts; of one that is gone, as far as its samples tell. */
static uint64_t used_ns(const struct ch_thread *t)
{
	uint64_t cpu = ch_cpu_ns_of(atomic_load(&t->tid));

	if (!cpu)
		cpu = t->accounted * ch_cpu_state.config.interval_ns;
	return cpu > t->counted_from_ns ? cpu - t->counted_from_ns : 0;
}

void ch_cpu_gone(struct ch_thread *t)
{
	if (on())
		atomic_fetch_add(&unseen.ended_ns, used_ns(t));
	forget(t, engine());
}

static uint64_t known_ns(void)
{
	uint64_t sum = atomic_load(&unseen.ended_ns);

	for (uint32_t i = 0; i < ch_threads_count(); i++)
		if (atomic_load(&ch_thread_at(i)->tid))
			sum += used_ns(ch_thread_at(i));
	return sum;
}

static void unseen_begin(void)
{
	static const char name[] = "[threads that came and went]";

	ch_thread_tell_name(&unseen.thread, name, sizeof(name) - 1);
	atomic_store(&unseen.thread.name_id, 0);
	atomic_store(&unseen.ended_ns, 0);
	unseen.written = 0;
	unseen.from_ns = ch_process_ns() - known_ns();
}

void ch_cpu_forget_name(void)
{
	atomic_store(&unseen.thread.name_id, 0);
}

void ch_cpu_write_unseen(void)
{
	uint64_t interval = ch_cpu_state.config.interval_ns, known, now, due;

	if (!on() || !engine()->add)
		return;
	known = known_ns();
	now = ch_process_ns() - unseen.from_ns;
	due = now > known ? (now - known) / interval : 0;
	if (due > unseen.written &&
	    ch_sampler_note(&unseen.thread, CH_EV_CPU, due - unseen.written, CH_NOTE_UNSEEN))
		unseen.written = due;
}

/* --- starting and stopping ------------------------------------------------------------------- */

static void grow_up(struct ch_thread *t)
{
	pthread_mutex_lock(&lock);
	if (t->has_young_timer && engine()->add && engine()->add(t) == 0)
		young_remove(t);
	pthread_mutex_unlock(&lock);
}

void ch_cpu_tend(void)
{
	for (uint32_t i = 0; on() && i < ch_threads_count(); i++) {
		struct ch_thread *t = ch_thread_at(i);

		if (t->has_young_timer && t->young_rearms >= CH_YOUNG_REARMS / 4)
			grow_up(t);
	}
}

/* What the kernel says of a thread that has ended. */
static bool is_gone(int error)
{
	return error == -ESRCH || error == -EINVAL;
}

int ch_cpu_start(const struct ch_cpu_config *config, struct ch_error *err)
{
	int r = 0;
	unsigned n = 0;

	/* The engine last: whoever sees it divides by the others. */
	pthread_mutex_lock(&lock);
	ch_cpu_state.period_ns = config->interval_ns * ch_cpu_state.stretch;
	ch_cpu_state.config.interval_ns = config->interval_ns;
	ch_cpu_state.config.kernel = config->kernel;
	atomic_thread_fence(memory_order_release);
	ch_cpu_state.config.engine = config->engine;
	pthread_mutex_unlock(&lock);
	if (config->engine == CH_CPU_ITIMER) {
		itimer_set(ch_cpu_state.period_ns);
		return 0;
	}
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		struct ch_thread *t = ch_thread_at(i);

		if (!atomic_load(&t->tid) || t->ours)
			continue;
		pthread_mutex_lock(&lock);
		r = add(t, CH_AGE_OLD);
		pthread_mutex_unlock(&lock);
		if (r < 0 && !is_gone(r))
			break;
		n += r == 0;
	}
	/* With a timer for some threads only the others would have no stacks: another way is better. */
	if (r < 0 && (!n || !is_gone(r))) {
		ch_cpu_stop();
		return ch_fail(err, r, "no timer for a thread: %m");
	}
	unseen_begin();
	return 0;
}

void ch_cpu_stop(void)
{
	const struct engine *e = engine();

	if (!on())
		return;
	if (ch_cpu_state.config.engine == CH_CPU_ITIMER)
		itimer_set(0);
	/* First off, so that no thread that begins now gets a timer which nobody would remove. */
	pthread_mutex_lock(&lock);
	ch_cpu_state.config.engine = CH_CPU_OFF;
	pthread_mutex_unlock(&lock);
	for (uint32_t i = 0; i < ch_threads_count(); i++)
		forget(ch_thread_at(i), e);
}

void ch_cpu_stretch(unsigned stretch)
{
	ch_cpu_state.stretch = stretch;
	ch_cpu_state.period_ns = ch_cpu_state.config.interval_ns * stretch;
	if (ch_cpu_state.config.engine == CH_CPU_ITIMER)
		itimer_set(ch_cpu_state.period_ns);
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		pthread_mutex_lock(&lock);
		if (atomic_load(&ch_thread_at(i)->tid) && engine()->again)
			engine()->again(ch_thread_at(i));
		pthread_mutex_unlock(&lock);
	}
}

unsigned ch_cpu_stretched(void)
{
	return ch_cpu_state.stretch;
}
