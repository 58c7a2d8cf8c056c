#include "agent/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/sampler.h"

static struct {
	struct ch_perf_spec spec[CH_ARGS_PERF_MAX];
	uint64_t period[CH_ARGS_PERF_MAX];
	unsigned n;
	bool kernel, on;
	unsigned without;    /* threads that could not be given theirs */
	struct ch_error why; /* the last of them could not */
} perf;

/* Events of a thread are opened and closed by itself, by the recorder and by commands. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* How long a handler is waited for: some turns, then milliseconds. */
#define TURNS    100
#define SLEEPS   200
#define SLEEP_NS 1000000

/* The host needs descriptors more than we do: half of those that it may have stay its own. */
static bool too_many(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd >= limit.rlim_cur / 2;
}

int ch_perf_slot_open(struct ch_thread *t, struct ch_perf_slot *s, const struct ch_perf_spec *spec,
                      uint64_t period, bool kernel, struct ch_error *err)
{
	struct ch_perf_open how = { atomic_load(&t->tid), period, kernel, SIGPROF };
	struct ch_error ignored;
	int fd;

	if (atomic_load(&s->fd))
		return 0;
	fd = ch_perf_event_open_thread(spec, &how, err);
	if (fd < 0)
		return fd;
	if (too_many(fd)) {
		close(fd);
		return ch_fail(err, -EMFILE,
		               "a counter for each thread would take more than half "
		               "of the process's file descriptors");
	}
	if (kernel && ch_perf_event_map(fd, &s->ring, &ignored) < 0)
		s->ring = (struct ch_perf_ring){ 0 };
	s->seen = 0;
	atomic_store(&s->fd, fd + 1);
	return ch_perf_event_enable(fd);
}

void ch_perf_slot_period(struct ch_perf_slot *s, uint64_t period)
{
	int fd = atomic_load(&s->fd) - 1;

	if (fd >= 0)
		ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

/* True once no handler of the thread can look at what was taken out of its slot before. */
static bool handler_is_out(const struct ch_thread *t)
{
	if (atomic_load(&t->tid) == (int)syscall(SYS_gettid))
		return true;
	for (unsigned i = 0; atomic_load(&t->in_handler); i++) {
		if (i == TURNS + SLEEPS)
			return false;
		if (i < TURNS)
			sched_yield();
		else
			nanosleep(&(struct timespec){ .tv_nsec = SLEEP_NS }, NULL);
	}
	return true;
}

/*
 * The descriptor is closed last: a handler that still reads it would read the next file that the
 * host opens, and take bytes out of it. One that is put aside for too long keeps both.
 */
void ch_perf_slot_close(struct ch_thread *t, struct ch_perf_slot *s)
{
	struct ch_perf_ring ring = s->ring;
	int fd = atomic_exchange(&s->fd, 0) - 1;

	if (fd < 0)
		return;
	s->ring = (struct ch_perf_ring){ 0 };
	atomic_thread_fence(memory_order_seq_cst);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (!handler_is_out(t))
		return;
	ch_perf_event_unmap(&ring);
	close(fd);
}

/* --- events of all threads ------------------------------------------------------------------- */

const char *ch_perf_name(unsigned index)
{
	return index < perf.n ? perf.spec[index].name : NULL;
}

uint64_t ch_perf_period(unsigned index)
{
	return perf.period[index] ? perf.period[index] : perf.spec[index].period;
}

/* Under the lock. A thread that has ended meanwhile is none that could not. */
static int add(struct ch_thread *t)
{
	struct ch_error err;
	int r = 0;

	for (unsigned i = 0; i < perf.n && r >= 0; i++)
		r = ch_perf_slot_open(t, &t->perf[i], &perf.spec[i], perf.period[i], perf.kernel,
		                      &err);
	if (r < 0 && r != -ESRCH) {
		perf.without++;
		perf.why = err;
	}
	return r;
}

void ch_perf_add(struct ch_thread *t)
{
	pthread_mutex_lock(&lock);
	if (perf.on && !t->ours)
		add(t);
	pthread_mutex_unlock(&lock);
}

void ch_perf_forget(struct ch_thread *t)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < CH_LEN(t->perf); i++)
		ch_perf_slot_close(t, &t->perf[i]);
	pthread_mutex_unlock(&lock);
}

/* Every event must be there; the kernel's part of them need not. */
int ch_perf_prepare(const struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	struct ch_error why;

	perf.n = 0;
	perf.kernel = !a->all_user;
	for (unsigned i = 0; i < a->n_perf; i++) {
		struct ch_perf_spec *spec = &perf.spec[i];
		int r = ch_perf_event_parse(a->perf[i], spec, err);

		if (r >= 0)
			r = ch_perf_event_resolve(spec, err);
		if (r < 0)
			return r;
		perf.period[i] = (uint64_t)a->perf_period;
		if (perf.kernel && ch_perf_event_probe(spec, true, &why) < 0) {
			perf.kernel = false;
			r = ch_perf_event_probe(spec, false, err);
			if (r < 0)
				return r;
			ch_buf_printf(out, "without frames of the kernel: %s\n", why.text);
		}
	}
	perf.n = a->n_perf;
	return 0;
}

int ch_perf_start(struct ch_buf *out, struct ch_error *err)
{
	unsigned n = 0;

	pthread_mutex_lock(&lock);
	perf.on = perf.n;
	perf.without = 0;
	pthread_mutex_unlock(&lock);
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		struct ch_thread *t = ch_thread_at(i);

		if (!atomic_load(&t->tid) || t->ours)
			continue;
		pthread_mutex_lock(&lock);
		n += add(t) >= 0;
		pthread_mutex_unlock(&lock);
	}
	if (!n && perf.without) {
		ch_perf_stop();
		*err = perf.why;
		return err->code;
	}
	ch_perf_counts(out);
	return 0;
}

void ch_perf_counts(struct ch_buf *out)
{
	pthread_mutex_lock(&lock);
	if (perf.without)
		ch_buf_printf(out, "threads whose events are not counted: %u, as %s\n",
		              perf.without, perf.why.text);
	pthread_mutex_unlock(&lock);
}

void ch_perf_stop(void)
{
	bool was_on;

	/* First off, so that no thread that begins now gets events which nobody would close. */
	pthread_mutex_lock(&lock);
	was_on = perf.on;
	perf.on = false;
	pthread_mutex_unlock(&lock);
	for (uint32_t i = 0; was_on && i < ch_threads_count(); i++)
		ch_perf_forget(ch_thread_at(i));
}
