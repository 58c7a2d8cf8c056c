/* Self and total per name, over the whole tree: the flat list of hot methods. */
#ifndef CH_RENDER_TOP_H
#define CH_RENDER_TOP_H

#include "render/view.h"

struct ch_top_row {
	uint32_t name; /* string id */
	int64_t self, total;
	int64_t self_before, total_before; /* 0 unless the tree is a difference */
};

/*
 * One row per name that has weight; a recursive method counts once per stack in its total. Sorted
 * by self, then total; of a difference by the change of self, the largest either way first. Equal
 * rows are in order of name. The caller frees *ret_rows. 0 or -ENOMEM.
 */
int ch_top_new(const struct ch_view *v, const struct ch_tree *t, struct ch_top_row **ret_rows,
               size_t *ret_n);

#endif
