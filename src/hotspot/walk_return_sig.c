#include "hotspot/frame_arch.h"
#include "hotspot/walk_steps.h"

/* The places that nearly every stack goes through, and that never move, need no search. */
static struct ch_blob find_blob(const struct ch_vm *vm, uint64_t pc)
{
	if (pc - vm->interpreter < vm->interpreter_size)
		return (struct ch_blob){ .at = vm->interpreter, .kind = CH_BLOB_INTERPRETER };
	if (pc == vm->call_stub_return)
		return (struct ch_blob){ .at = pc, .kind = CH_BLOB_STUBS };
	return ch_blob_find(vm, pc);
}

const struct ch_blob *ch_walker_blob(struct ch_walker *k, uint64_t pc)
{
	if (k->blob_pc != pc) {
		k->blob = find_blob(k->vm, pc);
		k->blob_pc = pc;
	}
	return &k->blob;
}

/* Somewhere that a Java frame can return to. */
static bool returns_to_java(struct ch_walker *k, uint64_t pc)
{
	const struct ch_blob *b;

	if (!ch_vm_is_code(k->vm, pc))
		return false;
	b = ch_walker_blob(k, pc);
	switch (b->at ? b->kind : CH_BLOB_FRAMELESS) {
	case CH_BLOB_NMETHOD:
		return pc >= b->code;
	case CH_BLOB_INTERPRETER:
		return true;
	case CH_BLOB_STUBS:
		return pc == k->vm->call_stub_return || pc == k->vm->cont_return_barrier;
	default:
		return false;
	}
}

/*
 * Whether pc and sp are those of a caller, where that is only a guess: a compiled frame there must
 * have a caller of its own.
 */
static bool is_caller(struct ch_walker *k, uint64_t pc, uint64_t sp)
{
	int32_t words;

	if (!returns_to_java(k, pc))
		return false;
	if (k->blob.kind != CH_BLOB_NMETHOD)
		return true;
	words = k->blob.frame_words;
	sp += (uint64_t)words * 8;
	return words >= 2 && ch_walker_on_stack(k, sp - 8) &&
	       returns_to_java(k, ch_arch_code(ch_walker_word(sp, -1)));
}

/* Seen before as a return address: it need not be searched again. */
static bool is_known(const struct ch_walker *k, uint64_t pc)
{
	struct ch_pc_entry e;

	return k->w->cache && ch_pc_cache_get(k->w->cache, k->vm, pc, k->w->epoch, &e);
}

bool ch_walker_return(struct ch_walker *k, uint64_t slot, bool guess)
{
	uint64_t pc = ch_walker_on_stack(k, slot) ? ch_arch_code(ch_walker_word(slot, 0)) : 0;

	if (guess ? !is_caller(k, pc, slot + 8) : !is_known(k, pc) && !returns_to_java(k, pc))
		return false;
	k->r.pc = pc;
	k->r.sp = slot + 8;
	return true;
}

bool ch_walker_return_leaf(struct ch_walker *k)
{
	uint64_t lr = ch_arch_code(k->r.lr);

	if (!lr)
		return ch_walker_return(k, k->r.sp, true);
	if (!is_caller(k, lr, k->r.sp))
		return false;
	k->r.pc = lr;
	return true;
}

bool ch_walker_return_record(struct ch_walker *k)
{
	uint64_t at = k->r.fp;

	if (!k->r.lr)
		return false;
	if (!ch_walker_on_stack(k, at) || at < k->r.sp || ch_walker_word(at, 1) != k->r.lr)
		at = ch_walker_word(k->r.sp, 0) == k->r.fp && ch_walker_word(k->r.sp, 1) == k->r.lr
		         ? k->r.sp
		         : 0;
	if (!at || !ch_walker_return(k, at + 8, true))
		return false;
	k->r.fp = ch_walker_word(at, 0);
	return true;
}

bool ch_walker_return_frame(struct ch_walker *k, int32_t words)
{
	uint64_t end = k->r.sp + (uint64_t)words * 8;

	if (words < 2 || !ch_walker_return(k, end - 8, false))
		return false;
	k->r.fp = ch_walker_word(end, -2);
	return true;
}
