#include "agent/governor.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cpu.h"
#include "agent/sampler.h"

static struct {
	struct ch_governor state;
	uint64_t own_ns, process_ns; /* at the end of the last second */
	_Atomic uint64_t signal_ns;
	_Atomic unsigned stretch, changes;
	_Atomic unsigned permille; /* of the process's CPU */
} governor;

/*
 * Signals to oneself, while the handler has nothing to do: way in, way out, and the system call,
 * which stands for what the kernel's timer does. The least of some rounds, free of interruptions.
 */
static uint64_t cost_of_signal(void)
{
	const int rounds = 8, signals = 8;
	pid_t pid = getpid(), tid = (pid_t)syscall(SYS_gettid);
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < rounds; i++) {
		uint64_t begun = ch_cpu_ns(), used;

		for (int k = 0; k < signals; k++)
			syscall(SYS_tgkill, pid, tid, SIGPROF);
		used = ch_cpu_ns() - begun;
		if (used < least)
			least = used;
	}
	return least / (uint64_t)signals;
}

uint64_t ch_governor_own_ns(uint64_t threads_ns)
{
	return threads_ns + atomic_load(&ch_sampler.handler_ns) +
	       atomic_load(&ch_sampler.handler_calls) * atomic_load(&governor.signal_ns);
}

static void apply(unsigned stretch)
{
	atomic_store(&governor.stretch, stretch);
	ch_cpu_stretch(stretch);
	ch_wall_stretch(stretch);
}

void ch_governor_start(void)
{
	atomic_store(&governor.signal_ns, cost_of_signal());
	governor.state = (struct ch_governor){ .stretch = 1 };
	governor.process_ns = ch_process_ns();
	governor.own_ns = 0;
	atomic_store(&governor.changes, 0);
	atomic_store(&governor.permille, 0);
	apply(1);
}

void ch_governor_second(uint64_t threads_ns, double max_percent)
{
	uint64_t all = ch_process_ns(), own = ch_governor_own_ns(threads_ns);
	uint64_t used = all - governor.process_ns, ours = own - governor.own_ns;
	unsigned stretch = ch_governor_decide(&governor.state, ours, used, max_percent);

	governor.process_ns = all;
	governor.own_ns = own;
	/* Of next to nothing any share is large. */
	if (used >= 100000000)
		atomic_store(&governor.permille, (unsigned)(1000 * ours / used));
	if (stretch == atomic_load(&governor.stretch))
		return;
	atomic_fetch_add(&governor.changes, 1);
	apply(stretch);
}

void ch_governor_status(struct ch_governor_status *ret)
{
	*ret = (struct ch_governor_status){ .stretch = atomic_load(&governor.stretch),
		                            .changes = atomic_load(&governor.changes),
		                            .percent = atomic_load(&governor.permille) / 10.0,
		                            .signal_ns = atomic_load(&governor.signal_ns) };
}
