/*
 * A walk under way, shared by the files that make the steps of one: who called (walk_return_sig.c),
 * compiled frames (walk_compiled_sig.c), all others (walk_sig.c). Signal-safe, all of it.
 */
#ifndef CH_HOTSPOT_WALK_STEPS_H
#define CH_HOTSPOT_WALK_STEPS_H

#include "hotspot/code.h"
#include "hotspot/walk.h"
#include "sys/peek.h"

struct ch_walker {
	struct ch_walk *w;
	const struct ch_vm *vm;
	uint64_t low, high; /* of the stack */
	struct ch_regs r;
	bool top;            /* r is where the thread was interrupted, not a return address */
	bool from_native;    /* r was reached over native frames, without an anchor */
	struct ch_blob blob; /* around r.pc, when blob_pc is that */
	uint64_t blob_pc;
};

static inline uint64_t ch_walker_word(uint64_t base, int64_t slot)
{
	return ch_peek64(base + (uint64_t)(slot * 8), 0);
}

static inline bool ch_walker_on_stack(const struct ch_walker *k, uint64_t addr)
{
	return addr >= k->low && addr < k->high && !(addr & 7);
}

static inline bool ch_walker_push(struct ch_walker *k, uint64_t frame)
{
	if (k->w->n == k->w->max)
		return false;
	k->w->frames[k->w->n++] = frame;
	return true;
}

/* False when there is no more room, or no name to be had. What is no Method is left out. */
bool ch_walker_push_method(struct ch_walker *k, enum ch_frame_kind kind, uint64_t method, int bci);

/* The blob around a pc; the last one is remembered, as it is mostly asked for twice. */
const struct ch_blob *ch_walker_blob(struct ch_walker *k, uint64_t pc);

/*
 * To the caller, when there is one. Its address is in the stack word at `slot`, behind which the
 * frame ends; a guess is looked at more closely.
 */
bool ch_walker_return(struct ch_walker *k, uint64_t slot, bool guess);
/* A leaf that has not touched the stack: the caller is in the link register or on top. */
bool ch_walker_return_leaf(struct ch_walker *k);
/* As soon as a routine has stored the frame pointer and the link register, it has a frame. */
bool ch_walker_return_record(struct ch_walker *k);
/* A frame of known size whose return address and saved frame pointer end it. */
bool ch_walker_return_frame(struct ch_walker *k, int32_t words);

/* Over a compiled caller that was seen before; false when this is none. */
bool ch_walker_step_known(struct ch_walker *k);
/* From an instruction that was interrupted before, as those of hot loops are; likewise. */
bool ch_walker_step_known_top(struct ch_walker *k, enum ch_walk_end *ret);
/* Over the compiled code b around pc. */
enum ch_walk_end ch_walker_step_compiled(struct ch_walker *k, const struct ch_blob *b);

#endif
