#include "agent/cpu.h"

#include "agent/cpu_state.h"
#include "agent/sampler.h"
#include "sys/kernel.h"

struct ch_cpu_state ch_cpu_state = { .stretch = 1, .wall_stretch = 1 };

void ch_cpu_arm_young(struct ch_thread *t, uint64_t in_ns)
{
	struct itimerspec when = { .it_value = { (time_t)(in_ns / 1000000000u),
		                                 (long)(in_ns % 1000000000u) } };

	ch_timer_settime(t->young_timer, &when);
}

/*
 * A young thread is asked by the clock on the wall, which is finer than the tick of CPU timers: it
 * cannot be due before that much time has gone by. If it was waiting, it is asked again.
 */
static void ask_again(struct ch_thread *t, uint64_t cpu_ns)
{
	uint64_t period = ch_cpu_state.period_ns;
	uint64_t left = period - (cpu_ns + t->offset_ns) % period;

	if (!t->has_young_timer || t->young_rearms >= CH_YOUNG_REARMS)
		return;
	t->young_rearms++;
	ch_cpu_arm_young(t, left < period / 16 ? period / 16 : left);
}

void ch_cpu_signal(struct ch_thread *t, uint64_t cpu_ns, ucontext_t *uc)
{
	struct ch_sample_of what = { .event = CH_EV_CPU, .state = CH_STATE_RUNNABLE, .weight = 1 };
	uint64_t due;

	if (ch_cpu_state.config.engine == CH_CPU_OFF)
		return; /* a late signal */
	if (ch_cpu_state.config.engine != CH_CPU_ITIMER) {
		due = (cpu_ns + t->offset_ns) / ch_cpu_state.config.interval_ns;
		if (due > t->accounted) {
			what.weight = due - t->accounted;
			what.kernel = &t->clock.ring;
			if (ch_sampler_take(t, &what, uc))
				t->accounted = due;
		}
		ask_again(t, cpu_ns);
	} else {
		what.weight = atomic_load(&ch_cpu_state.stretch);
		ch_sampler_take(t, &what, uc);
	}
}
