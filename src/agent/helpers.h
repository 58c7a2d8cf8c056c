/*
 * Threads that work for the task of another thread: those that a task thread has started, and that
 * by their name serve nobody else. They get a span of the same task for as long as they live.
 *
 * Which task a thread was started by is kept by the Java side (an inheritable thread local), since
 * the VM tells nobody who started a thread.
 */
#ifndef CH_AGENT_HELPERS_H
#define CH_AGENT_HELPERS_H

#include "agent/agent.h"
#include "agent/threads.h"

/* `class` is dev.charcloth.Agent; the first time it is remembered. */
void ch_helpers_know(JNIEnv *env, jclass class);
/* The calling thread has just started. */
void ch_helper_start(JNIEnv *env, const struct ch_thread *t);

#endif
