#include "agent/live.h"

#include <stdlib.h>
#include <string.h>

#include "agent/sampler.h"

static jweak weak_of(const struct ch_rec_sample *s)
{
	return (jweak)(uintptr_t)s->ref;
}

static void drop(JNIEnv *env, struct ch_rec_sample *s)
{
	(*env)->DeleteWeakGlobalRef(env, weak_of(s));
	free(s);
}

static void drop_dead(struct ch_live *l, JNIEnv *env)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		if ((*env)->IsSameObject(env, weak_of(l->objects[i]), NULL))
			drop(env, l->objects[i]);
		else
			l->objects[kept++] = l->objects[i];
	}
	l->n = kept;
}

static void drop_every_second(struct ch_live *l, JNIEnv *env)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (i % 2) {
			drop(env, l->objects[i]);
			continue;
		}
		l->objects[i]->weight *= 2;
		l->objects[kept++] = l->objects[i];
	}
	l->n = kept;
	l->keep_every *= 2;
}

static void make_room(struct ch_live *l, JNIEnv *env)
{
	if (!l->keep_every)
		l->keep_every = 1;
	if (l->n < CH_LIVE_MAX)
		return;
	drop_dead(l, env);
	/* Looking at all of them for a few places would not pay. */
	if (l->n > CH_LIVE_MAX / 4 * 3)
		drop_every_second(l, env);
}

void ch_live_add(struct ch_live *l, JNIEnv *env, const struct ch_rec_sample *s)
{
	struct ch_rec_sample *copy = NULL;

	make_room(l, env);
	if (l->seen++ % l->keep_every == 0)
		copy = malloc(s->rec.size);
	if (!copy) {
		(*env)->DeleteWeakGlobalRef(env, weak_of(s));
		return;
	}
	memcpy(copy, s, s->rec.size);
	copy->weight *= l->keep_every;
	l->objects[l->n++] = copy;
}

void ch_live_write(struct ch_live *l, JNIEnv *env, struct ch_chunk *c, struct ch_intern *in)
{
	uint64_t now = ch_now_ns();

	drop_dead(l, env);
	for (size_t i = 0; i < l->n; i++) {
		struct ch_rec_sample *s = l->objects[i];
		uint64_t weak = s->ref, allocated = s->time_ns;

		s->ref = allocated;
		s->time_ns = now;
		ch_emit_sample(c, in, s, CH_EV_LIVE);
		s->ref = weak;
		s->time_ns = allocated;
	}
}

void ch_live_next_chunk(struct ch_live *l, JNIEnv *env, struct ch_intern *in)
{
	if (l->n)
		drop_dead(l, env);
	ch_intern_forget(in, l->objects, l->n);
}

void ch_live_skip(struct ch_rings *rings, JNIEnv *env)
{
	for (unsigned i = 0; i < rings->n; i++) {
		struct ch_ring *r = &rings->stripe[i].samples;
		uint64_t at = atomic_load(&r->tail), upto = atomic_load(&r->head);
		const struct ch_rec *rec;

		while ((rec = ch_ring_next(r, &at, upto))) {
			const struct ch_rec_sample *s = (const struct ch_rec_sample *)rec;

			if (rec->type == CH_REC_SAMPLE && s->event == CH_EV_LIVE)
				(*env)->DeleteWeakGlobalRef(env, weak_of(s));
		}
		atomic_store(&r->tail, at);
	}
}

void ch_live_clear(struct ch_live *l, JNIEnv *env)
{
	for (size_t i = 0; i < l->n; i++)
		drop(env, l->objects[i]);
	*l = (struct ch_live){ 0 };
}
