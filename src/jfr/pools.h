/*
 * The constant pools of a chunk: where the value of each key lies. Values stay in the bytes; what
 * a reader makes of one it may keep in the map in place of the address (see CH_JFR_RESOLVED).
 */
#ifndef CH_JFR_POOLS_H
#define CH_JFR_POOLS_H

#include "jfr/plan.h"

/* Set in a map's value once it no longer is an offset. */
#define CH_JFR_RESOLVED (UINT64_C(1) << 63)

struct ch_jfr_pool {
	const char *type;        /* name of the values' type */
	struct ch_jfr_idmap map; /* key → offset of the value in the chunk */
};

/*
 * Reads every checkpoint of the chunk: along the chain from the header when the chunk is finished,
 * else by walking the events. Only pools listed are kept; where a key comes more than once the
 * last one counts. Returns 0, -EBADMSG when some pools could not be read (those that could are
 * there), or -ENOMEM.
 */
int ch_jfr_pools_read(const struct ch_jfr_chunk *chunk, struct ch_jfr_types *types,
                      struct ch_jfr_pool *pools, size_t n);
void ch_jfr_pools_done(struct ch_jfr_pool *pools, size_t n);

/* A window from a pool's value to the end of the chunk. */
static inline struct ch_cursor ch_jfr_value(const struct ch_jfr_chunk *chunk, uint64_t offset)
{
	return ch_cursor(chunk->data + offset, chunk->size - offset);
}

#endif
