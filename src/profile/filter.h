/* Which rows of a profile a selection keeps. */
#ifndef CH_PROFILE_FILTER_H
#define CH_PROFILE_FILTER_H

#include "profile/select.h"

/*
 * Fills chosen[0..p->n_events) with the events that were asked for and rows with the numbers of the
 * rows that pass every filter (room for p->rows.n). Returns 0, or a negative errno with a sentence:
 * -ENODATA names the filter that left nothing.
 */
int ch_filter_rows(const struct ch_profile *p, const struct ch_select *how, bool *chosen,
                   uint32_t *rows, size_t *ret_n, struct ch_error *err);

#endif
