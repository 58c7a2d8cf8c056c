#include "hotspot/pc_cache.h"

#include "base/hash.h"
#include "sys/peek.h"

static size_t place_of(uint64_t pc)
{
	return ch_hash_mix(pc, CH_HASH_K1) % CH_PC_CACHE_ENTRIES;
}

static uint32_t compile_id(const struct ch_vm *vm, uint64_t blob)
{
	return ch_peek32(blob + (uint64_t)vm->nm_compile_id, 0);
}

/* A copy of what is there for pc, whole; false when there is none. */
static bool copy(struct ch_pc_cache *c, uint64_t pc, uint32_t epoch, struct ch_pc_entry *ret)
{
	struct ch_pc_entry *e = &c->entries[place_of(pc)];
	uint32_t seq = atomic_load_explicit(&e->seq, memory_order_acquire);
	uint8_t n;

	if (seq & 1 || e->pc != pc || e->epoch != epoch)
		return false;
	ret->compile_id = e->compile_id;
	ret->blob = e->blob;
	ret->frame_words = e->frame_words;
	ret->in_prologue = e->in_prologue;
	/* Read once: it may change at any moment, and ret has no more room. */
	n = *(const volatile uint8_t *)&e->n;
	ret->n = n < CH_PC_CACHE_FRAMES ? n : CH_PC_CACHE_FRAMES;
	for (unsigned i = 0; i < ret->n; i++)
		ret->frames[i] = e->frames[i];
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&e->seq, memory_order_relaxed) == seq;
}

static void put(struct ch_pc_cache *c, const struct ch_pc_entry *e)
{
	struct ch_pc_entry *to = &c->entries[place_of(e->pc)];
	uint32_t seq = atomic_load_explicit(&to->seq, memory_order_relaxed);

	/* Whoever is writing it may: this is only a cache. */
	if (seq & 1 || !atomic_compare_exchange_strong(&to->seq, &seq, seq + 1))
		return;
	atomic_thread_fence(memory_order_release);
	to->pc = e->pc;
	to->epoch = e->epoch;
	to->blob = e->blob;
	to->compile_id = e->compile_id;
	to->frame_words = e->frame_words;
	to->in_prologue = e->in_prologue;
	to->n = e->n;
	for (unsigned i = 0; i < e->n; i++)
		to->frames[i] = e->frames[i];
	atomic_store_explicit(&to->seq, seq + 2, memory_order_release);
}

bool ch_pc_cache_get(struct ch_pc_cache *c, const struct ch_vm *vm, uint64_t pc, uint32_t epoch,
                     struct ch_pc_entry *ret)
{
	return copy(c, pc, epoch, ret) && ret->frame_words &&
	       compile_id(vm, ret->blob) == ret->compile_id;
}

void ch_pc_cache_put(struct ch_pc_cache *c, const struct ch_vm *vm, const struct ch_pc_entry *e)
{
	struct ch_pc_entry checked = *e;

	checked.compile_id = compile_id(vm, e->blob);
	put(c, &checked);
}

bool ch_pc_cache_get_bytecode(struct ch_pc_cache *c, uint64_t bcp, uint64_t method, uint32_t epoch,
                              uint64_t *ret_frame)
{
	struct ch_pc_entry e;

	if (!copy(c, bcp, epoch, &e) || e.frame_words || e.blob != method || !e.n)
		return false;
	*ret_frame = e.frames[0];
	return true;
}

void ch_pc_cache_put_bytecode(struct ch_pc_cache *c, uint64_t bcp, uint64_t method, uint32_t epoch,
                              uint64_t frame)
{
	struct ch_pc_entry e = {
		.pc = bcp, .blob = method, .epoch = epoch, .n = 1, .frames = { frame }
	};

	put(c, &e);
}

void ch_pc_cache_warm(const struct ch_pc_cache *c, uint64_t pc)
{
	__builtin_prefetch(&c->entries[place_of(pc)]);
}
