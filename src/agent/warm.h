/*
 * Memory for a sample before it is taken.
 *
 * What a sample reads was last touched milliseconds ago: our own tables at the last sample, the
 * stack when its frames were made, the VM's data who knows when. Read one after the other, each is
 * waited for, and that is most of what a sample costs. So all that can be known is asked for early,
 * in waves, each of which needs what the one before has brought; it comes while the kernel is asked
 * for the time. Nothing here reads what may not be there. Signal-safe.
 */
#ifndef CH_AGENT_WARM_H
#define CH_AGENT_WARM_H

#include "agent/ring.h"
#include "agent/threads.h"

#include <ucontext.h>

void ch_warm_first(const siginfo_t *si, const ucontext_t *uc);
void ch_warm_thread(const struct ch_thread *t);
void ch_warm_objects(const struct ch_stripe *s, const struct ch_thread *t);

#endif
