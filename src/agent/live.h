/*
 * Sampled objects that may still be reachable: the recorder's own table of them, with the stack
 * that allocated each. What the collector has not found dead yet counts as alive: no collection is
 * forced, it would stop the application for as long as its heap is large.
 *
 * The table is bounded. When it is full of living objects every second one is left out, here and
 * from then on, and the others stand for twice as much. For one thread at a time, attached to the
 * VM.
 */
#ifndef CH_AGENT_LIVE_H
#define CH_AGENT_LIVE_H

#include "agent/emit.h"
#include "agent/ring.h"

#include <jni.h>

#define CH_LIVE_MAX 8192

struct ch_live {
	struct ch_rec_sample *objects[CH_LIVE_MAX]; /* ref holds the weak reference */
	size_t n;
	uint64_t keep_every, seen; /* of those that come, one of so many is kept */
};

/* A sample of event CH_EV_LIVE, as it comes out of a ring; its weak reference is taken over. */
void ch_live_add(struct ch_live *l, JNIEnv *env, const struct ch_rec_sample *s);
/* Writes an event for each that is alive. They stay. */
void ch_live_write(struct ch_live *l, JNIEnv *env, struct ch_chunk *c, struct ch_intern *in);
/* A chunk ended: all names are forgotten but those that these stacks refer to. */
void ch_live_next_chunk(struct ch_live *l, JNIEnv *env, struct ch_intern *in);
/* Takes samples in the rings, of all events, as read; what they refer to is given back. */
void ch_live_skip(struct ch_rings *rings, JNIEnv *env);
/* Gives all back. */
void ch_live_clear(struct ch_live *l, JNIEnv *env);

#endif
