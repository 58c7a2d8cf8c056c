#include "formats/jfr_groups.h"
#include "base/hash.h"

#include <string.h>

/* From what stays in the second-level cache to what still is small beside a profile. */
#define SLOTS_MIN ((size_t)1 << 12)
#define SLOTS_MAX ((size_t)1 << 17)

void ch_rec_groups_done(struct ch_rec_groups *g)
{
	free(g->slots);
	*g = (struct ch_rec_groups){ 0 };
}

void ch_rec_groups_clear(struct ch_rec_groups *g)
{
	if (g->used)
		memset(g->slots, 0, (g->mask + 1) * sizeof(*g->slots));
	g->used = 0;
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

static struct ch_rec_group *slot(const struct ch_rec_groups *g, const struct ch_rec_group *s)
{
	size_t i = hash(s) & g->mask;

	while (g->slots[i].handler && !same(&g->slots[i], s))
		i = (i + 1) & g->mask;
	return &g->slots[i];
}

static bool grow(struct ch_rec_groups *g)
{
	size_t n = g->slots ? (g->mask + 1) * 2 : SLOTS_MIN;
	struct ch_rec_groups to = { .mask = n - 1, .used = g->used };

	if (n > SLOTS_MAX || !(to.slots = calloc(n, sizeof(*to.slots))))
		return false;
	for (size_t i = 0; g->slots && i <= g->mask; i++)
		if (g->slots[i].handler)
			*slot(&to, &g->slots[i]) = g->slots[i];
	free(g->slots);
	*g = to;
	return true;
}

bool ch_rec_groups_add(struct ch_rec_groups *g, const struct ch_rec_group *s)
{
	struct ch_rec_group *at;

	if (CH_UNLIKELY(!g->slots || g->used >= (g->mask + 1) / 4 * 3) && !grow(g))
		return false;
	at = slot(g, s);
	if (!at->handler) {
		*at = *s;
		g->used++;
		return true;
	}
	at->samples = ch_sat_add(at->samples, s->samples);
	at->value = ch_sat_add(at->value, s->value);
	return true;
}
