/*
 * From the bytes of a frame as a text format spells them to the frame they stand for, so that each
 * spelling is understood once. A cache: what does not fit is understood again.
 */
#ifndef CH_FORMATS_FRAMECACHE_H
#define CH_FORMATS_FRAMECACHE_H

#include "base/arena.h"
#include "formats/scan.h"

struct ch_framecache {
	struct ch_framecache_slot {
		const char *text; /* NULL when free */
		uint32_t hash, len, frame;
	} * slots;
	size_t mask, used;
	struct ch_arena arena;
};

int ch_framecache_init(struct ch_framecache *c);
void ch_framecache_done(struct ch_framecache *c);
/* Remembers frame (never 0) for text[0..len), which must not be there yet. */
void ch_framecache_put(struct ch_framecache *c, const char *text, size_t len, uint32_t hash,
                       uint32_t frame);

/* The frame of text[0..len) with hash ch_hash_bytes(text, len); 0 when it is not there. */
static inline uint32_t ch_framecache_find(const struct ch_framecache *c, const char *text,
                                          size_t len, uint32_t hash)
{
	const struct ch_framecache_slot *s;

	for (size_t at = hash & c->mask; (s = &c->slots[at])->text; at = (at + 1) & c->mask)
		if (s->hash == hash && s->len == len && !memcmp(s->text, text, len))
			return s->frame;
	return 0;
}

/* Starts to fetch the place of a hash, for a find a little later. */
static inline void ch_framecache_prefetch(const struct ch_framecache *c, uint32_t hash)
{
	__builtin_prefetch(&c->slots[hash & c->mask]);
}

#endif
