#include "agent/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
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
} perf;

/* How often a handler is waited for; one that is put aside for longer keeps its two pages. */
#define WAITS 1000

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

	if (s->fd)
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
	s->fd = fd + 1;
	return ch_perf_event_enable(fd);
}

void ch_perf_slot_period(struct ch_perf_slot *s, uint64_t period)
{
	if (s->fd)
		ioctl(s->fd - 1, PERF_EVENT_IOC_PERIOD, &period);
}

void ch_perf_slot_close(struct ch_thread *t, struct ch_perf_slot *s)
{
	struct ch_perf_ring ring = s->ring;
	int fd = s->fd - 1;

	if (fd < 0)
		return;
	s->fd = 0;
	s->ring = (struct ch_perf_ring){ 0 };
	atomic_thread_fence(memory_order_seq_cst);
	close(fd);
	if (atomic_load(&t->tid) != (int)syscall(SYS_gettid))
		for (unsigned i = 0; atomic_load(&t->in_handler); i++) {
			if (i == WAITS)
				return;
			sched_yield();
		}
	ch_perf_event_unmap(&ring);
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

static int add(struct ch_thread *t, struct ch_error *err)
{
	int r = 0;

	for (unsigned i = 0; i < perf.n && r >= 0; i++)
		r = ch_perf_slot_open(t, &t->perf[i], &perf.spec[i], perf.period[i], perf.kernel,
		                      err);
	return r;
}

void ch_perf_add(struct ch_thread *t)
{
	struct ch_error ignored;

	if (perf.on && !t->ours)
		add(t, &ignored);
}

void ch_perf_forget(struct ch_thread *t)
{
	for (unsigned i = 0; i < CH_LEN(t->perf); i++)
		ch_perf_slot_close(t, &t->perf[i]);
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

int ch_perf_start(struct ch_error *err)
{
	unsigned n = 0;
	int r = 0;

	perf.on = perf.n;
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		struct ch_thread *t = ch_thread_at(i);

		if (!atomic_load(&t->tid) || t->ours)
			continue;
		r = add(t, err);
		if (r < 0 && r != -ESRCH)
			break;
		n += r >= 0;
	}
	if (r < 0 && r != -ESRCH && !n) {
		ch_perf_stop();
		return r;
	}
	return 0;
}

void ch_perf_stop(void)
{
	if (!perf.on)
		return;
	perf.on = false;
	for (uint32_t i = 0; i < ch_threads_count(); i++)
		ch_perf_forget(ch_thread_at(i));
}
