/* Threads of the agent itself: none of the host's signals goes to them, and they are not sampled. */
#ifndef CH_AGENT_OWN_THREAD_H
#define CH_AGENT_OWN_THREAD_H

#include "base/error.h"

#include <pthread.h>

/* What the names of such threads start with; native scans and callbacks know them by it. */
#define CH_OWN_THREAD "charcloth"

/* Starts run(NULL) under a name of at most 15 bytes; joined by the caller. */
int ch_own_thread_start(const char *name, void *(*run)(void *), pthread_t *ret,
                        struct ch_error *err);

#endif
