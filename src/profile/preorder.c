#include "profile/preorder.h"
#include "profile/rank.h"

#include <errno.h>

/* The children of each thing, one after the other. */
struct families {
	uint32_t *first;    /* per thing, and one more: where its children start */
	uint64_t *children; /* rank << 32 | thing */
};

static int rank_names(const struct ch_profile *p, size_t n, const uint32_t *node,
                      uint32_t **ret_rank)
{
	CH_CLEANUP(ch_freep) uint8_t *used = calloc(p->n_frames, 1);
	uint32_t *rank = malloc(p->n_frames * sizeof(*rank));
	int r = used && rank ? 0 : -ENOMEM;

	for (size_t i = 1; !r && i < n; i++)
		used[p->trie.frame[node[i]]] = 1;
	if (!r)
		r = ch_rank_frames(p, used, rank);
	if (r < 0)
		free(rank);
	else
		*ret_rank = rank;
	return r;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearly every thing has a handful of children; many arrive in order. */
static void sort_few(uint64_t *v, size_t n)
{
	if (n > 32) {
		qsort(v, n, sizeof(*v), by_value);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		uint64_t x = v[i];
		size_t j = i;

		for (; j && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static int sort_families(const struct ch_profile *p, size_t n, const uint32_t *node,
                         const uint32_t *parent, struct families *f)
{
	CH_CLEANUP(ch_freep) uint32_t *rank = NULL;
	int r = rank_names(p, n, node, &rank);

	if (r < 0)
		return r;
	f->first = calloc(n + 2, sizeof(*f->first));
	f->children = calloc(n, sizeof(*f->children));
	if (!f->first || !f->children)
		return -ENOMEM;
	/* Counted two places up, so that filling moves each start to where it belongs. */
	for (size_t i = 1; i < n; i++)
		f->first[parent[i] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		f->first[i] += f->first[i - 1];
	for (size_t i = 1; i < n; i++)
		f->children[f->first[parent[i] + 1]++] =
		    (uint64_t)rank[p->trie.frame[node[i]]] << 32 | i;
	for (size_t i = 0; i < n; i++)
		sort_few(f->children + f->first[i], f->first[i + 1] - f->first[i]);
	return 0;
}

static uint32_t *place(const struct families *f, size_t n, const uint32_t *size)
{
	uint32_t *position = calloc(n, sizeof(*position));

	for (size_t i = 0; position && i < n; i++) {
		uint32_t at = position[i] + 1;

		for (uint32_t c = f->first[i]; c < f->first[i + 1]; c++) {
			uint32_t child = (uint32_t)f->children[c];

			position[child] = at;
			at += size[child];
		}
	}
	return position;
}

int ch_preorder(const struct ch_profile *p, size_t n, const uint32_t *node, const uint32_t *parent,
                const uint32_t *size, uint32_t **ret_position)
{
	struct families f = { 0 };
	uint32_t *position = NULL;
	int r = sort_families(p, n, node, parent, &f);

	if (!r && !(position = place(&f, n, size)))
		r = -ENOMEM;
	free(f.first);
	free(f.children);
	if (!r)
		*ret_position = position;
	return r;
}
