/* The order in which things that hang on one another are shown: parents first, siblings by name. */
#ifndef CH_PROFILE_PREORDER_H
#define CH_PROFILE_PREORDER_H

#include "profile/profile.h"

/*
 * n things, at least one; thing 0 is the root and parent[i] < i for every other. Thing i is named by
 * the frame of the trie node node[i]; its subtree has size[i] things, itself included. On success
 * *ret_position says for each thing its place in preorder, and is the caller's to free. 0 or
 * -ENOMEM.
 */
int ch_preorder(const struct ch_profile *p, size_t n, const uint32_t *node, const uint32_t *parent,
                const uint32_t *size, uint32_t **ret_position);

#endif
