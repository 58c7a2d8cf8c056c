/*
 * A map from 64-bit ids to 64-bit values that are never 0. JFR ids are often dense (1, 2, 3 …):
 * slots are then found by the id itself, which keeps neighbours together. Once that leads to a
 * long search, for sparse ids or crafted ones, the map changes to a seeded hash by itself.
 */
#ifndef CH_JFR_IDMAP_H
#define CH_JFR_IDMAP_H

#include "base/hash.h"
#include "base/util.h"

#include <stdbool.h>

struct ch_jfr_idmap {
	struct ch_jfr_slot {
		uint64_t id, value; /* free while value is 0 */
	} * slots;
	size_t mask, used; /* slots - 1; 0 while there are none */
	bool hashed;
};

void ch_jfr_idmap_done(struct ch_jfr_idmap *m);
/* Sets the value of an id, also of one that has a value. 0 or -ENOMEM. */
int ch_jfr_idmap_put(struct ch_jfr_idmap *m, uint64_t id, uint64_t value);

static inline size_t ch_jfr_idmap_start(const struct ch_jfr_idmap *m, uint64_t id)
{
	return (m->hashed ? ch_hash_mix(id ^ ch_hash_seed, CH_HASH_K1) : id) & m->mask;
}

/* Where the value of an id is, or NULL. Valid until the next put. */
static inline uint64_t *ch_jfr_idmap_find(const struct ch_jfr_idmap *m, uint64_t id)
{
	size_t i;

	if (!m->used)
		return NULL;
	for (i = ch_jfr_idmap_start(m, id); m->slots[i].value; i = (i + 1) & m->mask)
		if (m->slots[i].id == id)
			return &m->slots[i].value;
	return NULL;
}

#endif
