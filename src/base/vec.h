/* Growing arrays: one function that makes room, typed by the macro that calls it. */
#ifndef CH_BASE_VEC_H
#define CH_BASE_VEC_H

#include "base/util.h"

#include <stdbool.h>

/*
 * Makes *items (an array of *cap elements of elem bytes each) hold at least need elements.
 * Returns 0, or -ENOMEM and leaves the array as it was.
 */
int ch_grow(void **items, size_t *cap, size_t need, size_t elem);

/* CH_ROOM(v->items, v->cap, v->n + 1): 0 or -ENOMEM. */
#define CH_ROOM(items, cap, need)                                                                  \
	((need) <= (cap) ? 0 : ch_grow((void **)&(items), &(cap), (need), sizeof(*(items))))

#endif
