/* The order of names: siblings are shown sorted, and names are compared once, not once per node. */
#ifndef CH_PROFILE_RANK_H
#define CH_PROFILE_RANK_H

#include "profile/profile.h"

/*
 * Fills rank[f] for every frame f with used[f] != 0: the smaller rank has the smaller name in byte
 * order; equal names are told apart by kind, then line, then number. Ranks are distinct and below
 * p->n_frames; the rank of other frames is left alone. Returns 0 or -ENOMEM.
 */
int ch_rank_frames(const struct ch_profile *p, const uint8_t *used, uint32_t *rank);

#endif
