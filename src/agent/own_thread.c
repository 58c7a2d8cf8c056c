#include "agent/own_thread.h"

#include <signal.h>

/* Faults must get through: ch_peek* lives on them, and one that is held back ends the process. */
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

int ch_own_thread_start(const char *name, void *(*run)(void *), pthread_t *ret,
                        struct ch_error *err)
{
	sigset_t held, before;
	int r;

	sigfillset(&held);
	for (size_t i = 0; i < CH_LEN(faults); i++)
		sigdelset(&held, faults[i]);
	pthread_sigmask(SIG_SETMASK, &held, &before);
	r = pthread_create(ret, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		return ch_fail(err, -r, "start the thread '%s': %m", name);
	pthread_setname_np(*ret, name);
	return 0;
}
