#include "agent/ids.h"

#include "base/hash.h"

#define PROBES 64

struct ch_id_entry *ch_ids_find(struct ch_ids *t, uint64_t key)
{
	uint64_t at = ch_hash_mix(key, CH_HASH_K1);

	for (unsigned i = 0; i < PROBES; i++) {
		struct ch_id_entry *e = &t->entries[(at + i) & t->mask];
		uint64_t seen = atomic_load_explicit(&e->key, memory_order_acquire);

		if (seen == key)
			return e;
		if (seen)
			continue;
		if (atomic_compare_exchange_strong(&e->key, &seen, key)) {
			atomic_fetch_add_explicit(&t->used, 1, memory_order_relaxed);
			return e;
		}
		if (seen == key)
			return e;
	}
	return NULL;
}

uint32_t ch_ids_next(struct ch_ids *t)
{
	return atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed) + 1;
}
