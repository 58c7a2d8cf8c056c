#include "agent/cpu.h"

#include "agent/cpu_state.h"
#include "agent/sampler.h"
#include "sys/arch.h"
#include "sys/peek.h"

/* Threads of the VM that wait, in its own words. */
#define THREAD_IN_NATIVE 4
#define THREAD_BLOCKED   10

/* Interrupted right behind a system call: it was in there, waiting. */
static bool in_system_call(const ucontext_t *uc)
{
	uint64_t at = ch_arch_regs(uc).pc - CH_ARCH_SYSCALL_BYTES;

	return (CH_ARCH_SYSCALL_BYTES == 2 ? ch_peek16(at, 0) : ch_peek32(at, 0)) ==
	       CH_ARCH_SYSCALL;
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

void ch_wall_signal(struct ch_thread *t, uint64_t cpu_ns, ucontext_t *uc)
{
	uint64_t now = ch_now_ns();
	struct ch_sample_of what = { .event = CH_EV_WALL,
		                     .state = state_of(t, uc),
		                     .weight = atomic_load(&ch_cpu_state.wall_stretch),
		                     .extra = t->wall_last_ns ? now - t->wall_last_ns : 0 };

	(void)cpu_ns;
	if (ch_sampler_take(t, &what, uc))
		t->wall_last_ns = now;
	/* A thread that was running will have moved on: only one that waits is compared later. */
	atomic_store(&t->wall_cpu_ns, what.state == CH_STATE_SLEEPING ? ch_cpu_ns() : 0);
}
