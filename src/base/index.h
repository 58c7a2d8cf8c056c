/*
 * An index from 32-bit hashes to 32-bit ids: open addressing, no deletion. The things themselves
 * live in the caller's arrays; the index only finds candidates. Id 0 is never stored.
 *
 *	uint32_t id, h = ch_hash_bytes(s, n);
 *	size_t at = ch_index_start(&ix, h);
 *	while ((id = ch_index_next(&ix, h, &at)))
 *		if (equal(id, s, n))
 *			return id;
 *	… append a new thing as id …
 *	return ch_index_put(&ix, h, id) < 0 ? 0 : id;
 */
#ifndef CH_BASE_INDEX_H
#define CH_BASE_INDEX_H

#include "base/util.h"

struct ch_index {
	uint64_t *slots; /* hash << 32 | id */
	size_t mask;     /* slots - 1; 0 while there are none */
	size_t used;
};

void ch_index_done(struct ch_index *ix);
/* Adds an id under a hash. 0 or -ENOMEM. */
int ch_index_put(struct ch_index *ix, uint32_t hash, uint32_t id);

static inline size_t ch_index_start(const struct ch_index *ix, uint32_t hash)
{
	return hash & ix->mask;
}

/* The next id stored under this hash, or 0; `at` moves on. */
static inline uint32_t ch_index_next(const struct ch_index *ix, uint32_t hash, size_t *at)
{
	uint64_t slot;

	if (CH_UNLIKELY(!ix->slots))
		return 0;
	while ((slot = ix->slots[*at])) {
		*at = (*at + 1) & ix->mask;
		if (slot >> 32 == hash)
			return (uint32_t)slot;
	}
	return 0;
}

#endif
