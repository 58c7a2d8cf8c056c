#include "sys/fault.h"
#include "sys/fault_handler.h"

#include <signal.h>
#include <stdatomic.h>

#include "sys/arch.h"
#include "sys/mapped.h"
#include "sys/peek.h"

struct sigaction ch_fault_before_segv, ch_fault_before_bus;
static atomic_uint_fast64_t faults;

static void hand_on(const struct sigaction *before, int sig, siginfo_t *si, void *context)
{
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(sig, si, context);
	} else if (before->sa_handler == SIG_DFL) {
		/* Nobody wanted it: let it happen again, now with its ordinary end. */
		sigaction(sig, before, NULL);
	} else if (before->sa_handler != SIG_IGN) {
		before->sa_handler(sig);
	}
}

void ch_fault_signal(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	uint64_t pc = ch_arch_regs(uc).pc;

	if (pc >= (uintptr_t)ch_peek_begin && pc < (uintptr_t)ch_peek_end) {
		atomic_fetch_add_explicit(&faults, 1, memory_order_relaxed);
		ch_arch_resume_at(uc, (uintptr_t)ch_peek_fail);
		return;
	}
	if (sig == SIGBUS && ch_mapped_fault(si->si_addr))
		return;
	hand_on(sig == SIGSEGV ? &ch_fault_before_segv : &ch_fault_before_bus, sig, si, context);
}

uint64_t ch_fault_count(void)
{
	return atomic_load_explicit(&faults, memory_order_relaxed);
}
