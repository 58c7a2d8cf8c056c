#include "agent/own_thread.h"

#include <signal.h>

/* Faults must get through: ch_peek* lives on them, and one that is held back ends the process. */
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

/* What the VM gives its own: musl's 128 KB would be less than it keeps free in attached threads. */
#define STACK_BYTES ((size_t)1 << 20)

static int start(void *(*run)(void *), pthread_t *ret)
{
	pthread_attr_t attr;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = pthread_create(ret, &attr, run, NULL);
	pthread_attr_destroy(&attr);
	return r;
}

int ch_own_thread_start(const char *name, void *(*run)(void *), pthread_t *ret,
                        struct ch_error *err)
{
	sigset_t held, before;
	int r;

	sigfillset(&held);
	for (size_t i = 0; i < CH_LEN(faults); i++)
		sigdelset(&held, faults[i]);
	pthread_sigmask(SIG_SETMASK, &held, &before);
	r = start(run, ret);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r)
		return ch_fail(err, -r, "start the thread '%s': %m", name);
	pthread_setname_np(*ret, name);
	return 0;
}
