#include "sys/peek.h"
#include "sys/unwind_table.h"

struct ch_unwind_libs ch_unwind_enter_sig(struct ch_unwind *u)
{
	struct ch_unwind_shared *shared = (struct ch_unwind_shared *)u;
	const struct ch_unwind_list *list;

	/* First counted, then looked: the order in which ch_unwind_refresh checks. */
	atomic_fetch_add(&shared->handlers, 1);
	list = atomic_load(&shared->list);
	return list ? (struct ch_unwind_libs){ list->n, list->libs } : (struct ch_unwind_libs){ 0 };
}

void ch_unwind_leave_sig(struct ch_unwind *u)
{
	atomic_fetch_sub(&((struct ch_unwind_shared *)u)->handlers, 1);
}

struct stack {
	uint64_t low, high;
};

/*
 * The word at an address of the stack, 0 where nothing is mapped: how far the stack of a thread
 * goes that the VM does not know is a guess, and a frame pointer may be any number.
 */
static bool load(const struct stack *s, uint64_t at, uint64_t *ret)
{
	if (at < s->low || at >= s->high || s->high - at < sizeof(*ret) || at % sizeof(*ret))
		return false;
	*ret = ch_peek64(at, 0);
	return true;
}

static uint32_t rule_at(const struct ch_unwind_table *t, uint64_t addr)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->rows[mid].pc <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? t->rows[low - 1].rule : CH_RULE_UNKNOWN;
}

static uint32_t find_rule(const struct ch_unwind_lib *libs, size_t n, uint64_t pc)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (pc < libs[mid].start)
			high = mid;
		else if (pc >= libs[mid].end)
			low = mid + 1;
		else
			return rule_at(libs[mid].table, pc - libs[mid].bias);
	}
	return CH_RULE_UNKNOWN;
}

/* Makes the caller's registers those of the walk; the stack only ever shrinks. */
static int go(struct ch_regs *r, uint64_t pc, uint64_t sp, uint64_t fp, int how)
{
	pc = ch_arch_code(pc);
	if (sp < r->sp || (sp == r->sp && r->caller))
		return -1;
	if (!pc)
		return CH_UNWIND_END;
	*r = (struct ch_regs){ .pc = pc, .sp = sp, .fp = fp, .caller = true };
	return how;
}

static int step_by_frame_pointer(struct ch_regs *r, const struct stack *s)
{
	uint64_t fp, pc;
	int step;

	if (r->fp < r->sp || !load(s, r->fp, &fp) || !load(s, r->fp + 8, &pc))
		return r->fp ? -1 : CH_UNWIND_END;
	step = go(r, pc, r->fp + 16, fp, CH_UNWIND_FRAME);
	if (step == CH_UNWIND_FRAME)
		r->sp_low = !CH_ARCH_FP_ENDS_FRAME;
	return step;
}

static int step_by_rule(struct ch_regs *r, const struct stack *s, uint32_t rule)
{
	uint64_t cfa = (ch_rule_base(rule) == CH_RULE_SP ? r->sp : r->fp) + ch_rule_cfa(rule);
	uint64_t saved = cfa - ch_rule_save(rule);
	unsigned ra = ch_rule_ra(rule);
	uint64_t fp = r->fp, pc = r->lr;
	bool ok = true;
	/* At the end of a function it is popped already, and its place may be overwritten. */
	bool popped = !ch_rule_save(rule) || saved < r->sp;

	if (!popped && ra != CH_RULE_RA_ALONE)
		ok = load(s, saved, &fp);
	if (CH_ARCH_RA_PUSHED)
		ok = ok && load(s, cfa - 8, &pc);
	else if (popped || ra == CH_RULE_RA_REGISTER)
		ok = ok && !r->caller; /* the register holds the address of the last call only */
	else
		ok = ok && load(s, ra == CH_RULE_RA_ALONE ? saved : saved + 8, &pc);
	return ok ? go(r, pc, cfa, fp, CH_UNWIND_TABLE) : -1;
}

int ch_unwind_step_sig(const struct ch_unwind_lib *libs, size_t n, struct ch_regs *regs,
                       uint64_t stack_low, uint64_t stack_high)
{
	struct stack s = { stack_low, stack_high };
	uint32_t rule = find_rule(libs, n, regs->pc - regs->caller);

	/* Without a stack pointer to count from there is only the frame pointer. */
	if (regs->sp_low && ch_rule_base(rule) == CH_RULE_SP)
		rule = CH_RULE_UNKNOWN;
	switch (ch_rule_base(rule)) {
	case CH_RULE_END:
		return CH_UNWIND_END;
	case CH_RULE_UNKNOWN:
		return step_by_frame_pointer(regs, &s);
	default:
		return step_by_rule(regs, &s, rule);
	}
}
