#include "sys/par.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define THREADS_MAX 64

static unsigned limit;
static _Thread_local bool inside; /* work within work stays on its own core */

void ch_par_limit(unsigned n)
{
	limit = n;
}

unsigned ch_par_cores(void)
{
	cpu_set_t set;
	unsigned n = 1;

	if (inside)
		return 1;
	if (!sched_getaffinity(0, sizeof(set), &set))
		n = (unsigned)CPU_COUNT(&set);
	if (limit && limit < n)
		n = limit;
	if (n > THREADS_MAX)
		n = THREADS_MAX;
	return n ? n : 1;
}

struct work {
	_Atomic unsigned next;
	unsigned n;
	void (*job)(void *ctx, unsigned i);
	void *ctx;
};

static void *worker(void *arg)
{
	struct work *w = arg;
	bool was_inside = inside;
	unsigned i;

	inside = true;
	while ((i = atomic_fetch_add(&w->next, 1)) < w->n)
		w->job(w->ctx, i);
	inside = was_inside;
	return NULL;
}

void ch_par_run(unsigned n, void (*job)(void *ctx, unsigned i), void *ctx)
{
	struct work w = { .n = n, .job = job, .ctx = ctx };
	unsigned cores = ch_par_cores();
	unsigned extra = (n < cores ? n : cores) - (n > 0), started = 0;
	pthread_t threads[THREADS_MAX];

	if (n == 1) {
		job(ctx, 0);
		return;
	}
	/* A thread that cannot be had is no error: the others take its jobs. */
	while (started < extra && !pthread_create(&threads[started], NULL, worker, &w))
		started++;
	worker(&w);
	while (started)
		pthread_join(threads[--started], NULL);
}
