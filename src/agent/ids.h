/*
 * Ids for things of the VM, given out where they are first seen, by any number of threads at once
 * and in signal handlers: a table from addresses to ids, without locks.
 *
 * An address may be given to another thing once the first was unloaded. So an entry holds what
 * hash the thing had and in which epoch that was last checked; in a later epoch (something was
 * unloaded since) the hash is compared again before the id is believed.
 */
#ifndef CH_AGENT_IDS_H
#define CH_AGENT_IDS_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

struct ch_id_entry {
	_Atomic uint64_t key, hash;
	_Atomic uint64_t named; /* the id, and above it a tag of the key that it belongs to */
	_Atomic uint32_t epoch;
};

struct ch_ids {
	struct ch_id_entry *entries;
	size_t mask;
	_Atomic uint32_t used, next;
};

int ch_ids_init(struct ch_ids *t, size_t entries, struct ch_error *err);
/* Forgets all; ids go on from where they were, so that old ones never mean something new. */
void ch_ids_forget(struct ch_ids *t);
bool ch_ids_crowded(const struct ch_ids *t);

/* The entry for a key, taken into the table when it is new; NULL when the table is full. */
struct ch_id_entry *ch_ids_find(struct ch_ids *t, uint64_t key);
/*
 * The id of the key in its entry, 0 when it has none. The entry may be given to another key at any
 * moment, when all is forgotten: an id that somebody sets late is none of the new key.
 */
uint32_t ch_id_get(const struct ch_id_entry *e, uint64_t key);
void ch_id_set(struct ch_id_entry *e, uint64_t key, uint32_t id);
/* A fresh id. */
uint32_t ch_ids_next(struct ch_ids *t);

#endif
