#include "jfr/idmap.h"

#include <errno.h>
#include <string.h>

#define SLOTS_MIN 64
/* A search this long says that ids are no good as places. */
#define SEARCH_MAX 24

void ch_jfr_idmap_done(struct ch_jfr_idmap *m)
{
	free(m->slots);
	*m = (struct ch_jfr_idmap){ 0 };
}

/* Puts an id into a table with a free slot; returns how far from its place it came to lie. */
static size_t place(struct ch_jfr_idmap *m, uint64_t id, uint64_t value)
{
	size_t start = ch_jfr_idmap_start(m, id), i = start;

	while (m->slots[i].value && m->slots[i].id != id)
		i = (i + 1) & m->mask;
	m->used += !m->slots[i].value;
	m->slots[i] = (struct ch_jfr_slot){ id, value };
	return (i - start) & m->mask;
}

/* Moves everything to n slots; the old table stays when there is no memory. */
static int rebuild(struct ch_jfr_idmap *m, size_t n, bool hashed)
{
	struct ch_jfr_idmap to = { .mask = n - 1, .hashed = hashed };
	bool crowded = false;

	to.slots = calloc(n, sizeof(*to.slots));
	if (!to.slots)
		return -ENOMEM;
	for (size_t i = 0; m->slots && i <= m->mask && !crowded; i++)
		if (m->slots[i].value)
			crowded =
			    place(&to, m->slots[i].id, m->slots[i].value) > SEARCH_MAX && !hashed;
	if (crowded) {
		free(to.slots);
		return rebuild(m, n, true);
	}
	free(m->slots);
	*m = to;
	return 0;
}

int ch_jfr_idmap_put(struct ch_jfr_idmap *m, uint64_t id, uint64_t value)
{
	if (!m->slots || m->used >= (m->mask + 1) / 4 * 3) {
		int r = rebuild(m, m->slots ? (m->mask + 1) * 2 : SLOTS_MIN, m->hashed);

		if (r < 0)
			return r;
	}
	if (place(m, id, value) > SEARCH_MAX && !m->hashed)
		return rebuild(m, m->mask + 1, true);
	return 0;
}
