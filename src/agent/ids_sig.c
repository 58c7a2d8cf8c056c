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

/* Another part of the key's hash than the one that chose the entry. */
static uint32_t tag_of(uint64_t key)
{
	return (uint32_t)(ch_hash_mix(key, CH_HASH_K2) >> 32);
}

uint32_t ch_id_get(const struct ch_id_entry *e, uint64_t key)
{
	uint64_t named = atomic_load_explicit(&e->named, memory_order_acquire);

	return named >> 32 == tag_of(key) ? (uint32_t)named : 0;
}

void ch_id_set(struct ch_id_entry *e, uint64_t key, uint32_t id)
{
	atomic_store_explicit(&e->named, (uint64_t)tag_of(key) << 32 | id, memory_order_release);
}

uint32_t ch_ids_next(struct ch_ids *t)
{
	return atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed) + 1;
}
