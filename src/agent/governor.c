#include "agent/governor.h"

#include "agent/sampler.h"
#include "agent/signal_cost.h"

static struct {
	struct ch_governor state;
	uint64_t own_ns, process_ns; /* at the end of the last second */
	uint64_t tick_ns;            /* what a signal costs that comes with the tick */
	_Atomic uint64_t signal_ns;
	_Atomic unsigned clock_stretch; /* of the CPU clock from the start; the state's is on top */
	_Atomic unsigned changes;
	_Atomic unsigned permille; /* of the process's CPU */
} governor;

uint64_t ch_governor_own_ns(uint64_t threads_ns)
{
	return threads_ns + atomic_load(&ch_sampler.handler_ns) +
	       atomic_load(&ch_sampler.handler_calls) * atomic_load(&governor.signal_ns);
}

static void apply(unsigned stretch)
{
	ch_cpu_stretch(atomic_load(&governor.clock_stretch) * stretch);
	ch_wall_stretch(stretch);
}

static void begin(uint64_t signal_ns, unsigned clock_stretch)
{
	atomic_store(&governor.signal_ns, signal_ns);
	atomic_store(&governor.clock_stretch, clock_stretch);
	apply(1);
}

void ch_governor_start(enum ch_cpu_engine engine, uint64_t interval_ns, double max_percent)
{
	uint64_t clock_ns = engine == CH_CPU_PERF ? ch_signal_cost_of_clock() : 0;

	governor.tick_ns = ch_signal_cost_at_tick();
	governor.state = (struct ch_governor){ .stretch = 1 };
	governor.process_ns = ch_process_ns();
	governor.own_ns = 0;
	atomic_store(&governor.changes, 0);
	atomic_store(&governor.permille, 0);
	if (clock_ns)
		begin(clock_ns, ch_governor_begin(clock_ns, interval_ns, max_percent));
	else
		begin(governor.tick_ns, 1);
}

void ch_governor_no_clock(void)
{
	begin(governor.tick_ns, 1);
}

void ch_governor_second(uint64_t threads_ns, double max_percent)
{
	uint64_t all = ch_process_ns(), own = ch_governor_own_ns(threads_ns);
	uint64_t used = all - governor.process_ns, ours = own - governor.own_ns;
	unsigned before = governor.state.stretch;
	unsigned stretch = ch_governor_decide(&governor.state, ours, used, max_percent);

	governor.process_ns = all;
	governor.own_ns = own;
	/* Of next to nothing any share is large. */
	if (used >= 100000000)
		atomic_store(&governor.permille, (unsigned)(1000 * ours / used));
	if (stretch == before)
		return;
	atomic_fetch_add(&governor.changes, 1);
	apply(stretch);
}

void ch_governor_status(struct ch_governor_status *ret)
{
	*ret = (struct ch_governor_status){ .stretch = ch_cpu_stretched(),
		                            .changes = atomic_load(&governor.changes),
		                            .percent = atomic_load(&governor.permille) / 10.0,
		                            .signal_ns = atomic_load(&governor.signal_ns) };
}
