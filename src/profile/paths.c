#include "profile/paths.h"
#include "base/hash.h"
#include "base/vec.h"

/*
 * Every STEP-th node of a path can be found, and its end. More of them would spare a few steps down
 * the trie, which cost less than a larger table.
 */
#define STEP      16
#define SLOTS_MIN 1024

void ch_paths_done(struct ch_paths *c)
{
	free(c->slots);
	free(c->hash);
	*c = (struct ch_paths){ 0 };
}

static struct ch_path *slot(const struct ch_paths *c, uint64_t hash, uint32_t depth)
{
	size_t i = hash & c->mask;

	while (c->slots[i].node && (c->slots[i].hash != hash || c->slots[i].depth != depth))
		i = (i + 1) & c->mask;
	return &c->slots[i];
}

/* Without memory paths are not remembered: slower, not wrong. */
static void grow(struct ch_paths *c)
{
	size_t n = c->slots ? (c->mask + 1) * 2 : SLOTS_MIN;
	struct ch_paths to = *c;

	to.slots = calloc(n, sizeof(*to.slots));
	if (!to.slots)
		return;
	to.mask = n - 1;
	for (size_t i = 0; c->slots && i <= c->mask; i++)
		if (c->slots[i].node)
			*slot(&to, c->slots[i].hash, c->slots[i].depth) = c->slots[i];
	free(c->slots);
	*c = to;
}

static void remember(struct ch_paths *c, uint32_t depth, uint32_t node)
{
	struct ch_path *s;

	if (!c->slots || c->used >= (c->mask + 1) / 3 * 2)
		grow(c);
	if (!c->slots || c->used >= c->mask)
		return;
	s = slot(c, c->hash[depth], depth);
	c->used += !s->node;
	*s = (struct ch_path){ c->hash[depth], node, depth };
}

static uint32_t known(const struct ch_paths *c, const struct ch_profile *p, uint32_t depth,
                      uint32_t last)
{
	uint32_t node = slot(c, c->hash[depth], depth)->node;

	return node && p->trie.frame[node] == last ? node : 0;
}

/*
 * The deepest known part of the path: most paths differ from another one near the leaf, so that
 * steps from there grow until one is known, and halve again.
 */
static uint32_t deepest(const struct ch_paths *c, const struct ch_profile *p,
                        const uint32_t *frames, uint32_t n, uint32_t *ret_depth)
{
	uint32_t low = 0, high = (n + STEP - 1) / STEP, best = 0, node, gap = 1;

	*ret_depth = 0;
	if ((node = known(c, p, n, frames[0]))) {
		*ret_depth = n;
		return node;
	}
	/* Ask for all that may be looked at: waiting for them together is waiting once. */
	for (uint32_t at = 1; at < high; at++)
		__builtin_prefetch(&c->slots[c->hash[at * STEP] & c->mask]);
	/* Parts of up to low * STEP frames are known, of high * STEP and more are not. */
	while (high - low > 1) {
		uint32_t at = best || gap >= high - low ? low + (high - low) / 2 : high - gap;

		node = known(c, p, at * STEP, frames[n - at * STEP]);
		gap *= 2;
		if (!node) {
			high = at;
			continue;
		}
		low = at;
		best = node;
	}
	*ret_depth = low * STEP;
	return best;
}

uint32_t ch_paths_push(struct ch_paths *c, struct ch_profile *p, const uint32_t *frames, size_t n)
{
	uint32_t depth = 0, node = 0;
	uint64_t hash = ch_hash_seed;

	if (!n || n >= UINT32_MAX || CH_ROOM(c->hash, c->hash_cap, n + 1) < 0) {
		while (n)
			node = ch_profile_push(p, node, frames[--n]);
		return node;
	}
	for (size_t i = 1; i <= n; i++)
		c->hash[i] = hash = ch_hash_mix(hash ^ frames[n - i], CH_HASH_K1);
	if (c->slots)
		node = deepest(c, p, frames, (uint32_t)n, &depth);
	while (depth < n) {
		node = ch_profile_push(p, node, frames[n - ++depth]);
		if (node && (depth % STEP == 0 || depth == n))
			remember(c, depth, node);
	}
	return node;
}
