#include "sys/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "sys/arch.h"
#include "sys/peek.h"

static struct sigaction before_segv, before_bus;
static atomic_bool installed;
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

static void on_fault(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	uint64_t pc = ch_arch_regs(uc).pc;

	if (pc >= (uintptr_t)ch_peek_begin && pc < (uintptr_t)ch_peek_end) {
		atomic_fetch_add_explicit(&faults, 1, memory_order_relaxed);
		ch_arch_resume_at(uc, (uintptr_t)ch_peek_fail);
		return;
	}
	hand_on(sig == SIGSEGV ? &before_segv : &before_bus, sig, si, context);
}

static int install(int sig, struct sigaction *before, struct ch_error *err)
{
	struct sigaction sa = { .sa_sigaction = on_fault };

	/* Flags and mask stay as they were: the handler before us runs as it was meant to. */
	if (sigaction(sig, NULL, before) < 0)
		return ch_fail(err, -errno, "sigaction: %m");
	sa.sa_mask = before->sa_mask;
	sa.sa_flags = before->sa_flags | SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	if (sigaction(sig, &sa, NULL) < 0)
		return ch_fail(err, -errno, "sigaction: %m");
	return 0;
}

int ch_fault_install(struct ch_error *err)
{
	int r;

	if (atomic_exchange(&installed, true))
		return 0;
	r = install(SIGSEGV, &before_segv, err);
	return r < 0 ? r : install(SIGBUS, &before_bus, err);
}

uint64_t ch_fault_count(void)
{
	return atomic_load_explicit(&faults, memory_order_relaxed);
}
