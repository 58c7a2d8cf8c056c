#include "profile/profile.h"
#include "base/hash.h"
#include "base/vec.h"

#include <errno.h>

/* More labels than this on one sample is damage, not data. */
#define PAIRS_MAX 64
#define SETS_MAX  ((size_t)1 << 24)

bool ch_profile_wants(const struct ch_profile *p, const char *key)
{
	if (p->want.all_labels)
		return true;
	for (const char **l = p->want.labels; l && *l; l++)
		if (!strcmp(*l, key))
			return true;
	return false;
}

/* The id of a set given as pairs sorted by key. */
static uint32_t intern_set(struct ch_profile *p, const struct ch_label *pairs, size_t n)
{
	uint32_t hash = ch_hash_bytes(pairs, n * sizeof(*pairs)), id;
	size_t at = ch_index_start(&p->set_index, hash);

	if (!n)
		return 0;
	while ((id = ch_index_next(&p->set_index, hash, &at))) {
		uint32_t start = p->set_start[id];

		if (p->set_start[id + 1] - start == n &&
		    !memcmp(p->labels + start, pairs, n * sizeof(*pairs)))
			return id;
	}
	id = (uint32_t)p->n_sets;
	if (p->n_sets >= SETS_MAX || CH_ROOM(p->set_start, p->sets_cap, p->n_sets + 2) < 0 ||
	    CH_ROOM(p->labels, p->labels_cap, p->n_labels + n) < 0 ||
	    ch_index_put(&p->set_index, hash, id) < 0) {
		if (!p->err)
			p->err = p->n_sets >= SETS_MAX ? -E2BIG : -ENOMEM;
		return 0;
	}
	memcpy(p->labels + p->n_labels, pairs, n * sizeof(*pairs));
	p->n_labels += n;
	p->n_sets++;
	p->set_start[p->n_sets] = (uint32_t)p->n_labels;
	return id;
}

/* Puts key=value into pairs[0..n), sorted by key; returns the new n. */
static size_t put(struct ch_profile *p, struct ch_label *pairs, size_t n, struct ch_label l)
{
	size_t i = 0;

	while (i < n && pairs[i].key < l.key)
		i++;
	if (i < n && pairs[i].key == l.key) {
		pairs[i] = l;
		return n;
	}
	if (n == PAIRS_MAX) {
		ch_profile_damage(p, "samples with more than %d labels lost some", PAIRS_MAX);
		return n;
	}
	memmove(pairs + i + 1, pairs + i, (n - i) * sizeof(*pairs));
	pairs[i] = l;
	return n + 1;
}

static size_t copy_set(const struct ch_profile *p, uint32_t set, struct ch_label *pairs)
{
	size_t n = p->set_start[set + 1] - p->set_start[set];

	if (n)
		memcpy(pairs, p->labels + p->set_start[set], n * sizeof(*pairs));
	return n;
}

uint32_t ch_profile_label(struct ch_profile *p, uint32_t set, uint32_t key, uint32_t value)
{
	struct ch_label pairs[PAIRS_MAX];
	size_t n;

	if (!value)
		return set;
	n = copy_set(p, set, pairs);
	return intern_set(p, pairs, put(p, pairs, n, (struct ch_label){ key, value }));
}

uint32_t ch_profile_label_of(const struct ch_profile *p, uint32_t set, uint32_t key)
{
	for (uint32_t i = p->set_start[set]; i < p->set_start[set + 1]; i++)
		if (p->labels[i].key == key)
			return p->labels[i].value;
	return 0;
}

uint32_t ch_profile_labels_join(struct ch_profile *p, uint32_t a, uint32_t b)
{
	struct ch_label pairs[PAIRS_MAX];
	size_t n;

	if (!a || !b)
		return a | b;
	n = copy_set(p, a, pairs);
	for (uint32_t i = p->set_start[b]; i < p->set_start[b + 1]; i++)
		n = put(p, pairs, n, p->labels[i]);
	return intern_set(p, pairs, n);
}
