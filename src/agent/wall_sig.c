#include "agent/cpu.h"

#include "agent/cpu_state.h"
#include "agent/sampler.h"
#include "sys/arch.h"
#include "sys/peek.h"

/* Threads of the VM that wait, in its own words. */
#define THREAD_IN_NATIVE 4
#define THREAD_BLOCKED   10

static bool is_system_call(uint64_t at)
{
	return (CH_ARCH_SYSCALL_BYTES == 2 ? ch_peek16(at, 0) : ch_peek32(at, 0)) ==
	       CH_ARCH_SYSCALL;
}

/* Interrupted behind a system call, or set back to it so that it starts again: it was waiting. */
static bool in_system_call(const ucontext_t *uc)
{
	uint64_t pc = ch_arch_regs(uc).pc;

	return is_system_call(pc) || is_system_call(pc - CH_ARCH_SYSCALL_BYTES);
}

static enum ch_state state_of(const struct ch_thread *t, const ucontext_t *uc)
{
	uint64_t java = atomic_load(&t->java);

	if (java) {
		uint32_t state =
		    ch_peek32(java + (uint64_t)ch_sampler.vm.thread_state, THREAD_IN_NATIVE);

		if (state == THREAD_BLOCKED)
			return CH_STATE_SLEEPING;
		if (state != THREAD_IN_NATIVE)
			return CH_STATE_RUNNABLE;
	}
	return in_system_call(uc) ? CH_STATE_SLEEPING : CH_STATE_RUNNABLE;
}

uint64_t ch_wall_samples(uint64_t counted_ns, uint64_t now, uint64_t interval_ns)
{
	uint64_t due = now > counted_ns ? now - counted_ns : 0;
	uint64_t n = (due + interval_ns / 2) / interval_ns;

	return n ? n : 1;
}

void ch_wall_signal(struct ch_thread *t, ucontext_t *uc)
{
	uint64_t now = ch_now_ns(), interval = ch_cpu_state.wall_interval_ns;
	struct ch_sample_of what = { .event = CH_EV_WALL,
		                     .state = state_of(t, uc),
		                     .weight = ch_wall_samples(t->wall_counted_ns, now, interval),
		                     .extra = now - t->wall_last_ns };
	bool taken = ch_sampler_take(t, &what, uc);

	if (taken) {
		t->wall_last_ns = now;
		t->wall_counted_ns += what.weight * interval;
	}
	/*
	 * A thread that was running will have moved on, and one whose sample was dropped has no stack
	 * to repeat: only one that waits where it was seen is compared later.
	 */
	atomic_store(&t->wall_cpu_ns, taken && what.state == CH_STATE_SLEEPING ? ch_cpu_ns() : 0);
	atomic_store(&t->wall_asked, false);
}
