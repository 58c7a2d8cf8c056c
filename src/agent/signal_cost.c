#include "agent/signal_cost.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/sampler.h"

#define SIGNALS     24
#define PERIOD_NS   500000u
#define GIVE_UP_NS  200000000u
#define TICK_ROUNDS 8

/* Sent to oneself: the system call stands for what the tick does. The least is free of mishaps. */
uint64_t ch_signal_cost_at_tick(void)
{
	pid_t pid = getpid(), tid = (pid_t)syscall(SYS_gettid);
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TICK_ROUNDS; i++) {
		uint64_t begun = ch_cpu_ns(), used;

		for (int k = 0; k < SIGNALS; k++)
			syscall(SYS_tgkill, pid, tid, SIGPROF);
		used = ch_cpu_ns() - begun;
		if (used < least)
			least = used;
	}
	return least / SIGNALS;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * The time that is missing whenever a signal came, to somebody who does nothing but read the clock.
 * It came before the clock was read or right after: then the next turn is the long one. The lower
 * quartile, as whoever else wants the processor makes it longer, not shorter.
 */
static uint64_t missing_time(void)
{
	uint64_t gaps[SIGNALS], begun = ch_now_ns(), before = begun, gap_before = 0;
	uint64_t seen = atomic_load(&ch_sampler.unasked);
	bool came = false;
	size_t n = 0;

	while (n < SIGNALS && before - begun < GIVE_UP_NS) {
		uint64_t now = ch_now_ns(), gap = now - before;
		uint64_t signals = atomic_load(&ch_sampler.unasked);

		if (came)
			gaps[n++] = gap > gap_before ? gap : gap_before;
		came = signals != seen;
		seen = signals;
		before = now;
		gap_before = gap;
	}
	/* Where hardly any came, somebody else had the processor. */
	if (n < SIGNALS / 2)
		return 0;
	qsort(gaps, n, sizeof(*gaps), compare);
	return gaps[n / 4];
}

uint64_t ch_signal_cost_of_clock(void)
{
	struct ch_perf_open how = { .period = PERIOD_NS, .signal = SIGPROF };
	struct ch_perf_spec spec;
	struct ch_error err;
	uint64_t cost = 0;
	int fd = ch_perf_event_parse("cpu-clock", &spec, &err);

	if (fd >= 0)
		fd = ch_perf_event_open_thread(&spec, &how, &err);
	if (fd < 0)
		return 0;
	if (ch_perf_event_enable(fd) >= 0)
		cost = missing_time();
	close(fd);
	return cost;
}
