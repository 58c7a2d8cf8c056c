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
 * The nodes a list each is made of, heaviest first: the root alone, or the frames at the last of
 * the view's label levels. The caller frees *ret_nodes. 0 or -ENOMEM.
 */
int ch_top_groups(const struct ch_view *v, const struct ch_tree *t, uint32_t **ret_nodes,
                  size_t *ret_n);

/*
 * One row per name that has weight below node `at` (0: everywhere); a recursive method counts once
 * per stack in its total. Sorted by self, then total; of a difference by the change of self, the
 * largest either way first. Equal rows are in order of name. The caller frees *ret_rows. 0 or
 * -ENOMEM.
 */
int ch_top_new(const struct ch_view *v, const struct ch_tree *t, uint32_t at,
               struct ch_top_row **ret_rows, size_t *ret_n);

#endif
