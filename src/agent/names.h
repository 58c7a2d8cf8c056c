/*
 * Ids for what a sample refers to: methods, threads by name, classes. What is new is defined in a
 * ring before its id is seen anywhere. Signal-safe.
 */
#ifndef CH_AGENT_NAMES_H
#define CH_AGENT_NAMES_H

#include "agent/ring.h"
#include "agent/threads.h"

/*
 * Addresses of Methods become ids, in place; only while the frames keep their classes alive. False
 * when there was no room to define one.
 */
bool ch_name_frames(uint64_t *frames, unsigned n, struct ch_ring *defs);
/* The id of the thread's name as of now. For the thread itself. */
uint32_t ch_name_thread(struct ch_thread *t, struct ch_stripe *s);
/* The name that the thread was last said to have, and its length; -1 while it is being told. */
int ch_name_told(const struct ch_thread *t, char to[CH_THREAD_NAME_MAX]);
/* The id of a class by its name (java/lang/String, [B); 0 when there is no room. */
uint32_t ch_name_class(const char *name, size_t n);

#endif
