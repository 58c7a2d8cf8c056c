#include "profile/segments.h"
#include "profile/preorder.h"
#include "profile/weigh.h"

#include <errno.h>

/*
 * Segments are numbered by their first node to begin with: the one that ends at a node then is the
 * one before that which starts at the next node.
 */
struct builder {
	const struct ch_profile *p;
	struct ch_weigh weigh;
	uint32_t *start;    /* per trie node, and one more: segment that starts there */
	size_t n;           /* segments */
	uint32_t *node;     /* per segment, and one more: its first node */
	uint32_t *parent;   /* per segment: the one above */
	uint32_t *size;     /* per segment: segments in its subtree, itself included */
	uint32_t *position; /* per segment: place in preorder */
};

static void builder_done(struct builder *b)
{
	ch_weigh_done(&b->weigh);
	free(b->start);
	free(b->node);
	free(b->parent);
	free(b->size);
	free(b->position);
}

/* A segment starts behind each fork, each end of a row, and wherever a node is not its parent's next. */
static int mark_starts(struct builder *b)
{
	const struct ch_trie *trie = &b->p->trie;

	b->start = calloc(trie->n + 1, sizeof(*b->start));
	if (!b->start)
		return -ENOMEM;
	b->start[0] = b->start[1] = b->start[trie->n] = 1;
	for (size_t i = 1; i < trie->n; i++)
		if (trie->parent[i] != i - 1)
			b->start[i] = b->start[trie->parent[i] + 1] = 1;
	for (size_t i = 0; i < b->p->rows.n; i++)
		b->start[b->p->rows.stack[i] + 1] = 1;
	for (size_t i = 0; i < trie->n; i++)
		b->n += b->start[i];
	return 0;
}

static uint32_t segment_ending_at(const struct builder *b, uint32_t node)
{
	return b->start[node + 1] - 1;
}

static int number(struct builder *b)
{
	const struct ch_trie *trie = &b->p->trie;
	uint32_t next = 0;

	b->node = calloc(b->n + 1, sizeof(*b->node));
	b->parent = calloc(b->n, sizeof(*b->parent));
	b->size = calloc(b->n, sizeof(*b->size));
	if (!b->node || !b->parent || !b->size)
		return -ENOMEM;
	for (size_t i = 0; i <= trie->n; i++) {
		if (!b->start[i])
			continue;
		b->node[next] = (uint32_t)i;
		b->start[i] = next++;
	}
	for (size_t s = 1; s < b->n; s++)
		b->parent[s] = segment_ending_at(b, trie->parent[b->node[s]]);
	for (size_t s = b->n; --s > 0;)
		b->size[b->parent[s]] += ++b->size[s];
	b->size[0]++;
	return 0;
}

static int fill(const struct builder *b, struct ch_segments *ret)
{
	struct ch_segments s = {
		.items = calloc(b->n, sizeof(*s.items)),
		.n = b->n,
		.diff = b->weigh.is_before,
		.scale = b->weigh.scale,
	};

	if (!s.items)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		struct ch_segment *to = &s.items[b->position[i]];

		to->first = b->node[i];
		to->last = b->node[i + 1] - 1;
		to->level = i ? s.items[b->position[b->parent[i]]].level + 1 : 0;
		if (to->level > s.max_level)
			s.max_level = to->level;
	}
	for (size_t i = 0; i < b->p->rows.n; i++) {
		uint32_t at = segment_ending_at(b, b->p->rows.stack[i]);
		struct ch_segment *to = &s.items[b->position[at]];

		ch_weigh_add(&b->weigh, i, &to->self, s.diff ? &to->self_before : NULL, 0);
	}
	*ret = s;
	return 0;
}

int ch_segments_init(struct ch_segments *s, const struct ch_profile *p, enum ch_metric metric)
{
	struct builder b = { .p = p };
	int r;

	(void)((r = ch_weigh_init(&b.weigh, p, metric)) < 0 || (r = mark_starts(&b)) < 0 ||
	       (r = number(&b)) < 0 ||
	       (r = ch_preorder(p, b.n, b.node, b.parent, b.size, &b.position)) < 0 ||
	       (r = fill(&b, s)) < 0);
	builder_done(&b);
	return r;
}

void ch_segments_done(struct ch_segments *s)
{
	free(s->items);
	*s = (struct ch_segments){ 0 };
}
