#include "formats/framecache.h"

#include <errno.h>

#define SLOTS_MIN    ((size_t)1 << 12)
#define TEXT_MAX     ((size_t)1 << 30)
#define LONGEST_TEXT ((size_t)1 << 16)
/* With more distinct names than this a cache costs more than it saves. */
#define ENTRIES_MAX ((size_t)1 << 20)

int ch_framecache_init(struct ch_framecache *c)
{
	*c = (struct ch_framecache){
		.slots = calloc(SLOTS_MIN, sizeof(*c->slots)),
		.mask = SLOTS_MIN - 1,
		.arena = CH_ARENA(TEXT_MAX),
	};
	return c->slots ? 0 : -ENOMEM;
}

void ch_framecache_done(struct ch_framecache *c)
{
	free(c->slots);
	ch_arena_done(&c->arena);
	*c = (struct ch_framecache){ 0 };
}

static void place(struct ch_framecache *c, struct ch_framecache_slot slot)
{
	size_t at = slot.hash & c->mask;

	while (c->slots[at].text)
		at = (at + 1) & c->mask;
	c->slots[at] = slot;
}

static int grow(struct ch_framecache *c)
{
	struct ch_framecache_slot *old = c->slots;
	size_t n = c->mask + 1;

	c->slots = calloc(n * 2, sizeof(*c->slots));
	if (!c->slots) {
		c->slots = old;
		return -ENOMEM;
	}
	c->mask = n * 2 - 1;
	for (size_t i = 0; i < n; i++)
		if (old[i].text)
			place(c, old[i]);
	free(old);
	return 0;
}

void ch_framecache_put(struct ch_framecache *c, const char *text, size_t len, uint32_t hash,
                       uint32_t frame)
{
	const char *copy;

	if (len > LONGEST_TEXT || c->used >= ENTRIES_MAX ||
	    ((c->used + 1) * 2 > c->mask + 1 && grow(c) < 0))
		return;
	copy = ch_arena_strndup(&c->arena, text, len);
	if (!copy)
		return;
	place(c, (struct ch_framecache_slot){ copy, hash, (uint32_t)len, frame });
	c->used++;
}
