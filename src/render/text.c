#include "render/text.h"
#include "base/vec.h"
#include "render/names.h"
#include "render/top.h"
#include "render/units.h"
#include "sys/spill.h"

#include <errno.h>
#include <math.h>

#define COLUMNS      120
#define LEAST_NAME   24 /* characters a name gets however narrow the terminal */
#define TOP_ROWS     40
#define LEAST_SHARE  0.005 /* of the whole: lighter frames of the tree are summed up in a line */
#define INDENT_MOST  32    /* levels; deeper ones are told by their number */
#define AMOUNT_WIDTH 14
#define SHARE_WIDTH  8
#define POINTS_WIDTH 10
#define BUF_MAX      ((size_t)1 << 24)

#define BOLD         "\033[1m"
#define DIM          "\033[2m"
#define ORANGE       "\033[33m"
#define BLUE         "\033[34m"
#define PLAIN        "\033[0m"

enum { WITH_TOP = 1, WITH_TREE = 2 };

struct text {
	const struct ch_view *v;
	const struct ch_profile *p;
	struct ch_tree *tree;
	struct ch_compare compare;
	uint32_t whole; /* the node whose total is 100 % */
	struct ch_out *out;
	struct ch_buf line, cell, name;
};

/* --- cells ----------------------------------------------------------------------------------- */

static void color(struct text *t, const char *sequence)
{
	if (t->v->text.color)
		ch_buf_puts(&t->line, sequence);
}

static void end_line(struct text *t)
{
	ch_buf_putc(&t->line, '\n');
	ch_spill_all(&t->line, t->out);
}

/* Moves the cell to the line, to the right edge of a column. */
static void put_cell(struct text *t, size_t width)
{
	size_t chars = ch_name_chars(t->cell.data, t->cell.len);

	if (chars >= width && t->line.len)
		ch_buf_putc(&t->line,
		            ' '); /* too wide for its column, but no part of the one before */
	for (; chars < width; chars++)
		ch_buf_putc(&t->line, ' ');
	ch_buf_put(&t->line, t->cell.data, t->cell.len);
	ch_buf_reset(&t->cell);
}

static void put_word(struct text *t, const char *word, size_t width)
{
	ch_buf_puts(&t->cell, word);
	put_cell(t, width);
}

static void put_amount(struct text *t, int64_t v)
{
	const char *unit = t->tree->unit;

	/* The heading says what is counted; only units that move need saying in every row. */
	if (!strcmp(unit, "ns") || !strcmp(unit, "bytes"))
		ch_put_quantity(&t->cell, v, t->tree->scale, unit);
	else
		ch_put_count(&t->cell, v, t->tree->scale);
	put_cell(t, AMOUNT_WIDTH);
}

static void put_share(struct text *t, int64_t v, int64_t whole)
{
	ch_put_percent(&t->cell, (double)v, (double)whole);
	put_cell(t, SHARE_WIDTH);
}

static void put_change(struct text *t, int64_t before, int64_t after)
{
	double change = ch_compare_change(&t->compare, before, after);

	ch_put_points(&t->cell, change);
	color(t, change > 0 ? ORANGE : change < 0 ? BLUE : "");
	put_cell(t, POINTS_WIDTH);
	color(t, PLAIN);
}

/* A name behind what the line holds already, cut to what is left of the terminal's width. */
static void put_name(struct text *t, const char *name, size_t len, size_t taken)
{
	size_t columns = t->v->text.columns ? t->v->text.columns : COLUMNS;
	size_t room = columns > taken + LEAST_NAME ? columns - taken : LEAST_NAME;

	ch_buf_reset(&t->name);
	ch_name_show(&t->name, name, len);
	ch_name_cut(&t->line, t->name.data, t->name.len, room);
}

/* --- heading --------------------------------------------------------------------------------- */

static void put_totals(struct text *t, const int64_t *total)
{
	ch_put_quantity(&t->line, total[0], t->tree->scale, t->tree->unit);
}

static void put_heading(struct text *t)
{
	if (t->v->title) {
		color(t, BOLD);
		ch_name_show(&t->line, t->v->title, strlen(t->v->title));
		color(t, PLAIN);
		end_line(t);
	}
	ch_view_sources(t->v, &t->cell);
	if (t->cell.len) {
		ch_name_show(&t->line, t->cell.data, t->cell.len);
		end_line(t);
	}
	ch_buf_reset(&t->cell);
	ch_name_show(&t->line, ch_view_word(t->v), strlen(ch_view_word(t->v)));
	ch_buf_puts(&t->line, ": ");
	if (t->tree->total_before) {
		put_totals(t, t->tree->total_before);
		ch_buf_puts(&t->line, " before, ");
		put_totals(t, t->tree->total);
		ch_buf_puts(&t->line, t->compare.normalized
		                          ? " after; changes are between shares of each side"
		                          : " after; changes are shares of the larger side");
	} else {
		put_totals(t, t->tree->total);
	}
	end_line(t);
	for (size_t i = 0; i < t->p->n_notes; i++) {
		ch_buf_puts(&t->line, "note: ");
		ch_name_show(&t->line, t->p->notes[i], strlen(t->p->notes[i]));
		end_line(t);
	}
}

/* --- flat list ------------------------------------------------------------------------------- */

static void put_top_columns(struct text *t)
{
	end_line(t);
	color(t, BOLD);
	if (t->tree->total_before) {
		put_word(t, "Self: before", AMOUNT_WIDTH + SHARE_WIDTH);
		put_word(t, "after", AMOUNT_WIDTH + SHARE_WIDTH);
		put_word(t, "change", POINTS_WIDTH);
		put_word(t, "Total: change", POINTS_WIDTH + 4);
	} else {
		put_word(t, "Self", AMOUNT_WIDTH);
		put_word(t, "%", SHARE_WIDTH);
		put_word(t, "Total", AMOUNT_WIDTH);
		put_word(t, "%", SHARE_WIDTH);
	}
	ch_buf_puts(&t->line, "  Frame");
	color(t, PLAIN);
	end_line(t);
}

static void put_top_row(struct text *t, const struct ch_top_row *row)
{
	const struct ch_tree *tree = t->tree;
	size_t taken = 2 * (AMOUNT_WIDTH + SHARE_WIDTH) + 2;

	if (tree->total_before) {
		put_amount(t, row->self_before);
		put_share(t, row->self_before, tree->total_before[t->whole]);
		put_amount(t, row->self);
		put_share(t, row->self, tree->total[t->whole]);
		put_change(t, row->self_before, row->self);
		ch_buf_puts(&t->line, "    ");
		put_change(t, row->total_before, row->total);
		taken += 2 * POINTS_WIDTH + 4;
	} else {
		put_amount(t, row->self);
		put_share(t, row->self, tree->total[t->whole]);
		put_amount(t, row->total);
		put_share(t, row->total, tree->total[t->whole]);
	}
	ch_buf_puts(&t->line, "  ");
	put_name(t, ch_profile_text(t->p, row->name), t->p->strings.len[row->name], taken);
	end_line(t);
}

/* `stage=3 task=17: 1,234 samples, 12.34% of all` above the list of a group. */
static void put_group(struct text *t)
{
	uint32_t path[CH_LABEL_LEVELS_MAX];
	size_t n = 0;

	for (uint32_t at = t->whole; at && n < CH_LEN(path); at = t->tree->parent[at])
		path[n++] = at;
	end_line(t);
	color(t, BOLD);
	while (n--) {
		const char *name = ch_tree_name(t->tree, t->p, path[n]);

		ch_name_show(&t->line, name, ch_tree_name_len(t->tree, t->p, path[n]));
		ch_buf_puts(&t->line, n ? " " : "");
	}
	color(t, PLAIN);
	ch_buf_puts(&t->line, ": ");
	put_totals(t, &t->tree->total[t->whole]);
	ch_buf_puts(&t->line, ", ");
	ch_put_percent(&t->line, (double)t->tree->total[t->whole], (double)t->tree->total[0]);
	ch_buf_puts(&t->line, " of all");
	end_line(t);
}

static int put_list(struct text *t)
{
	CH_CLEANUP(ch_freep) struct ch_top_row *rows = NULL;
	size_t n, limit = t->v->text.limit ? t->v->text.limit : TOP_ROWS;
	int r = ch_top_new(t->v, t->tree, t->whole, &rows, &n);

	if (r < 0)
		return r;
	if (t->whole)
		put_group(t);
	put_top_columns(t);
	for (size_t i = 0; i < n && i < limit; i++)
		put_top_row(t, &rows[i]);
	if (n > limit) {
		color(t, DIM);
		ch_buf_puts(&t->line, "… ");
		ch_put_grouped(&t->line, (int64_t)(n - limit));
		ch_buf_puts(&t->line, " more");
		color(t, PLAIN);
		end_line(t);
	}
	return 0;
}

static int put_top(struct text *t)
{
	CH_CLEANUP(ch_freep) uint32_t *groups = NULL;
	size_t n;
	int r = ch_top_groups(t->v, t->tree, &groups, &n);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		t->whole = groups[i];
		r = put_list(t);
	}
	t->whole = 0;
	return r;
}

/* --- call tree ------------------------------------------------------------------------------- */

/* Work to do, last first: print a node, or the line that stands for a node's lighter children. */
struct item {
	uint32_t node;
	uint32_t left_out; /* frames in that line; 0: print the node */
	int64_t total, before;
	double rank; /* order among siblings */
};

struct items {
	struct item *at;
	size_t n, cap;
};

static double rank_of(const struct text *t, int64_t before, int64_t after)
{
	if (t->tree->total_before)
		return fabs(ch_compare_change(&t->compare, before, after));
	return (double)after;
}

/* Lightest first, since the last one pushed is the first one printed. */
static int by_rank(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->rank != y->rank)
		return (x->rank > y->rank) - (x->rank < y->rank);
	return (x->node < y->node) - (x->node > y->node);
}

static bool is_light(const struct text *t, size_t i)
{
	const struct ch_tree *tree = t->tree;
	double before = tree->total_before ? (double)tree->total_before[i] : 0;

	return fabs((double)tree->total[i]) < t->compare.after * LEAST_SHARE &&
	       fabs(before) < t->compare.before * LEAST_SHARE;
}

static int push(struct items *work, struct item item)
{
	if (CH_ROOM(work->at, work->cap, work->n + 1) < 0)
		return -ENOMEM;
	work->at[work->n++] = item;
	return 0;
}

/* Counts a child among those that share one line. */
static void leave_out(const struct ch_tree *tree, uint32_t child, struct item *rest)
{
	rest->left_out += tree->end[child] - child;
	rest->total = ch_sat_add(rest->total, tree->total[child]);
	if (tree->total_before)
		rest->before = ch_sat_add(rest->before, tree->total_before[child]);
}

static int push_children(struct text *t, struct items *work, uint32_t node)
{
	const struct ch_tree *tree = t->tree;
	struct item rest = { .node = node };
	size_t first = work->n, n, skip = 0;
	int r = 0;

	for (uint32_t c = node + 1; !r && c < tree->end[node]; c = tree->end[c]) {
		int64_t before = tree->total_before ? tree->total_before[c] : 0;

		if (is_light(t, c))
			leave_out(tree, c, &rest);
		else
			r = push(work, (struct item){ c, 0, tree->total[c], before,
			                              rank_of(t, before, tree->total[c]) });
	}
	if (r < 0 || (r = push(work, rest)) < 0)
		return r;
	n = --work->n - first;
	qsort(work->at + first, n, sizeof(*work->at), by_rank);
	for (; t->v->text.limit && n - skip > t->v->text.limit; skip++)
		leave_out(tree, work->at[first + skip].node, &rest);
	/* The line for the rest is printed last: it goes below the others. */
	memmove(work->at + first + (rest.left_out > 0), work->at + first + skip,
	        (n - skip) * sizeof(*work->at));
	if (rest.left_out)
		work->at[first] = rest;
	work->n = first + (rest.left_out > 0) + n - skip;
	return 0;
}

/* Returns the columns it took. Far down the number of the level stands for its indent. */
static size_t put_indent(struct text *t, size_t depth)
{
	size_t shown = depth < INDENT_MOST ? depth : INDENT_MOST, before = t->line.len;

	for (size_t i = 0; i < shown; i++)
		ch_buf_puts(&t->line, "  ");
	if (depth > INDENT_MOST)
		ch_buf_printf(&t->line, "[%zu] ", depth);
	return t->line.len - before;
}

static void put_tree_line(struct text *t, const struct item *item)
{
	const struct ch_tree *tree = t->tree;
	uint32_t i = item->node;
	size_t depth = tree->depth[i] + (item->left_out > 0), taken;

	if (tree->total_before) {
		put_share(t, item->before, tree->total_before[0]);
		put_share(t, item->total, tree->total[0]);
		put_change(t, item->before, item->total);
		taken = 2 * SHARE_WIDTH + POINTS_WIDTH + 2;
	} else {
		put_amount(t, item->total);
		put_share(t, item->total, tree->total[0]);
		if (item->left_out)
			put_word(t, "", SHARE_WIDTH);
		else
			put_share(t, tree->self[i], tree->total[0]);
		taken = AMOUNT_WIDTH + 2 * SHARE_WIDTH + 2;
	}
	ch_buf_puts(&t->line, "  ");
	taken += put_indent(t, depth);
	if (item->left_out) {
		color(t, DIM);
		ch_buf_puts(&t->line, "… ");
		ch_put_grouped(&t->line, item->left_out);
		ch_buf_puts(&t->line, item->left_out == 1 ? " more frame" : " more frames");
		color(t, PLAIN);
	} else {
		const char *name = ch_tree_name(tree, t->p, i);

		put_name(t, name, ch_tree_name_len(tree, t->p, i), taken);
	}
	end_line(t);
}

static int put_tree(struct text *t)
{
	struct items work = { 0 };
	int64_t before = t->tree->total_before ? t->tree->total_before[0] : 0;
	int r = push(&work, (struct item){ .total = t->tree->total[0], .before = before });

	end_line(t);
	color(t, BOLD);
	if (t->tree->total_before) {
		put_word(t, "Before", SHARE_WIDTH);
		put_word(t, "After", SHARE_WIDTH);
		put_word(t, "Change", POINTS_WIDTH);
	} else {
		put_word(t, "Total", AMOUNT_WIDTH);
		put_word(t, "%", SHARE_WIDTH);
		put_word(t, "Self %", SHARE_WIDTH);
	}
	ch_buf_puts(&t->line, "  Call tree");
	color(t, PLAIN);
	end_line(t);
	while (!r && work.n && !ch_out_failed(t->out)) {
		struct item item = work.at[--work.n];

		put_tree_line(t, &item);
		if (!item.left_out)
			r = push_children(t, &work, item.node);
	}
	free(work.at);
	return r;
}

/* --- all together ---------------------------------------------------------------------------- */

static int write_parts(const struct ch_view *v, int parts, struct ch_out *out, struct ch_error *err)
{
	struct text t = { .v = v,
		          .p = v->profile,
		          .out = out,
		          .line = CH_BUF(BUF_MAX),
		          .cell = CH_BUF(BUF_MAX),
		          .name = CH_BUF(BUF_MAX) };
	int r = ch_tree_new(v->profile, v->metric, &t.tree, err);

	if (r < 0)
		return r;
	t.compare = ch_view_compare(v, t.tree);
	put_heading(&t);
	if (parts & WITH_TOP)
		r = put_top(&t);
	if (!r && parts & WITH_TREE)
		r = put_tree(&t);
	if (r < 0 || t.line.err || t.cell.err || t.name.err)
		r = ch_fail(err, -ENOMEM, "text: %m");
	ch_tree_free(t.tree);
	ch_buf_done(&t.line);
	ch_buf_done(&t.cell);
	ch_buf_done(&t.name);
	return r;
}

int ch_text_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return write_parts(v, WITH_TOP | WITH_TREE, out, err);
}

int ch_text_top_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return write_parts(v, WITH_TOP, out, err);
}

int ch_text_tree_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	return write_parts(v, WITH_TREE, out, err);
}
