/*
 * An arena: many small allocations, one life. Allocation fails with NULL once the limit given at
 * birth is reached; the memory is freed all at once.
 */
#ifndef CH_BASE_ARENA_H
#define CH_BASE_ARENA_H

#include "base/util.h"

struct ch_arena_block;

struct ch_arena {
	struct ch_arena_block *head;
	char *at, *end;
	size_t used, max;
};

#define CH_ARENA(limit) ((struct ch_arena){ .max = (limit) })

void ch_arena_done(struct ch_arena *a);
/* n bytes aligned to 8, not zeroed; NULL when out of memory or over the limit. */
void *ch_arena_alloc(struct ch_arena *a, size_t n);
/* n bytes without alignment, for text. */
char *ch_arena_bytes(struct ch_arena *a, size_t n);
/* A copy of s[0..n) with a NUL behind it. */
char *ch_arena_strndup(struct ch_arena *a, const char *s, size_t n);

#endif
