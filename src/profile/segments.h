/*
 * The stacks of a profile for those who print them one by one: sorted like a ch_tree, but in
 * segments instead of nodes. A segment is a part of the trie without a fork, with rows at its last
 * node only; there are about as many as distinct stacks, however deep they are.
 */
#ifndef CH_PROFILE_SEGMENTS_H
#define CH_PROFILE_SEGMENTS_H

#include "profile/tree.h"

struct ch_segment {
	uint32_t first, last; /* trie nodes; each but the first is the child of the one before */
	uint32_t level;       /* segments above this one */
	int64_t self, self_before;
};

/* In preorder, siblings sorted by name. The first is the root: node 0, which has no frame. */
struct ch_segments {
	struct ch_segment *items;
	size_t n;
	uint32_t max_level;
	bool diff; /* self_before counts */
	int64_t scale;
};

/* 0 or -ENOMEM; ch_segments_done only after success. What metric and sides mean: see ch_tree_new. */
int ch_segments_init(struct ch_segments *s, const struct ch_profile *p, enum ch_metric metric);
void ch_segments_done(struct ch_segments *s);

#endif
