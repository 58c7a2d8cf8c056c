/* Two profiles as one that knows both sides. */
#ifndef CH_PROFILE_DIFF_H
#define CH_PROFILE_DIFF_H

#include "profile/profile.h"

/*
 * A new profile with the rows of both, labelled side=before and side=after; trees built from it
 * carry both sums. NULL when out of memory; other failures stick in the result.
 */
struct ch_profile *ch_diff_join(const struct ch_profile *before, const struct ch_profile *after);

/*
 * Stretches the side `before` of a joined profile so that both sides have the same total of samples
 * and of values: for outputs that carry plain numbers and leave the comparing to others.
 */
void ch_diff_normalize(struct ch_profile *p);

#endif
