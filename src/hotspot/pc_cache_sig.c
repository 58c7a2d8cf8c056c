#include "hotspot/pc_cache.h"

#include "base/hash.h"
#include "sys/peek.h"

static struct ch_pc_entry *entry_of(struct ch_pc_cache *c, uint64_t pc)
{
	return &c->entries[ch_hash_mix(pc, CH_HASH_K1) % CH_PC_CACHE_ENTRIES];
}

static uint32_t compile_id(const struct ch_vm *vm, uint64_t blob)
{
	return ch_peek32(blob + (uint64_t)vm->nm_compile_id, 0);
}

bool ch_pc_cache_get(struct ch_pc_cache *c, const struct ch_vm *vm, uint64_t pc,
                     struct ch_pc_entry *ret)
{
	struct ch_pc_entry *e = entry_of(c, pc);
	uint32_t seq = atomic_load_explicit(&e->seq, memory_order_acquire);

	if (seq & 1 || e->pc != pc)
		return false;
	ret->compile_id = e->compile_id;
	ret->blob = e->blob;
	ret->frame_words = e->frame_words;
	ret->n = e->n;
	for (unsigned i = 0; i < CH_PC_CACHE_FRAMES; i++)
		ret->frames[i] = e->frames[i];
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&e->seq, memory_order_relaxed) == seq &&
	       ret->n <= CH_PC_CACHE_FRAMES && compile_id(vm, ret->blob) == ret->compile_id;
}

void ch_pc_cache_put(struct ch_pc_cache *c, const struct ch_vm *vm, const struct ch_pc_entry *e)
{
	struct ch_pc_entry *to = entry_of(c, e->pc);
	uint32_t seq = atomic_load_explicit(&to->seq, memory_order_relaxed);

	/* Whoever is writing it may: this is only a cache. */
	if (seq & 1 || !atomic_compare_exchange_strong(&to->seq, &seq, seq + 1))
		return;
	atomic_thread_fence(memory_order_release);
	to->pc = e->pc;
	to->blob = e->blob;
	to->compile_id = compile_id(vm, e->blob);
	to->frame_words = e->frame_words;
	to->n = e->n;
	for (unsigned i = 0; i < e->n; i++)
		to->frames[i] = e->frames[i];
	atomic_store_explicit(&to->seq, seq + 2, memory_order_release);
}
