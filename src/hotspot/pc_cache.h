/*
 * What is known about places in code: the frames that a return address or an interrupted
 * instruction of compiled code stands for and the size of its stack frame; the frame that a place in
 * bytecode stands for. A stack is mostly the one that was seen before, so most of a walk is found
 * here. Shared by all threads and signal-safe: an entry that is being written is no entry.
 */
#ifndef CH_HOTSPOT_PC_CACHE_H
#define CH_HOTSPOT_PC_CACHE_H

#include "hotspot/vm.h"

#include <stdatomic.h>

#define CH_PC_CACHE_FRAMES  12 /* compilers inline deeply: four would do for one frame in five */
#define CH_PC_CACHE_ENTRIES 16384

/* The key of an instruction that was interrupted: as a return address it may mean other frames. */
static inline uint64_t ch_pc_interrupted(uint64_t pc)
{
	return pc | UINT64_C(1) << 63;
}

/*
 * Two cache lines. compile_id tells whether the code is still the one that was looked at, the epoch
 * whether its frames still mean the same. Bytecode has no blob but a Method, and no compile_id; its
 * frame has no size, by which the two are told apart.
 */
struct ch_pc_entry {
	_Atomic uint32_t seq; /* odd while it is written */
	uint32_t compile_id;
	uint64_t pc, blob;
	uint32_t epoch;
	uint16_t frame_words;
	uint8_t n;
	bool in_prologue; /* interrupted before its frame was built */
	uint64_t frames[CH_PC_CACHE_FRAMES];
};

struct ch_pc_cache {
	struct ch_pc_entry entries[CH_PC_CACHE_ENTRIES];
};

/* An empty one, in one large page where the system has them; NULL without memory. It is kept. */
struct ch_pc_cache *ch_pc_cache_new(void);

/* A copy of the entry for pc, checked against the code as it is now; false when there is none. */
bool ch_pc_cache_get(struct ch_pc_cache *c, const struct ch_vm *vm, uint64_t pc, uint32_t epoch,
                     struct ch_pc_entry *ret);
/* Keeps an entry in the place of whatever was there. compile_id and seq are filled in here. */
void ch_pc_cache_put(struct ch_pc_cache *c, const struct ch_vm *vm, const struct ch_pc_entry *e);

/* The frame at a place in the bytecode of a Method that is on the stack; false when it is unknown. */
bool ch_pc_cache_get_bytecode(struct ch_pc_cache *c, uint64_t bcp, uint64_t method, uint32_t epoch,
                              uint64_t *ret_frame);
void ch_pc_cache_put_bytecode(struct ch_pc_cache *c, uint64_t bcp, uint64_t method, uint32_t epoch,
                              uint64_t frame);

/* Has the entry for pc brought into the processor's cache, if there is one. */
void ch_pc_cache_warm(const struct ch_pc_cache *c, uint64_t pc);

#endif
