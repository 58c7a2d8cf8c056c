#include "sys/fault.h"
#include "sys/fault_handler.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool installed;

static int install(int sig, struct sigaction *before, struct ch_error *err)
{
	struct sigaction sa = { .sa_sigaction = ch_fault_signal };

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
	r = install(SIGSEGV, &ch_fault_before_segv, err);
	return r < 0 ? r : install(SIGBUS, &ch_fault_before_bus, err);
}
