/*
 * A call tree laid out for drawing and printing: nodes in preorder, siblings sorted by name, sums
 * made. Node 0 is the root ("all"). Columns are plain arrays; parents come before children, the
 * subtree of node i is [i, end[i]).
 */
#ifndef CH_PROFILE_TREE_H
#define CH_PROFILE_TREE_H

#include "profile/profile.h"

enum ch_metric {
	CH_METRIC_SAMPLES,
	CH_METRIC_VALUE, /* bytes, nanoseconds …: --total */
	CH_METRIC_ROWS,  /* every row counts one: for views that want the shape of all events */
};

struct ch_tree {
	size_t n;
	uint32_t *frame;  /* frame of the profile, 0 for the root */
	uint32_t *source; /* trie node of the profile */
	uint32_t *parent, *end, *depth;
	int64_t *self, *total;
	int64_t *self_before, *total_before; /* NULL unless built as a difference */
	uint32_t max_depth;                  /* of any node; the root has depth 0 */
	int64_t scale;                       /* numbers are times this */
	const char *unit; /* "samples", "ns", "bytes" …; borrowed from profile */
	size_t pruned;    /* nodes with weight that were left out */
};

/*
 * Builds the tree of all rows of p (one event, or several of one word). When the profile has rows
 * labelled side=before and side=after, *_before hold the first and the others the second.
 * Iterative: depth is limited by memory only.
 */
int ch_tree_new(const struct ch_profile *p, enum ch_metric metric, struct ch_tree **ret,
                struct ch_error *err);
/*
 * The same without the nodes whose share of the root is below min_share (of both sides, in a
 * difference): a picture a thousand pixels wide shows few of a million nodes. The totals of what
 * stays still include what was left out.
 */
int ch_tree_new_pruned(const struct ch_profile *p, enum ch_metric metric, double min_share,
                       struct ch_tree **ret, struct ch_error *err);
void ch_tree_free(struct ch_tree *t);

static inline void ch_tree_freep(struct ch_tree **t)
{
	ch_tree_free(*t);
}

/* The shown name of tree node i. */
static inline const char *ch_tree_name(const struct ch_tree *t, const struct ch_profile *p,
                                       size_t i)
{
	return i ? ch_profile_text(p, p->frames[t->frame[i]].name) : "all";
}

/* Its bytes: a name may hold zeros. */
static inline size_t ch_tree_name_len(const struct ch_tree *t, const struct ch_profile *p, size_t i)
{
	return i ? p->strings.len[p->frames[t->frame[i]].name] : strlen("all");
}

#endif
