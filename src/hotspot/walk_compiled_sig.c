#include "hotspot/frame_arch.h"
#include "hotspot/walk_steps.h"

bool ch_walker_push_method(struct ch_walker *k, enum ch_frame_kind kind, uint64_t method, int bci)
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
	return ch_walker_push(
	    k,
	    ch_frame_java(kind, what,
	                  bci < 0 || bci >= CH_FRAME_BCI_NONE ? CH_FRAME_BCI_NONE : (unsigned)bci));
}

static bool push_compiled(struct ch_walker *k, const struct ch_blob *b)
{
	struct ch_scope s = ch_scope_find(k->vm, b, k->r.pc, !k->top);
	uint8_t level = ch_peek8(b->at + (uint64_t)k->vm->nm_comp_level, 0);
	enum ch_frame_kind kind = level >= 1 && level <= 3 ? CH_FRAME_C1 : CH_FRAME_COMPILED;
	uint64_t method;
	int bci;

	if (!s.offset)
		return ch_walker_push_method(k, kind,
		                             ch_peek64(b->at + (uint64_t)k->vm->nm_method, 0), -1);
	while (ch_scope_next(k->vm, &s, &method, &bci))
		if (!ch_walker_push_method(k, s.offset ? CH_FRAME_INLINED : kind, method, bci))
			return false;
	return true;
}

static bool in_prologue(const struct ch_blob *b, uint64_t pc)
{
	return pc < b->code + (uint64_t)b->frame_complete;
}

/* A place in compiled code always stands for the same frames. */
static void remember(struct ch_walker *k, const struct ch_blob *b, unsigned first)
{
	unsigned n = k->w->n - first;
	struct ch_pc_entry e = { .pc = k->top ? ch_pc_interrupted(k->r.pc) : k->r.pc,
		                 .blob = b->at,
		                 .epoch = k->w->epoch,
		                 .frame_words = (uint16_t)b->frame_words,
		                 .n = (uint8_t)n,
		                 .in_prologue = in_prologue(b, k->r.pc) };

	if (!k->w->cache || !n || n > CH_PC_CACHE_FRAMES || b->frame_words < 2 ||
	    b->frame_words > UINT16_MAX)
		return;
	for (unsigned i = 0; i < n; i++)
		e.frames[i] = k->w->frames[first + i];
	ch_pc_cache_put(k->w->cache, k->vm, &e);
}

/* What is known about a place, when there is room for its frames. */
static bool recall(const struct ch_walker *k, uint64_t pc, struct ch_pc_entry *ret)
{
	return k->w->cache && ch_pc_cache_get(k->w->cache, k->vm, pc, k->w->epoch, ret) &&
	       k->w->n + ret->n <= k->w->max;
}

static void push_known(struct ch_walker *k, const struct ch_pc_entry *e)
{
	for (unsigned i = 0; i < e->n; i++)
		k->w->frames[k->w->n++] = e->frames[i];
}

bool ch_walker_step_known(struct ch_walker *k)
{
	struct ch_pc_entry e;
	uint64_t end, pc;

	if (k->top || !recall(k, k->r.pc, &e))
		return false;
	end = k->r.sp + e.frame_words * UINT64_C(8);
	if (k->from_native)
		end += ch_frame_call_bytes(k->r.pc);
	if (!ch_walker_on_stack(k, end - 8))
		return false;
	pc = ch_arch_code(ch_walker_word(end, -1));
	if (!ch_vm_is_code(k->vm, pc))
		return false;
	push_known(k, &e);
	k->r.pc = pc;
	k->r.sp = end;
	k->r.fp = ch_walker_word(end, -2);
	k->from_native = false;
	return true;
}

/* Before the frame is built, or after it was taken down. */
static bool leave_part(struct ch_walker *k, int32_t words, bool prologue)
{
	uint64_t sp = k->r.sp;

	switch (ch_frame_state(k->r.pc, prologue)) {
	case CH_FRAME_BARE:
		return ch_walker_return_leaf(k);
	case CH_FRAME_LINKED:
		if (!ch_walker_return(k, sp + 8, true))
			return false;
		k->r.fp = ch_walker_word(sp, 0);
		return true;
	case CH_FRAME_HOLLOW:
		k->r.sp += (uint64_t)words * 8;
		if (ch_walker_on_stack(k, k->r.sp) && ch_walker_return_leaf(k))
			return true;
		k->r.sp = sp;
		return false;
	default:
		return false;
	}
}

static enum ch_walk_end leave_compiled(struct ch_walker *k, int32_t words, bool prologue)
{
	bool left;

	if (k->top || k->from_native)
		k->r.sp += ch_frame_call_bytes(k->r.pc);
	left = (k->top && leave_part(k, words, prologue)) || ch_walker_return_frame(k, words) ||
	       (k->top && ch_walker_return_leaf(k));
	return left ? CH_WALK_DONE : CH_WALK_BAD_FRAME;
}

bool ch_walker_step_known_top(struct ch_walker *k, enum ch_walk_end *ret)
{
	struct ch_pc_entry e;

	/*
	 * Code that was freed keeps its compile_id until the room is used up. Nobody returns there,
	 * but what came after it may have an instruction at the same place.
	 */
	if (!k->top || !recall(k, ch_pc_interrupted(k->r.pc), &e) || !ch_blob_in_use(k->vm, e.blob))
		return false;
	push_known(k, &e);
	*ret = leave_compiled(k, e.frame_words, e.in_prologue);
	return true;
}

enum ch_walk_end ch_walker_step_compiled(struct ch_walker *k, const struct ch_blob *b)
{
	unsigned first = k->w->n;

	if (!push_compiled(k, b))
		return CH_WALK_TRUNCATED;
	remember(k, b, first);
	return leave_compiled(k, b->frame_words, in_prologue(b, k->r.pc));
}
