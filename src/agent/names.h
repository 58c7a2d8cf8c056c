/*
 * Ids for what a sample refers to: methods, threads by name, classes. What is new is defined in a
 * ring before its id is seen anywhere. Signal-safe.
 */
#ifndef CH_AGENT_NAMES_H
#define CH_AGENT_NAMES_H

#include "agent/ring.h"
#include "agent/threads.h"

struct ch_walk;

/*
 * For a walk's `name` and `epoch`; its arg is the ring for definitions. Methods have their ids for
 * an epoch, until classes are unloaded or ch_names_forget.
 */
uint32_t ch_name_method(struct ch_walk *w, uint64_t method);
uint32_t ch_names_epoch(uint64_t now_ns); /* of CLOCK_MONOTONIC */
/* What methods and classes were called is told anew. For the recorder. */
void ch_names_forget(void);
/* Whoever compares epochs looks again. Signal-safe. */
void ch_names_end_epoch(void);
/*
 * The id of the thread's name as of now, 0 when it has none. False when there is no room to tell a
 * new one: the last one may be wrong by now. For the thread itself.
 */
bool ch_name_thread(struct ch_thread *t, struct ch_stripe *s, uint32_t *ret);
/* The name that the thread was last said to have, and its length; -1 while it is being told. */
int ch_name_told(const struct ch_thread *t, char to[CH_THREAD_NAME_MAX]);
/* The id of a class by its name (java/lang/String, [B); 0 when there is no room. */
uint32_t ch_name_class(const char *name, size_t n);

#endif
