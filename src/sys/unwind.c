#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "sys/eh.h"
#include "sys/unwind_table.h"

/* Between two functions there is padding where nothing runs; only a larger hole gets a row. */
#define HOLE_MIN 64
/* The frames of a large library pass through memory piece by piece. */
#define RELEASE_EVERY 8192

/* --- the state that a program of .eh_frame changes --------------------------------------------- */

enum { SAVE_SAME, SAVE_AT, SAVE_UNDEFINED, SAVE_OTHER };

struct save {
	int how;
	int64_t offset; /* from the CFA */
};

struct state {
	uint64_t cfa_register; /* CFA_EXPRESSION and CFA_PLT are no registers */
	int64_t cfa_offset;
	struct save fp, ra;
};

#define CFA_EXPRESSION UINT64_MAX
#define STATES_MAX     8 /* remembered at a time */

struct run {
	const struct ch_eh_function *f;
	struct state now, initial, remembered[STATES_MAX];
	size_t n_remembered;
	uint64_t pc;
	bool lost; /* something was not understood: nothing is known from here on */
};

static bool in_words(int64_t bytes)
{
	return bytes >= 0 && bytes % 8 == 0 && bytes / 8 <= CH_RULE_WORDS_MAX;
}

/* How the return address is found, or -1 when a rule cannot say it. Changes *saved if need be. */
static int pack_ra(const struct state *s, int64_t *saved)
{
	if (CH_ARCH_RA_PUSHED)
		return s->ra.how == SAVE_AT && s->ra.offset == -8 ? CH_RULE_RA_REGISTER : -1;
	if (s->ra.how == SAVE_SAME)
		return CH_RULE_RA_REGISTER;
	if (s->ra.how != SAVE_AT)
		return -1;
	if (s->fp.how == SAVE_AT)
		return s->ra.offset == s->fp.offset + 8 ? CH_RULE_RA_ABOVE_FP : -1;
	*saved = -s->ra.offset;
	return CH_RULE_RA_ALONE;
}

static uint32_t pack(const struct run *r)
{
	const struct state *s = &r->now;
	int64_t saved = s->fp.how == SAVE_AT ? -s->fp.offset : 0;
	unsigned base = s->cfa_register == CH_ARCH_SP   ? CH_RULE_SP
	                : s->cfa_register == CH_ARCH_FP ? CH_RULE_FP
	                                                : CH_RULE_UNKNOWN;
	int ra;

	if (!r->lost && s->ra.how == SAVE_UNDEFINED)
		return CH_RULE_END;
	ra = pack_ra(s, &saved);
	if (r->lost || !base || ra < 0 || s->fp.how == SAVE_OTHER || !in_words(s->cfa_offset) ||
	    !in_words(saved))
		return CH_RULE_UNKNOWN;
	return ch_rule(base, (unsigned)ra, (uint32_t)(s->cfa_offset / 8), (uint32_t)(saved / 8));
}

/* --- rows -------------------------------------------------------------------------------------- */

struct rows {
	struct ch_unwind_row *rows;
	size_t n, cap, max_bytes;
	uint64_t end; /* of the last function */
	int err;
};

static void add_row(struct rows *t, uint64_t pc, uint32_t rule)
{
	struct ch_unwind_row *last = t->n ? &t->rows[t->n - 1] : NULL;

	if (t->err || pc > UINT32_MAX || (last && (last->rule == rule || pc < last->pc)))
		return;
	if (last && last->pc == pc) {
		last->rule = rule;
		return;
	}
	if ((t->n + 1) * sizeof(*t->rows) > t->max_bytes)
		t->err = -E2BIG;
	else if (CH_ROOM(t->rows, t->cap, t->n + 1) < 0)
		t->err = -ENOMEM;
	else
		t->rows[t->n++] = (struct ch_unwind_row){ (uint32_t)pc, rule };
}

/* --- programs ---------------------------------------------------------------------------------- */

static struct save *save_of(struct state *s, uint64_t reg)
{
	return reg == CH_ARCH_FP ? &s->fp : reg == CH_ARCH_RA ? &s->ra : NULL;
}

static void set_save(struct run *r, uint64_t reg, int how, int64_t offset)
{
	struct save *save = save_of(&r->now, reg);

	if (save)
		*save = (struct save){ how, offset };
}

static void restore(struct run *r, uint64_t reg)
{
	struct save *save = save_of(&r->now, reg), *initial = save_of(&r->initial, reg);

	if (save)
		*save = *initial;
}

static int64_t factored(const struct run *r, int64_t v)
{
	int64_t offset;

	return __builtin_mul_overflow(v, r->f->common.data_factor, &offset) ? INT64_MIN : offset;
}

/*
 * The table that lazy binding jumps through has one expression for all its entries: the stack
 * pointer plus 8, or 16 in the last bytes of an entry. It is taken as plus 8.
 */
static void cfa_expression(struct run *r, struct ch_cursor *c)
{
	struct ch_cursor expr = ch_cursor_sub(c, ch_cursor_varint(c));
	static const uint8_t plt[] = { 0x77, 0x08, 0x80, 0x00 }; /* rsp + 8, rip … */

	r->now.cfa_register = CFA_EXPRESSION;
	if (CH_ARCH_RA_PUSHED && ch_cursor_left(&expr) > sizeof(plt) &&
	    !memcmp(expr.p, plt, sizeof(plt))) {
		r->now.cfa_register = CH_ARCH_SP;
		r->now.cfa_offset = 8;
	}
}

static void advance(struct run *r, struct rows *t, uint64_t by)
{
	uint64_t step;

	if (__builtin_mul_overflow(by, r->f->common.code_factor, &step) ||
	    step > r->f->start + r->f->size - r->pc) {
		r->lost = true;
		return;
	}
	add_row(t, r->pc, pack(r));
	r->pc += step;
}

static void remember(struct run *r)
{
	if (r->n_remembered == STATES_MAX)
		r->lost = true;
	else
		r->remembered[r->n_remembered++] = r->now;
}

static void recall(struct run *r)
{
	if (!r->n_remembered)
		r->lost = true;
	else
		r->now = r->remembered[--r->n_remembered];
}

static void define_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	r->now.cfa_register = reg;
	r->now.cfa_offset = offset;
}

/* Operations without an operand in their first byte; names are those of DWARF. */
static void one_operation(struct run *r, struct rows *t, struct ch_cursor *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case 0x00: /* nop */
	case 0x2d: /* negate_ra_state */
		break;
	case 0x02: /* advance_loc1 */
	case 0x03:
	case 0x04:
		advance(r, t, ch_eh_le(c, 1u << (op - 2)));
		break;
	case 0x05: /* offset_extended */
		reg = ch_cursor_varint(c);
		set_save(r, reg, SAVE_AT, factored(r, (int64_t)ch_cursor_varint(c)));
		break;
	case 0x06: /* restore_extended */
		restore(r, ch_cursor_varint(c));
		break;
	case 0x07: /* undefined */
		set_save(r, ch_cursor_varint(c), SAVE_UNDEFINED, 0);
		break;
	case 0x08: /* same_value */
		set_save(r, ch_cursor_varint(c), SAVE_SAME, 0);
		break;
	case 0x09: /* register */
		set_save(r, ch_cursor_varint(c), SAVE_OTHER, 0);
		(void)ch_cursor_varint(c);
		break;
	case 0x0a: /* remember_state */
		remember(r);
		break;
	case 0x0b: /* restore_state */
		recall(r);
		break;
	case 0x0c: /* def_cfa */
		reg = ch_cursor_varint(c);
		define_cfa(r, reg, (int64_t)ch_cursor_varint(c));
		break;
	case 0x0d: /* def_cfa_register */
		r->now.cfa_register = ch_cursor_varint(c);
		break;
	case 0x0e: /* def_cfa_offset */
		r->now.cfa_offset = (int64_t)ch_cursor_varint(c);
		break;
	case 0x0f: /* def_cfa_expression */
		cfa_expression(r, c);
		break;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		set_save(r, ch_cursor_varint(c), SAVE_OTHER, 0);
		(void)ch_cursor_sub(c, ch_cursor_varint(c));
		break;
	case 0x11: /* offset_extended_sf */
		reg = ch_cursor_varint(c);
		set_save(r, reg, SAVE_AT, factored(r, ch_eh_sleb(c)));
		break;
	case 0x12: /* def_cfa_sf */
		reg = ch_cursor_varint(c);
		define_cfa(r, reg, factored(r, ch_eh_sleb(c)));
		break;
	case 0x13: /* def_cfa_offset_sf */
		r->now.cfa_offset = factored(r, ch_eh_sleb(c));
		break;
	case 0x14: /* val_offset */
	case 0x15: /* val_offset_sf */
		set_save(r, ch_cursor_varint(c), SAVE_OTHER, 0);
		(void)ch_eh_sleb(c);
		break;
	case 0x2e: /* GNU_args_size */
		(void)ch_cursor_varint(c);
		break;
	default:
		r->lost = true;
	}
}

static void execute(struct run *r, struct rows *t, struct ch_cursor c)
{
	while (ch_cursor_left(&c) && !r->lost) {
		uint8_t op = ch_cursor_u8(&c);

		switch (op >> 6) {
		case 1: /* advance_loc */
			advance(r, t, op & 0x3f);
			break;
		case 2: /* offset */
			set_save(r, op & 0x3f, SAVE_AT, factored(r, (int64_t)ch_cursor_varint(&c)));
			break;
		case 3: /* restore */
			restore(r, op & 0x3f);
			break;
		default:
			one_operation(r, t, &c, op);
		}
	}
	r->lost |= c.bad;
}

static void add_function(struct rows *t, const struct ch_eh_function *f)
{
	struct run r = { .f = f, .pc = f->start, .now.cfa_register = CFA_EXPRESSION };

	if (f->start < t->end)
		return; /* out of order: the list is damaged */
	if (t->n && f->start - t->end >= HOLE_MIN)
		add_row(t, t->end, CH_RULE_UNKNOWN);
	execute(&r, t, f->common.program);
	r.initial = r.now;
	execute(&r, t, f->program);
	add_row(t, r.pc, pack(&r));
	t->end = f->start + f->size;
}

/* --- tables ------------------------------------------------------------------------------------ */

static int make_table(const struct rows *rows, struct ch_unwind_table **ret)
{
	size_t bytes = sizeof(struct ch_unwind_table) + rows->n * sizeof(*rows->rows);
	struct ch_unwind_table *t;

	t = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED)
		return -errno;
	t->bytes = bytes;
	t->n = rows->n;
	memcpy(t->rows, rows->rows, rows->n * sizeof(*rows->rows));
	*ret = t;
	return 0;
}

int ch_unwind_build_elf(const struct ch_elf *e, size_t max_bytes, struct ch_unwind_table **ret,
                        struct ch_error *err)
{
	struct rows rows = { .max_bytes = max_bytes };
	struct ch_eh_function f;
	struct ch_eh eh;
	int r;

	if (!ch_eh_open(e, &eh))
		return ch_fail(err, -ENODATA, "there is no call frame information");
	for (size_t i = 0; i < eh.n && !rows.err; i++) {
		if (i % RELEASE_EVERY == RELEASE_EVERY - 1)
			ch_elf_release(e);
		if (ch_eh_function(&eh, i, &f))
			add_function(&rows, &f);
	}
	add_row(&rows, rows.end, CH_RULE_UNKNOWN);
	r = rows.err;
	if (r >= 0)
		r = rows.n ? make_table(&rows, ret) : -ENODATA;
	free(rows.rows);
	return r < 0 ? ch_fail(err, r, "call frame information: %m") : 0;
}

int ch_unwind_build(const char *path, size_t max_bytes, struct ch_unwind_table **ret,
                    struct ch_error *err)
{
	struct ch_elf e = { 0 };
	int r = ch_elf_open(path, &e, err);

	if (r < 0)
		return r;
	r = ch_unwind_build_elf(&e, max_bytes, ret, err);
	ch_elf_done(&e);
	return r;
}

void ch_unwind_table_free(struct ch_unwind_table *t)
{
	if (t)
		munmap(t, t->bytes);
}

size_t ch_unwind_table_bytes(const struct ch_unwind_table *t)
{
	return t->bytes;
}

size_t ch_unwind_table_rows(const struct ch_unwind_table *t)
{
	return t->n;
}
