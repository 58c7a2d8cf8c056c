#include "hotspot/frame_arch.h"
#include "hotspot/walk_steps.h"

#define NATIVE_MAX  64         /* native frames on top of the Java ones */
#define NATIVE_SPAN (8u << 20) /* how far up the stack of a thread of unknown size is looked at */
#define FRAME_SPAN  (1u << 20) /* no frame of a stub is larger */
#define STUB_SCAN   24         /* words above a stub's sp in which its return address is sought */

/* The interpreter's frame, in words from its frame pointer; the same on both processors. */
enum { SENDER_SP = -1, METHOD = -3, BCP = -8 };

/* Goes on at an anchor (where a thread left Java); false when it is not set. */
static bool to_anchor(struct ch_walker *k, uint64_t anchor)
{
	uint64_t sp = ch_peek64(anchor + (uint64_t)k->vm->anchor_sp, 0);
	uint64_t pc = ch_peek64(anchor + (uint64_t)k->vm->anchor_pc, 0);

	if (!sp || !ch_walker_on_stack(k, sp))
		return false;
	k->r.fp = ch_peek64(anchor + (uint64_t)k->vm->anchor_fp, 0);
	k->r.sp = sp;
	k->r.pc = pc ? pc : ch_arch_code(ch_walker_word(sp, -1));
	k->r.lr = 0;
	k->r.sp_low = false;
	k->top = k->from_native = false;
	return true;
}

static int interpreted_bci(struct ch_walker *k, uint64_t method)
{
	uint64_t constant = ch_peek64(method + (uint64_t)k->vm->method_const, 0);
	uint64_t code = constant + (uint64_t)k->vm->const_size;
	uint64_t size = ch_peek16(constant + (uint64_t)k->vm->const_code_size, 0);

	/* The register is ahead of the frame, which is written at calls only. */
	if (k->top && k->r.bcp - code < size)
		return (int)(k->r.bcp - code);
	code = ch_walker_word(k->r.fp, BCP) - code;
	return code < size ? (int)code : -1;
}

/*
 * Callers that are interpreted stand at a call: the same place in their bytecode is the same frame.
 * What the top says may be half written.
 */
static bool push_interpreted(struct ch_walker *k, uint64_t method)
{
	struct ch_pc_cache *cache = k->top ? NULL : k->w->cache;
	uint64_t bcp = ch_walker_word(k->r.fp, BCP), frame;
	unsigned first = k->w->n;

	if (cache && ch_pc_cache_get_bytecode(cache, bcp, method, k->w->epoch, &frame))
		return ch_walker_push(k, frame);
	if (!ch_walker_push_method(k, CH_FRAME_INTERPRETED, method, interpreted_bci(k, method)))
		return false;
	if (cache && bcp && k->w->n == first + 1)
		ch_pc_cache_put_bytecode(cache, bcp, method, k->w->epoch, k->w->frames[first]);
	return true;
}

static enum ch_walk_end step_interpreted(struct ch_walker *k)
{
	uint64_t fp = k->r.fp, method, sp;
	unsigned first;

	if (!ch_walker_on_stack(k, fp) || fp < k->r.sp) {
		/* Before the frame is there, its caller is all that can be told. */
		return k->top && ch_walker_return_leaf(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
	}
	method = ch_walker_word(fp, METHOD);
	first = k->w->n;
	if (!push_interpreted(k, method))
		return CH_WALK_TRUNCATED;
	if (k->w->n == first && !k->top)
		return CH_WALK_BAD_FRAME;
	sp = ch_frame_sender_sp(fp, ch_walker_word(fp, SENDER_SP));
	if (!ch_walker_on_stack(k, sp))
		return CH_WALK_BAD_SP;
	k->r.pc = ch_arch_code(ch_walker_word(fp, 1));
	k->r.sp = sp;
	k->r.fp = ch_walker_word(fp, 0);
	return CH_WALK_DONE;
}

/* Frames that C code called: the wrapper beside them knows where Java was left before. */
static enum ch_walk_end step_entry(struct ch_walker *k)
{
	uint64_t wrapper = ch_walker_word(k->r.fp, k->vm->entry_wrapper_slot), sp = k->r.sp;

	if (!ch_walker_on_stack(k, k->r.fp) || !ch_walker_on_stack(k, wrapper))
		return CH_WALK_BAD_FRAME;
	if (!to_anchor(k, wrapper + (uint64_t)k->vm->wrapper_anchor))
		return CH_WALK_DONE;
	/* Up the stack, or it might never end. */
	return k->r.sp > sp ? CH_WALK_NATIVE : CH_WALK_BAD_SP;
}

/*
 * A stub that was interrupted, or that called native code: bare, with a frame pointer, or with some
 * saved registers.
 */
static bool leave_stub(struct ch_walker *k)
{
	uint64_t fp = k->r.fp;

	if (k->top && (ch_walker_return_record(k) || ch_walker_return_leaf(k)))
		return true;
	if (ch_walker_on_stack(k, fp) && fp >= k->r.sp && fp - k->r.sp < FRAME_SPAN &&
	    (ch_walker_return(k, fp + 8, true) || ch_walker_return(k, fp + 16, true))) {
		/* One word further: the entry barrier of methods puts a cookie between. */
		k->r.fp = ch_walker_word(fp, 0);
		return true;
	}
	for (uint64_t i = 1; i < STUB_SCAN; i++)
		if (ch_walker_return(k, k->r.sp + 8 * i, true))
			return true;
	return false;
}

static enum ch_walk_end step_other(struct ch_walker *k, const struct ch_blob *b)
{
	if (b->frame_words > 0 && ch_walker_return_frame(k, b->frame_words))
		return CH_WALK_DONE;
	return (k->top || k->from_native) && leave_stub(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
}

/*
 * One frame of the code cache. CH_WALK_DONE: go on; CH_WALK_NATIVE: an entry frame was passed, go
 * on; all others end the walk.
 */
static enum ch_walk_end step(struct ch_walker *k, bool *ret_last)
{
	const struct ch_blob b = *ch_walker_blob(k, k->r.pc);

	if (!b.at)
		return CH_WALK_BAD_PC;
	switch (b.kind) {
	case CH_BLOB_NMETHOD:
		return ch_walker_step_compiled(k, &b);
	case CH_BLOB_INTERPRETER:
		return step_interpreted(k);
	case CH_BLOB_STUBS:
		if (k->r.pc == k->vm->call_stub_return) {
			enum ch_walk_end end = step_entry(k);

			*ret_last = end == CH_WALK_DONE;
			return end == CH_WALK_NATIVE ? CH_WALK_DONE : end;
		}
		if (k->r.pc == k->vm->cont_return_barrier) {
			/* The rest of a virtual thread's stack lies in the heap. */
			*ret_last = true;
			return CH_WALK_DONE;
		}
		if (!k->top && !k->from_native)
			return CH_WALK_BAD_FRAME;
		if (k->w->native && !ch_walker_push(k, ch_frame_addr(CH_FRAME_NATIVE, k->r.pc)))
			return CH_WALK_TRUNCATED;
		return leave_stub(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
	case CH_BLOB_FRAMELESS:
		return k->top && ch_walker_return_leaf(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
	default:
		return step_other(k, &b);
	}
}

static enum ch_walk_end walk_java(struct ch_walker *k)
{
	bool last = false;
	uint64_t sp = 0;

	while (!last) {
		enum ch_walk_end end;

		if (!ch_walker_on_stack(k, k->r.sp) || (sp && k->r.sp < sp))
			return CH_WALK_BAD_SP;
		sp = k->r.sp;
		if (ch_walker_step_known(k))
			continue;
		if (!ch_walker_step_known_top(k, &end))
			end = step(k, &last);
		if (end != CH_WALK_DONE)
			return end;
		k->top = k->from_native = false;
		k->r.lr = 0;
	}
	return CH_WALK_DONE;
}

static void walk_native_in(struct ch_walker *k, uint64_t limit, struct ch_unwind_libs in)
{
	for (unsigned i = 0; i < NATIVE_MAX; i++) {
		if (k->w->thread && ch_vm_is_code(k->vm, k->r.pc))
			return;
		/* The call, not what follows it, which may be another function. */
		if (k->w->native &&
		    !ch_walker_push(k, ch_frame_addr(CH_FRAME_NATIVE, k->r.pc - k->r.caller)))
			return;
		k->top = false;
		k->from_native = true;
		if (ch_unwind_step_sig(in.libs, in.n, &k->r, k->low, k->high) <= 0 ||
		    (limit && k->r.sp > limit))
			break;
	}
	k->r.pc = 0;
}

/*
 * Native frames, up to `limit` (where Java was left) or to code of the JVM. Afterwards pc is that
 * code, or 0.
 */
static void walk_native(struct ch_walker *k, uint64_t limit)
{
	if (!k->w->unwind) {
		walk_native_in(k, limit, (struct ch_unwind_libs){ 0 });
		return;
	}
	walk_native_in(k, limit, ch_unwind_enter_sig(k->w->unwind));
	ch_unwind_leave_sig(k->w->unwind);
}

/*
 * On aarch64 the VM itself calls generated leaf routines, for its atomic operations: their caller
 * is native, and only the link register knows it.
 */
static void leave_native_leaf(struct ch_walker *k)
{
	uint64_t lr = ch_arch_code(k->r.lr);

	if (!lr || !ch_vm_is_code(k->vm, k->r.pc) || ch_vm_is_code(k->vm, lr) ||
	    ch_walker_blob(k, k->r.pc)->kind != CH_BLOB_STUBS ||
	    ch_walker_word(k->r.fp, 1) == k->r.lr)
		return;
	if (k->w->native && !ch_walker_push(k, ch_frame_addr(CH_FRAME_NATIVE, k->r.pc)))
		return;
	k->r.pc = lr;
	k->r.lr = 0;
	k->r.caller = true;
}

static enum ch_walk_end walk_from(struct ch_walker *k, const struct ch_regs *regs)
{
	uint64_t anchor = k->w->thread + (uint64_t)k->vm->thread_anchor;
	uint64_t limit = k->w->thread ? ch_peek64(anchor + (uint64_t)k->vm->anchor_sp, 0) : 0;

	if (regs) {
		k->r = *regs;
		k->top = true;
		leave_native_leaf(k);
		if (!ch_vm_is_code(k->vm, k->r.pc) || !k->w->thread)
			walk_native(k, limit);
		if (k->w->thread && ch_vm_is_code(k->vm, k->r.pc) && !k->r.sp_low)
			return walk_java(k);
	}
	if (!k->w->thread || !to_anchor(k, anchor))
		return CH_WALK_NATIVE;
	return walk_java(k);
}

enum ch_walk_end ch_walk_sig(struct ch_walk *w, const struct ch_regs *regs)
{
	struct ch_walker k = { .w = w, .vm = w->vm };

	if (w->thread) {
		k.high = ch_peek64(w->thread + (uint64_t)w->vm->thread_stack_base, 0);
		k.low = k.high - ch_peek64(w->thread + (uint64_t)w->vm->thread_stack_size, 0);
	} else if (regs) {
		k.low = regs->sp;
		k.high = regs->sp + NATIVE_SPAN;
	}
	w->n = 0;
	return walk_from(&k, regs);
}
