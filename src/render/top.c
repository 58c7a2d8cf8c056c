#include "render/top.h"

#include <errno.h>
#include <math.h>

struct order {
	const struct ch_profile *p;
	struct ch_compare compare;
	bool diff, by_total;
};

static void add(int64_t *sum, int64_t v)
{
	*sum = ch_sat_add(*sum, v);
}

/*
 * In preorder the open nodes are the path to the present one: a name's total counts only where the
 * name is not open already.
 */
static int sum_by_name(const struct ch_profile *p, const struct ch_tree *t, uint32_t at,
                       struct ch_top_row *rows)
{
	uint32_t *open = calloc(p->strings.n, sizeof(*open));
	uint32_t *path = calloc((size_t)t->max_depth + 1, sizeof(*path));
	uint32_t height = t->depth[at];
	int r = open && path ? 0 : -ENOMEM;

	for (size_t i = (size_t)at + 1; !r && i < t->end[at]; i++) {
		uint32_t name = p->frames[t->frame[i]].name;
		struct ch_top_row *row = &rows[name];

		while (height >= t->depth[i])
			open[path[height--]]--;
		height = t->depth[i];
		path[height] = name;
		add(&row->self, t->self[i]);
		if (t->self_before)
			add(&row->self_before, t->self_before[i]);
		if (open[name]++)
			continue;
		add(&row->total, t->total[i]);
		if (t->total_before)
			add(&row->total_before, t->total_before[i]);
	}
	free(open);
	free(path);
	return r;
}

static int descending(double a, double b)
{
	return (a < b) - (a > b);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct ch_top_row *x = a, *y = b;
	const struct order *o = ctx;
	int r = 0;

	if (o->diff) {
		const struct ch_compare *c = &o->compare;

		r = descending(fabs(ch_compare_change(c, x->self_before, x->self)),
		               fabs(ch_compare_change(c, y->self_before, y->self)));
		if (!r)
			r = descending(fabs(ch_compare_change(c, x->total_before, x->total)),
			               fabs(ch_compare_change(c, y->total_before, y->total)));
	}
	if (!r && o->by_total)
		r = (x->total < y->total) - (x->total > y->total);
	if (!r)
		r = (x->self < y->self) - (x->self > y->self);
	if (!r)
		r = (x->total < y->total) - (x->total > y->total);
	return r ? r : strcmp(ch_profile_text(o->p, x->name), ch_profile_text(o->p, y->name));
}

struct group {
	uint32_t node;
	int64_t weight;
};

static int heavier(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->node < y->node ? -1 : 1;
}

int ch_top_groups(const struct ch_view *v, const struct ch_tree *t, uint32_t **ret_nodes,
                  size_t *ret_n)
{
	CH_CLEANUP(ch_freep) struct group *groups = calloc(t->n, sizeof(*groups));
	uint32_t *nodes;
	size_t n = 0;

	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < t->n; i = t->depth[i] < v->label_levels ? i + 1 : t->end[i])
		if (t->depth[i] == v->label_levels)
			groups[n++] = (struct group){ (uint32_t)i, t->total[i] };
	qsort(groups, n, sizeof(*groups), heavier);
	nodes = calloc(n + 1, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		nodes[i] = groups[i].node;
	*ret_nodes = nodes;
	*ret_n = n;
	return 0;
}

int ch_top_new(const struct ch_view *v, const struct ch_tree *t, uint32_t at,
               struct ch_top_row **ret_rows, size_t *ret_n)
{
	const struct ch_profile *p = v->profile;
	struct order order = { p, ch_view_compare(v, t), t->total_before, v->text.by_total };
	struct ch_top_row *rows = calloc(p->strings.n, sizeof(*rows));
	size_t n = 0;

	if (!rows || sum_by_name(p, t, at, rows) < 0) {
		free(rows);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->strings.n; i++) {
		struct ch_top_row row = rows[i];

		row.name = (uint32_t)i;
		if (row.self || row.total || row.self_before || row.total_before)
			rows[n++] = row;
	}
	qsort_r(rows, n, sizeof(*rows), compare_rows, &order);
	*ret_rows = rows;
	*ret_n = n;
	return 0;
}
