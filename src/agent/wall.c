#include "agent/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cpu_state.h"
#include "agent/names.h"
#include "agent/sampler.h"

/*
 * A thread that waits is sampled once and then only watched: as long as its CPU clock stands still
 * its stack is the same. What it still needs to get back to sleep after a sample is allowed for.
 */
#define SETTLE_NS   150000
#define REPEAT_NS   5000000000u /* a waiting thread is written about this often */
#define WAKE_ROUNDS 1000        /* and looked at again after this many rounds */

static struct {
	pthread_t thread;
	atomic_bool on;
	bool started, tasks_only;
	_Atomic uint64_t cpu_ns;
} wall;

static uint64_t clock_of(int tid)
{
	struct timespec t;

	if (clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6), &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int ask(struct ch_thread *t, int tid)
{
	siginfo_t si = { .si_signo = SIGPROF, .si_code = SI_QUEUE };

	si.si_pid = getpid();
	si.si_uid = getuid();
	si.si_value.sival_ptr = (void *)(uintptr_t)ch_thread_handle(
	    ch_thread_index(t), atomic_load(&t->generation), true);
	return (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGPROF, &si);
}

static void write_idle(struct ch_thread *t, uint64_t now)
{
	uint64_t elapsed = now - t->wall_last_ns;

	if (t->wall_idle && ch_sampler_repeat(t, ch_wall_samples(elapsed), elapsed))
		t->wall_last_ns = now;
	t->wall_idle = 0;
}

/* True when the thread has not run since it was sampled while it waited. */
static bool still_waiting(struct ch_thread *t, int tid)
{
	uint64_t sampled = atomic_load(&t->wall_cpu_ns), cpu;

	if (!sampled)
		return false;
	cpu = clock_of(tid);
	if (t->wall_seen_cpu_ns == cpu)
		return t->wall_idle % WAKE_ROUNDS != WAKE_ROUNDS - 1;
	t->wall_seen_cpu_ns = cpu;
	return cpu - sampled < SETTLE_NS && !t->wall_idle;
}

static bool is_task(const struct ch_thread *t)
{
	static const char start[] = "Executor task launch worker";
	char name[CH_THREAD_NAME_MAX];
	uint64_t java = atomic_load(&t->java);
	int n =
	    java ? ch_thread_name_sig(&ch_sampler.vm, &ch_sampler.names, java, name, sizeof(name))
	         : -1;

	if (n < 0 && !ch_sampler.names.known)
		n = ch_name_told(t, name);
	return n > (int)sizeof(start) && !memcmp(name, start, sizeof(start) - 1) &&
	       memmem(name, (size_t)n, "TID ", 4);
}

static void look_at(struct ch_thread *t, uint64_t now)
{
	int tid = atomic_load(&t->tid);

	if (!tid || t->ours || (wall.tasks_only && !is_task(t)))
		return;
	/* Asked and not answered yet: what has passed is counted when it answers. */
	if (atomic_load(&t->wall_asked))
		return;
	if (still_waiting(t, tid)) {
		t->wall_idle++;
		if (now - t->wall_last_ns >= REPEAT_NS)
			write_idle(t, now);
		return;
	}
	write_idle(t, now);
	if (!t->wall_last_ns) /* its first: it stands for one interval */
		t->wall_last_ns = now - ch_cpu_state.wall_interval_ns;
	atomic_store(&t->wall_asked, true);
	if (ask(t, tid) < 0)
		atomic_store(&t->wall_asked, false);
}

static void *run(void *arg)
{
	struct timespec next;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (atomic_load(&wall.on)) {
		uint64_t at, period, now = ch_now_ns();

		for (uint32_t i = 0; i < ch_threads_count(); i++)
			look_at(ch_thread_at(i), now);
		atomic_store(&wall.cpu_ns, ch_cpu_ns());
		period = ch_cpu_state.wall_interval_ns * atomic_load(&ch_cpu_state.wall_stretch);
		at = (uint64_t)next.tv_sec * 1000000000u + (uint64_t)next.tv_nsec + period;
		now = ch_now_ns();
		if (at < now) /* behind: the rounds that were missed are not made up for */
			at = now + period;
		next = (struct timespec){ (time_t)(at / 1000000000u), (long)(at % 1000000000u) };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	for (uint32_t i = 0; i < ch_threads_count(); i++)
		if (atomic_load(&ch_thread_at(i)->tid))
			write_idle(ch_thread_at(i), ch_now_ns());
	return NULL;
}

/* What an earlier recording left. */
static void forget_all(void)
{
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		struct ch_thread *t = ch_thread_at(i);

		atomic_store(&t->wall_asked, false);
		atomic_store(&t->wall_cpu_ns, 0);
		t->wall_last_ns = 0;
		t->wall_idle = 0;
	}
}

int ch_wall_start(uint64_t interval_ns, bool tasks_only, struct ch_error *err)
{
	sigset_t all, before;
	int r;

	ch_cpu_state.wall_interval_ns = interval_ns;
	wall.tasks_only = tasks_only;
	forget_all();
	atomic_store(&wall.on, true);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&wall.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		return ch_fail(err, -r, "start the wall clock's thread: %m");
	pthread_setname_np(wall.thread, "charcloth-wall");
	wall.started = true;
	return 0;
}

void ch_wall_stop(void)
{
	if (!wall.started)
		return;
	atomic_store(&wall.on, false);
	pthread_join(wall.thread, NULL);
	wall.started = false;
}

void ch_wall_stretch(unsigned stretch)
{
	atomic_store(&ch_cpu_state.wall_stretch, stretch);
}

uint64_t ch_wall_cpu_ns(void)
{
	return atomic_load(&wall.cpu_ns);
}
