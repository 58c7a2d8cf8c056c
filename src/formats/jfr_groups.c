#include "formats/jfr_groups.h"
#include "base/hash.h"
#include "base/vec.h"

#include <string.h>

/* From what stays in the second-level cache to what still is small beside a profile. */
#define SLOTS_MIN ((size_t)1 << 13)
#define SLOTS_MAX ((size_t)1 << 18)

void ch_rec_groups_done(struct ch_rec_groups *g)
{
	free(g->items);
	free(g->slots);
	*g = (struct ch_rec_groups){ 0 };
}

void ch_rec_groups_clear(struct ch_rec_groups *g)
{
	if (g->n)
		memset(g->slots, 0, (g->mask + 1) * sizeof(*g->slots));
	g->n = 0;
}

static uint64_t hash(const struct ch_rec_group *s)
{
	uint64_t h = ch_hash_mix(s->stack ^ ch_hash_seed, CH_HASH_K1 ^ s->handler);

	if (s->class_key | s->thread | s->labels | s->state | s->span) {
		h = ch_hash_mix(h ^ s->class_key, s->thread ^ CH_HASH_K2);
		h = ch_hash_mix(h ^ s->labels, ((uint64_t)s->state << 32 | s->span) ^ CH_HASH_K1);
	}
	return h;
}

static bool same(const struct ch_rec_group *a, const struct ch_rec_group *b)
{
	return a->stack == b->stack && a->class_key == b->class_key && a->thread == b->thread &&
	       a->labels == b->labels && a->state == b->state && a->span == b->span &&
	       a->handler == b->handler;
}

static uint32_t *slot(const struct ch_rec_groups *g, const struct ch_rec_group *s, uint64_t hash)
{
	size_t i = hash & g->mask;

	while (g->slots[i] && !same(&g->items[g->slots[i] - 1], s))
		i = (i + 1) & g->mask;
	return &g->slots[i];
}

static bool grow(struct ch_rec_groups *g)
{
	size_t n = g->slots ? (g->mask + 1) * 2 : SLOTS_MIN;
	uint32_t *slots;

	if (n > SLOTS_MAX || CH_ROOM(g->items, g->cap, n / 2) < 0 ||
	    !(slots = calloc(n, sizeof(*slots))))
		return false;
	free(g->slots);
	g->slots = slots;
	g->mask = n - 1;
	for (size_t i = 0; i < g->n; i++)
		*slot(g, &g->items[i], hash(&g->items[i])) = (uint32_t)i + 1;
	return true;
}

/* The one that waits longest goes into the table. */
static bool settle_one(struct ch_rec_groups *g)
{
	const struct ch_rec_group *s = &g->waiting[g->gone % CH_REC_WAITING].group;
	uint32_t *place;

	if (CH_UNLIKELY(g->n >= (g->mask + 1) / 2) && !grow(g))
		return false;
	place = slot(g, s, g->waiting[g->gone % CH_REC_WAITING].hash);
	g->gone++;
	if (!*place) {
		g->items[g->n++] = *s;
		*place = (uint32_t)g->n;
	} else {
		struct ch_rec_group *at = &g->items[*place - 1];

		at->samples = ch_sat_add(at->samples, s->samples);
		at->value = ch_sat_add(at->value, s->value);
	}
	return true;
}

/* Once the slot is there it says which group to ask for. */
static void ask_for_group(const struct ch_rec_groups *g, size_t waiting)
{
	uint32_t id = g->slots[g->waiting[waiting % CH_REC_WAITING].hash & g->mask];

	if (id)
		__builtin_prefetch(&g->items[id - 1]);
}

bool ch_rec_groups_add(struct ch_rec_groups *g, const struct ch_rec_group *s)
{
	uint64_t h = hash(s);

	if (CH_UNLIKELY(!g->slots) && !grow(g))
		return false;
	if (g->come - g->gone == CH_REC_WAITING && !settle_one(g))
		return false;
	g->waiting[g->come % CH_REC_WAITING].group = *s;
	g->waiting[g->come % CH_REC_WAITING].hash = h;
	__builtin_prefetch(&g->slots[h & g->mask]);
	g->come++;
	if (g->come - g->gone > CH_REC_WAITING / 2)
		ask_for_group(g, g->come - CH_REC_WAITING / 2 - 1);
	return true;
}

bool ch_rec_groups_settle(struct ch_rec_groups *g)
{
	while (g->gone != g->come)
		if (!settle_one(g))
			return false;
	return true;
}
