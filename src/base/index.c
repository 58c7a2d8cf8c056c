#include "base/index.h"

#include <errno.h>

void ch_index_done(struct ch_index *ix)
{
	free(ix->slots);
	*ix = (struct ch_index){ 0 };
}

static void place(uint64_t *slots, size_t mask, uint64_t slot)
{
	size_t at = (slot >> 32) & mask;

	while (slots[at])
		at = (at + 1) & mask;
	slots[at] = slot;
}

static int resize(struct ch_index *ix, size_t n)
{
	uint64_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	if (ix->slots)
		for (size_t i = 0; i <= ix->mask; i++)
			if (ix->slots[i])
				place(slots, n - 1, ix->slots[i]);
	free(ix->slots);
	ix->slots = slots;
	ix->mask = n - 1;
	return 0;
}

int ch_index_put(struct ch_index *ix, uint32_t hash, uint32_t id)
{
	int r;

	/* At most five eighths full: probes stay short. */
	if (!ix->slots || (ix->used + 1) * 8 > (ix->mask + 1) * 5) {
		r = resize(ix, ix->slots ? (ix->mask + 1) * 2 : 64);
		if (r < 0)
			return r;
	}
	place(ix->slots, ix->mask, (uint64_t)hash << 32 | id);
	ix->used++;
	return 0;
}
