#include "hotspot/walk.h"

#include "hotspot/code.h"
#include "hotspot/frame_arch.h"
#include "sys/peek.h"

#define NATIVE_MAX  64         /* native frames on top of the Java ones */
#define NATIVE_SPAN (8u << 20) /* how far up the stack of a thread of unknown size is looked at */
#define FRAME_SPAN  (1u << 20) /* no frame of a stub is larger */
#define STUB_SCAN   24         /* words above a stub's sp in which its return address is sought */

/* The interpreter's frame, in words from its frame pointer; the same on both processors. */
enum { SENDER_SP = -1, METHOD = -3, BCP = -8 };

struct walker {
	struct ch_walk *w;
	const struct ch_vm *vm;
	uint64_t low, high; /* of the stack */
	struct ch_regs r;
	bool top;            /* r is where the thread was interrupted, not a return address */
	bool from_native;    /* r was reached over native frames, without an anchor */
	struct ch_blob blob; /* around r.pc, when blob_pc is that */
	uint64_t blob_pc;
};

static uint64_t word(uint64_t base, int64_t slot)
{
	return ch_peek64(base + (uint64_t)(slot * 8), 0);
}

static bool on_stack(const struct walker *k, uint64_t addr)
{
	return addr >= k->low && addr < k->high && !(addr & 7);
}

static bool push(struct walker *k, uint64_t frame)
{
	if (k->w->n == k->w->max)
		return false;
	k->w->frames[k->w->n++] = frame;
	return true;
}

static bool push_method(struct walker *k, enum ch_frame_kind kind, uint64_t method, int bci)
{
	uint64_t what = method >> 3;

	if (!ch_method_plausible(k->vm, method))
		return true;
	if (k->w->name) {
		what = k->w->name(k->w, method);
		if (!what) {
			k->w->unnamed = true;
			return false;
		}
	}
	return push(k, ch_frame_java(kind, what,
	                             bci < 0 || bci >= CH_FRAME_BCI_NONE ? CH_FRAME_BCI_NONE
	                                                                 : (unsigned)bci));
}

/* Goes on at an anchor (where a thread left Java); false when it is not set. */
static bool to_anchor(struct walker *k, uint64_t anchor)
{
	uint64_t sp = ch_peek64(anchor + (uint64_t)k->vm->anchor_sp, 0);
	uint64_t pc = ch_peek64(anchor + (uint64_t)k->vm->anchor_pc, 0);

	if (!sp || !on_stack(k, sp))
		return false;
	k->r.fp = ch_peek64(anchor + (uint64_t)k->vm->anchor_fp, 0);
	k->r.sp = sp;
	k->r.pc = pc ? pc : ch_arch_code(word(sp, -1));
	k->r.lr = 0;
	k->r.sp_low = false;
	k->top = k->from_native = false;
	return true;
}

/* The places that nearly every stack goes through, and that never move, need no search. */
static struct ch_blob find_blob(const struct ch_vm *vm, uint64_t pc)
{
	if (pc - vm->interpreter < vm->interpreter_size)
		return (struct ch_blob){ .at = vm->interpreter, .kind = CH_BLOB_INTERPRETER };
	if (pc == vm->call_stub_return)
		return (struct ch_blob){ .at = pc, .kind = CH_BLOB_STUBS };
	return ch_blob_find(vm, pc);
}

/* The blob around a pc; the last one is remembered, as it is mostly asked for twice. */
static const struct ch_blob *blob_of(struct walker *k, uint64_t pc)
{
	if (k->blob_pc != pc) {
		k->blob = find_blob(k->vm, pc);
		k->blob_pc = pc;
	}
	return &k->blob;
}

/* Somewhere that a Java frame can return to. */
static bool returns_to_java(struct walker *k, uint64_t pc)
{
	const struct ch_blob *b;

	if (!ch_vm_is_code(k->vm, pc))
		return false;
	b = blob_of(k, pc);
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
static bool is_caller(struct walker *k, uint64_t pc, uint64_t sp)
{
	int32_t words;

	if (!returns_to_java(k, pc))
		return false;
	if (k->blob.kind != CH_BLOB_NMETHOD)
		return true;
	words = k->blob.frame_words;
	sp += (uint64_t)words * 8;
	return words >= 2 && on_stack(k, sp - 8) && returns_to_java(k, ch_arch_code(word(sp, -1)));
}

/* Seen before as a return address: it need not be searched again. */
static bool is_known(const struct walker *k, uint64_t pc)
{
	struct ch_pc_entry e;

	return k->w->cache && ch_pc_cache_get(k->w->cache, k->vm, pc, k->w->epoch, &e);
}

/* Takes the return address out of the stack word at `slot`; the frame ends behind it. */
static bool return_from(struct walker *k, uint64_t slot, bool guess)
{
	uint64_t pc = on_stack(k, slot) ? ch_arch_code(word(slot, 0)) : 0;

	if (guess ? !is_caller(k, pc, slot + 8) : !is_known(k, pc) && !returns_to_java(k, pc))
		return false;
	k->r.pc = pc;
	k->r.sp = slot + 8;
	return true;
}

/* A leaf that has not touched the stack: the caller is in the link register or on top. */
static bool return_from_leaf(struct walker *k)
{
	uint64_t lr = ch_arch_code(k->r.lr);

	if (!lr)
		return return_from(k, k->r.sp, true);
	if (!is_caller(k, lr, k->r.sp))
		return false;
	k->r.pc = lr;
	return true;
}

/* As soon as a routine has stored the frame pointer and the link register, it has a frame. */
static bool return_from_record(struct walker *k)
{
	uint64_t at = k->r.fp;

	if (!k->r.lr)
		return false;
	if (!on_stack(k, at) || at < k->r.sp || word(at, 1) != k->r.lr)
		at = word(k->r.sp, 0) == k->r.fp && word(k->r.sp, 1) == k->r.lr ? k->r.sp : 0;
	if (!at || !return_from(k, at + 8, true))
		return false;
	k->r.fp = word(at, 0);
	return true;
}

/* A frame of known size whose return address and saved frame pointer end it. */
static bool return_from_frame(struct walker *k, int32_t words)
{
	uint64_t end = k->r.sp + (uint64_t)words * 8;

	if (words < 2 || !return_from(k, end - 8, false))
		return false;
	k->r.fp = word(end, -2);
	return true;
}

static bool push_compiled(struct walker *k, const struct ch_blob *b)
{
	struct ch_scope s = ch_scope_find(k->vm, b, k->r.pc, !k->top);
	uint8_t level = ch_peek8(b->at + (uint64_t)k->vm->nm_comp_level, 0);
	enum ch_frame_kind kind = level >= 1 && level <= 3 ? CH_FRAME_C1 : CH_FRAME_COMPILED;
	uint64_t method;
	int bci;

	if (!s.offset)
		return push_method(k, kind, ch_peek64(b->at + (uint64_t)k->vm->nm_method, 0), -1);
	while (ch_scope_next(k->vm, &s, &method, &bci))
		if (!push_method(k, s.offset ? CH_FRAME_INLINED : kind, method, bci))
			return false;
	return true;
}

/* A return address in compiled code always stands for the same frames. */
static void remember(struct walker *k, const struct ch_blob *b, unsigned first)
{
	struct ch_pc_entry e = { .pc = k->r.pc,
		                 .blob = b->at,
		                 .epoch = k->w->epoch,
		                 .frame_words = (uint16_t)b->frame_words,
		                 .n = (uint16_t)(k->w->n - first) };

	if (!k->w->cache || !e.n || k->w->n - first > CH_PC_CACHE_FRAMES || b->frame_words < 2 ||
	    b->frame_words > UINT16_MAX)
		return;
	for (unsigned i = 0; i < e.n; i++)
		e.frames[i] = k->w->frames[first + i];
	ch_pc_cache_put(k->w->cache, k->vm, &e);
}

/* Goes over compiled frames that were seen before, as long as they are known. */
static bool step_known(struct walker *k)
{
	struct ch_pc_entry e;
	uint64_t end, pc;

	if (k->top || !k->w->cache ||
	    !ch_pc_cache_get(k->w->cache, k->vm, k->r.pc, k->w->epoch, &e))
		return false;
	end = k->r.sp + e.frame_words * UINT64_C(8);
	if (!on_stack(k, end - 8) || k->w->n + e.n > k->w->max)
		return false;
	pc = ch_arch_code(word(end, -1));
	if (!ch_vm_is_code(k->vm, pc))
		return false;
	for (unsigned i = 0; i < e.n; i++)
		k->w->frames[k->w->n++] = e.frames[i];
	k->r.pc = pc;
	k->r.sp = end;
	k->r.fp = word(end, -2);
	return true;
}

/* Before the frame is built, or after it was taken down. */
static bool leave_part(struct walker *k, const struct ch_blob *b)
{
	bool in_prologue = k->r.pc < b->code + (uint64_t)b->frame_complete;
	uint64_t sp = k->r.sp;

	switch (ch_frame_state(k->r.pc, in_prologue)) {
	case CH_FRAME_BARE:
		return return_from_leaf(k);
	case CH_FRAME_LINKED:
		if (!return_from(k, sp + 8, true))
			return false;
		k->r.fp = word(sp, 0);
		return true;
	case CH_FRAME_HOLLOW:
		k->r.sp += (uint64_t)b->frame_words * 8;
		if (on_stack(k, k->r.sp) && return_from_leaf(k))
			return true;
		k->r.sp = sp;
		return false;
	default:
		return false;
	}
}

static bool leave_compiled(struct walker *k, const struct ch_blob *b)
{
	if (k->top) {
		if (leave_part(k, b))
			return true;
		if (return_from_frame(k, b->frame_words))
			return true;
		return return_from_leaf(k);
	}
	return return_from_frame(k, b->frame_words);
}

static int interpreted_bci(struct walker *k, uint64_t method)
{
	uint64_t constant = ch_peek64(method + (uint64_t)k->vm->method_const, 0);
	uint64_t code = constant + (uint64_t)k->vm->const_size;
	uint64_t size = ch_peek16(constant + (uint64_t)k->vm->const_code_size, 0);

	/* The register is ahead of the frame, which is written at calls only. */
	if (k->top && k->r.bcp - code < size)
		return (int)(k->r.bcp - code);
	code = word(k->r.fp, BCP) - code;
	return code < size ? (int)code : -1;
}

/*
 * Callers that are interpreted stand at a call: the same place in their bytecode is the same frame.
 * What the top says may be half written.
 */
static bool push_interpreted(struct walker *k, uint64_t method)
{
	struct ch_pc_cache *cache = k->top ? NULL : k->w->cache;
	uint64_t bcp = word(k->r.fp, BCP), frame;
	unsigned first = k->w->n;

	if (cache && ch_pc_cache_get_bytecode(cache, bcp, method, k->w->epoch, &frame))
		return push(k, frame);
	if (!push_method(k, CH_FRAME_INTERPRETED, method, interpreted_bci(k, method)))
		return false;
	if (cache && bcp && k->w->n == first + 1)
		ch_pc_cache_put_bytecode(cache, bcp, method, k->w->epoch, k->w->frames[first]);
	return true;
}

static enum ch_walk_end step_interpreted(struct walker *k)
{
	uint64_t fp = k->r.fp, method, sp;
	unsigned first;

	if (!on_stack(k, fp) || fp < k->r.sp) {
		/* Before the frame is there, its caller is all that can be told. */
		return k->top && return_from_leaf(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
	}
	method = word(fp, METHOD);
	first = k->w->n;
	if (!push_interpreted(k, method))
		return CH_WALK_TRUNCATED;
	if (k->w->n == first && !k->top)
		return CH_WALK_BAD_FRAME;
	sp = ch_frame_sender_sp(fp, word(fp, SENDER_SP));
	if (!on_stack(k, sp))
		return CH_WALK_BAD_SP;
	k->r.pc = ch_arch_code(word(fp, 1));
	k->r.sp = sp;
	k->r.fp = word(fp, 0);
	return CH_WALK_DONE;
}

/* Frames that C code called: the wrapper beside them knows where Java was left before. */
static enum ch_walk_end step_entry(struct walker *k)
{
	uint64_t wrapper = word(k->r.fp, k->vm->entry_wrapper_slot);

	if (!on_stack(k, k->r.fp) || !on_stack(k, wrapper))
		return CH_WALK_BAD_FRAME;
	return to_anchor(k, wrapper + (uint64_t)k->vm->wrapper_anchor) ? CH_WALK_NATIVE
	                                                               : CH_WALK_DONE;
}

/*
 * A stub that was interrupted, or that called native code: bare, with a frame pointer, or with some
 * saved registers.
 */
static bool leave_stub(struct walker *k)
{
	uint64_t fp = k->r.fp;

	if (k->top && (return_from_record(k) || return_from_leaf(k)))
		return true;
	if (on_stack(k, fp) && fp >= k->r.sp && fp - k->r.sp < FRAME_SPAN &&
	    (return_from(k, fp + 8, true) || return_from(k, fp + 16, true))) {
		/* One word further: the entry barrier of methods puts a cookie between. */
		k->r.fp = word(fp, 0);
		return true;
	}
	for (uint64_t i = 1; i < STUB_SCAN; i++)
		if (return_from(k, k->r.sp + 8 * i, true))
			return true;
	return false;
}

static enum ch_walk_end step_other(struct walker *k, const struct ch_blob *b)
{
	if (b->frame_words > 0 && return_from_frame(k, b->frame_words))
		return CH_WALK_DONE;
	return (k->top || k->from_native) && leave_stub(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
}

/*
 * One frame of the code cache. CH_WALK_DONE: go on; CH_WALK_NATIVE: an entry frame was passed, go
 * on; all others end the walk.
 */
static enum ch_walk_end step(struct walker *k, bool *ret_last)
{
	const struct ch_blob b = *blob_of(k, k->r.pc);
	unsigned first;

	if (!b.at)
		return CH_WALK_BAD_PC;
	switch (b.kind) {
	case CH_BLOB_NMETHOD:
		first = k->w->n;
		if (!push_compiled(k, &b))
			return CH_WALK_TRUNCATED;
		if (!k->top)
			remember(k, &b, first);
		if (k->top || k->from_native)
			k->r.sp += ch_frame_call_bytes(k->r.pc);
		return leave_compiled(k, &b) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
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
		if (k->w->native && !push(k, ch_frame_addr(CH_FRAME_NATIVE, k->r.pc)))
			return CH_WALK_TRUNCATED;
		return leave_stub(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
	case CH_BLOB_FRAMELESS:
		return k->top && return_from_leaf(k) ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
	default:
		return step_other(k, &b);
	}
}

static enum ch_walk_end walk_java(struct walker *k)
{
	bool last = false;
	uint64_t sp = 0;

	while (!last) {
		enum ch_walk_end end;

		if (!on_stack(k, k->r.sp) || (sp && k->r.sp < sp))
			return CH_WALK_BAD_SP;
		sp = k->r.sp;
		if (step_known(k))
			continue;
		end = step(k, &last);
		if (end != CH_WALK_DONE)
			return end;
		k->top = k->from_native = false;
		k->r.lr = 0;
	}
	return CH_WALK_DONE;
}

/*
 * Native frames, up to `limit` (where Java was left) or to code of the JVM. Afterwards pc is that
 * code, or 0.
 */
static void walk_native(struct walker *k, uint64_t limit)
{
	for (unsigned i = 0; i < NATIVE_MAX; i++) {
		if (k->w->thread && ch_vm_is_code(k->vm, k->r.pc))
			return;
		/* The call, not what follows it, which may be another function. */
		if (k->w->native && !push(k, ch_frame_addr(CH_FRAME_NATIVE, k->r.pc - k->r.caller)))
			return;
		k->top = false;
		k->from_native = true;
		if (ch_unwind_step_sig(k->w->libs.libs, k->w->libs.n, &k->r, k->low, k->high) <=
		        0 ||
		    (limit && k->r.sp > limit))
			break;
	}
	k->r.pc = 0;
}

/*
 * On aarch64 the VM itself calls generated leaf routines, for its atomic operations: their caller
 * is native, and only the link register knows it.
 */
static void leave_native_leaf(struct walker *k)
{
	uint64_t lr = ch_arch_code(k->r.lr);

	if (!lr || !ch_vm_is_code(k->vm, k->r.pc) || ch_vm_is_code(k->vm, lr) ||
	    blob_of(k, k->r.pc)->kind != CH_BLOB_STUBS || word(k->r.fp, 1) == k->r.lr)
		return;
	if (k->w->native && !push(k, ch_frame_addr(CH_FRAME_NATIVE, k->r.pc)))
		return;
	k->r.pc = lr;
	k->r.lr = 0;
	k->r.caller = true;
}

static enum ch_walk_end walk_from(struct walker *k, const struct ch_regs *regs)
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
	struct walker k = { .w = w, .vm = w->vm };

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
