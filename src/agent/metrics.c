#include "agent/metrics.h"

#include <stdio.h>
#include <sys/resource.h>

#include "agent/cpu.h"
#include "agent/sampler.h"

/* Sampling is slowed down after this many seconds in a row over the limit, never beyond this. */
#define PATIENCE    3
#define STRETCH_MAX 64

static struct {
	uint64_t process_ns, own_ns;
	unsigned over;
} last;

static uint64_t process_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The share of the process's CPU that is ours; too much for too long: ask threads less often. */
static void govern(uint64_t own_ns, double max_overhead)
{
	uint64_t process_ns = process_cpu_ns();
	uint64_t used = process_ns - last.process_ns, own = own_ns - last.own_ns;

	last.process_ns = process_ns;
	last.own_ns = own_ns;
	if (used < 20000000u || 100.0 * (double)own <= max_overhead * (double)used) {
		last.over = 0;
		return;
	}
	if (++last.over < PATIENCE || ch_cpu_stretched() >= STRETCH_MAX)
		return;
	last.over = 0;
	ch_cpu_stretch(ch_cpu_stretched() * 2);
}

void ch_metrics_start(void)
{
	last.process_ns = process_cpu_ns();
	last.own_ns = 0;
	last.over = 0;
}

void ch_metrics_write(struct ch_chunk *c, uint64_t own_cpu_ns, double max_overhead)
{
	(void)c;
	govern(own_cpu_ns + atomic_load(&ch_sampler.handler_ns), max_overhead);
}
