#include "agent/cpu.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cpu_state.h"
#include "agent/names.h"
#include "agent/own_thread.h"
#include "agent/sampler.h"

/*
 * A thread that waits is sampled once and then only watched: as long as its CPU clock stands still
 * its stack is the same. What it still needs to get back to sleep after a sample is allowed for.
 */
#define SETTLE_NS 150000
#define REPEAT_NS 5000000000u /* a waiting thread is written about this often */

static struct {
	pthread_t thread;
	atomic_bool on, started;
	bool tasks_only;
	int wake_fd; /* an eventfd plus 1: 0 is none */
	_Atomic uint64_t cpu_ns;
} wall;

static int ask(struct ch_thread *t, int tid)
{
	siginfo_t si = { .si_signo = SIGPROF, .si_code = SI_QUEUE };

	si.si_pid = getpid();
	si.si_uid = getuid();
	si.si_value.sival_ptr = (void *)(uintptr_t)ch_thread_handle(
	    ch_thread_index(t), atomic_load(&t->generation), true);
	return (int)syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGPROF, &si);
}

/* Of a round that began at `now`: a thread may have answered since, which is later. */
static uint64_t since_last(const struct ch_thread *t, uint64_t now)
{
	return now > t->wall_last_ns ? now - t->wall_last_ns : 0;
}

static void write_idle(struct ch_thread *t, uint64_t now)
{
	uint64_t interval = ch_cpu_state.wall_interval_ns;
	uint64_t samples = ch_wall_samples(t->wall_counted_ns, now, interval);

	if (t->wall_idle && ch_sampler_repeat(t, samples, since_last(t, now))) {
		t->wall_last_ns = now;
		t->wall_counted_ns += samples * interval;
	}
	t->wall_idle = 0;
}

/* True when the thread has not run since it was sampled while it waited. */
static bool still_waiting(struct ch_thread *t, int tid)
{
	uint64_t sampled = atomic_load(&t->wall_cpu_ns), cpu;

	if (!sampled)
		return false;
	cpu = ch_cpu_ns_of(tid);
	if (t->wall_seen_cpu_ns == cpu)
		return true;
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
		if (since_last(t, now) >= REPEAT_NS)
			write_idle(t, now);
		return;
	}
	write_idle(t, now);
	if (!t->wall_last_ns) /* its first: it stands for one interval */
		t->wall_last_ns = t->wall_counted_ns = now - ch_cpu_state.wall_interval_ns;
	atomic_store(&t->wall_asked, true);
	if (ask(t, tid) < 0)
		atomic_store(&t->wall_asked, false);
}

/* Until that time, or until somebody wants the thread to end: intervals may be hours. */
static void wait_until(uint64_t at)
{
	struct pollfd p = { wall.wake_fd - 1, POLLIN, 0 };
	uint64_t now = ch_now_ns(), left = at > now ? at - now : 0;
	struct timespec t = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };

	ppoll(&p, 1, &t, NULL);
}

static void *run(void *arg)
{
	uint64_t next = ch_now_ns();

	(void)arg;
	while (atomic_load(&wall.on)) {
		uint64_t period, now = ch_now_ns();

		for (uint32_t i = 0; i < ch_threads_count(); i++)
			look_at(ch_thread_at(i), now);
		atomic_store(&wall.cpu_ns, ch_cpu_ns());
		period = ch_cpu_state.wall_interval_ns * atomic_load(&ch_cpu_state.wall_stretch);
		next += period;
		now = ch_now_ns();
		if (next < now) /* behind: the rounds that were missed are not made up for */
			next = now + period;
		wait_until(next);
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
	uint64_t woken;
	int r;

	if (!wall.wake_fd)
		wall.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) + 1;
	if (!wall.wake_fd)
		return ch_fail(err, -errno, "an eventfd for the wall clock: %m");
	while (read(wall.wake_fd - 1, &woken, sizeof(woken)) > 0)
		; /* the end of an earlier recording */
	ch_cpu_state.wall_interval_ns = interval_ns;
	wall.tasks_only = tasks_only;
	forget_all();
	atomic_store(&wall.on, true);
	r = ch_own_thread_start(CH_OWN_THREAD "-wall", run, &wall.thread, err);
	atomic_store(&wall.started, r >= 0);
	return r;
}

void ch_wall_stop(void)
{
	uint64_t one = 1;

	/* The recorder at the end of its time and a command may both come. */
	if (!atomic_exchange(&wall.started, false))
		return;
	atomic_store(&wall.on, false);
	while (write(wall.wake_fd - 1, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(wall.thread, NULL);
}

void ch_wall_stretch(unsigned stretch)
{
	atomic_store(&ch_cpu_state.wall_stretch, stretch);
}

void ch_wall_begin(void)
{
	atomic_store(&wall.cpu_ns, 0);
}

uint64_t ch_wall_cpu_ns(void)
{
	return atomic_load(&wall.cpu_ns);
}
