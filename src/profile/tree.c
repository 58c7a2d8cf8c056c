#include "profile/tree.h"
#include "profile/preorder.h"
#include "profile/weigh.h"

#include <errno.h>

/*
 * A trie numbers parents before children, in the order the stacks were read; a tree is in preorder
 * with sorted siblings. The way there is a few straight passes over arrays:
 *
 *   rows → totals of trie nodes      one pass over the rows, one backwards over the trie
 *   which nodes stay                 numbered anew in the same order: "slots"
 *   children of each slot, sorted    counting by parent, then small sorts by rank of name
 *   preorder positions               from the sizes of the subtrees, parents first
 */
struct sums {
	int64_t *after, *before; /* before is NULL unless this is a difference */
};

struct builder {
	const struct ch_profile *p;
	struct ch_weigh weigh;

	struct sums total;  /* per trie node */
	uint32_t *slot;     /* per trie node: slot + 1, or 0 when left out */
	size_t n;           /* slots */
	uint32_t *node;     /* per slot: its trie node */
	uint32_t *parent;   /* per slot: the parent's slot */
	uint32_t *size;     /* per slot: slots in its subtree, itself included */
	uint32_t *position; /* per slot: place in preorder */
};

static void builder_done(struct builder *b)
{
	ch_weigh_done(&b->weigh);
	free(b->total.after);
	free(b->total.before);
	free(b->slot);
	free(b->node);
	free(b->parent);
	free(b->size);
	free(b->position);
}

static const char *unit_of(const struct ch_profile *p, enum ch_metric metric)
{
	if (metric == CH_METRIC_ROWS)
		return "rows";
	if (metric == CH_METRIC_SAMPLES)
		return "samples";
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].samples)
			return ch_profile_text(p, p->events[i].unit);
	return "count";
}

static int sum_up(struct builder *b)
{
	const struct ch_profile *p = b->p;
	struct sums *t = &b->total;
	bool diff = b->weigh.is_before;

	t->after = calloc(p->trie.n, sizeof(*t->after));
	t->before = diff ? calloc(p->trie.n, sizeof(*t->before)) : NULL;
	if (!t->after || (diff && !t->before))
		return -ENOMEM;
	for (size_t i = 0; i < p->rows.n; i++)
		ch_weigh_add(&b->weigh, i, t->after, t->before, p->rows.stack[i]);
	for (size_t i = p->trie.n; --i > 0;) {
		uint32_t up = p->trie.parent[i];

		t->after[up] = ch_sat_add(t->after[up], t->after[i]);
		if (t->before)
			t->before[up] = ch_sat_add(t->before[up], t->before[i]);
	}
	return 0;
}

/* The least weight that reaches a share of the total; at least 1, so that nothing weighs nothing. */
static int64_t least(int64_t total, double min_share)
{
	double least = (double)total * min_share;

	if (!(least > 1))
		return 1;
	return least < 0x1p62 ? (int64_t)least : INT64_C(1) << 62;
}

static int64_t magnitude(int64_t v)
{
	return v == INT64_MIN ? INT64_MAX : v < 0 ? -v : v;
}

/*
 * Sizes of the subtrees that stay, in slot[] for now: 0 leaves a node out. Weights can be negative
 * in foreign profiles, so a node also stays when one below it does.
 */
static size_t mark(struct builder *b, double min_share)
{
	const struct sums *t = &b->total;
	int64_t min_after = least(t->after[0], min_share);
	int64_t min_before = t->before ? least(t->before[0], min_share) : 0;
	size_t pruned = 0;

	for (size_t i = b->p->trie.n; --i > 0;) {
		bool keep = b->slot[i] || magnitude(t->after[i]) >= min_after ||
		            (t->before && magnitude(t->before[i]) >= min_before);

		if (keep)
			b->slot[b->p->trie.parent[i]] += ++b->slot[i];
		else if (t->after[i] || (t->before && t->before[i]))
			pruned++;
	}
	b->n = ++b->slot[0];
	return pruned;
}

static int make_slots(struct builder *b, double min_share, size_t *ret_pruned)
{
	const struct ch_trie *trie = &b->p->trie;
	uint32_t next = 0;

	b->slot = calloc(trie->n, sizeof(*b->slot));
	if (!b->slot)
		return -ENOMEM;
	*ret_pruned = mark(b, min_share);
	b->node = calloc(b->n, sizeof(*b->node));
	b->parent = calloc(b->n, sizeof(*b->parent));
	b->size = calloc(b->n, sizeof(*b->size));
	if (!b->node || !b->parent || !b->size)
		return -ENOMEM;
	for (size_t i = 0; i < trie->n; i++) {
		if (!b->slot[i])
			continue;
		b->node[next] = (uint32_t)i;
		b->size[next] = b->slot[i];
		b->slot[i] = next + 1;
		b->parent[next] = b->slot[trie->parent[i]] - 1;
		next++;
	}
	return 0;
}

static struct ch_tree *tree_alloc(size_t n, bool diff)
{
	struct ch_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->n = n;
	t->frame = malloc(n * sizeof(*t->frame));
	t->source = malloc(n * sizeof(*t->source));
	t->parent = malloc(n * sizeof(*t->parent));
	t->end = malloc(n * sizeof(*t->end));
	t->depth = malloc(n * sizeof(*t->depth));
	t->self = calloc(n, sizeof(*t->self));
	t->total = malloc(n * sizeof(*t->total));
	if (diff) {
		t->self_before = calloc(n, sizeof(*t->self_before));
		t->total_before = malloc(n * sizeof(*t->total_before));
	}
	if (!t->frame || !t->source || !t->parent || !t->end || !t->depth || !t->self ||
	    !t->total || (diff && (!t->self_before || !t->total_before))) {
		ch_tree_free(t);
		return NULL;
	}
	return t;
}

static void fill(const struct builder *b, struct ch_tree *t)
{
	for (size_t s = 0; s < b->n; s++) {
		uint32_t at = b->position[s], up = b->position[b->parent[s]], node = b->node[s];

		t->frame[at] = b->p->trie.frame[node];
		t->source[at] = node;
		t->parent[at] = up;
		t->end[at] = at + b->size[s];
		t->depth[at] = at ? t->depth[up] + 1 : 0;
		t->total[at] = b->total.after[node];
		if (b->total.before)
			t->total_before[at] = b->total.before[node];
		if (t->depth[at] > t->max_depth)
			t->max_depth = t->depth[at];
	}
	for (size_t i = 0; i < b->p->rows.n; i++) {
		uint32_t slot = b->slot[b->p->rows.stack[i]];

		if (slot)
			ch_weigh_add(&b->weigh, i, t->self, t->self_before, b->position[slot - 1]);
	}
}

int ch_tree_new_pruned(const struct ch_profile *p, enum ch_metric metric, double min_share,
                       struct ch_tree **ret, struct ch_error *err)
{
	struct builder b = { .p = p };
	struct ch_tree *t = NULL;
	size_t pruned;
	int r;

	if ((r = ch_weigh_init(&b.weigh, p, metric)) < 0 || (r = sum_up(&b)) < 0 ||
	    (r = make_slots(&b, min_share, &pruned)) < 0 ||
	    (r = ch_preorder(p, b.n, b.node, b.parent, b.size, &b.position)) < 0)
		goto out;
	t = tree_alloc(b.n, b.total.before);
	if (!t) {
		r = -ENOMEM;
		goto out;
	}
	fill(&b, t);
	t->scale = b.weigh.scale;
	t->unit = unit_of(p, metric);
	t->pruned = pruned;
	*ret = t;
out:
	builder_done(&b);
	return r < 0 ? ch_fail(err, r, "call tree: %m") : 0;
}

int ch_tree_new(const struct ch_profile *p, enum ch_metric metric, struct ch_tree **ret,
                struct ch_error *err)
{
	return ch_tree_new_pruned(p, metric, 0, ret, err);
}

void ch_tree_free(struct ch_tree *t)
{
	if (!t)
		return;
	free(t->frame);
	free(t->source);
	free(t->parent);
	free(t->end);
	free(t->depth);
	free(t->self);
	free(t->total);
	free(t->self_before);
	free(t->total_before);
	free(t);
}
