#include "jfr/plan.h"
#include "base/vec.h"

/* Structs of the JDK nest two deep; a type that contains itself ends here. */
#define DEPTH_MAX 8
/* Crafted types can multiply with each level: no more fields than this are looked at. */
#define FIELDS_MAX     4096
#define PATH_MAX_BYTES 256

enum op {
	OP_END,
	OP_SKIP_INTS, /* n of them */
	OP_SKIP_BYTES,
	OP_SKIP_STRING,
	OP_SKIP_ARRAY, /* of `item` */
	OP_KEEP_INT,
	OP_KEEP_BYTE,
	OP_KEEP_FLOAT,
	OP_KEEP_DOUBLE,
	OP_KEEP_ADDRESS, /* moves nothing; what skips the value follows */
};

struct ch_jfr_step {
	uint8_t op, slot;
	uint32_t n;
	const struct ch_jfr_plan *item;
};

struct compiler {
	struct ch_jfr_types *types;
	const struct ch_jfr_keep *keep;
	size_t n_keep;
	struct ch_jfr_step *steps;
	size_t n, cap, n_needed; /* n_needed: up to the last step that keeps something */
	size_t *budget;          /* fields that may still be met, over all nested plans */
	uint32_t kept;
	char path[PATH_MAX_BYTES];
};

static const struct ch_jfr_plan *compile(struct compiler *c, const struct ch_jfr_type *type,
                                         bool whole, unsigned depth);

static bool add(struct compiler *c, struct ch_jfr_step s)
{
	bool adds_up = s.op == OP_SKIP_INTS || s.op == OP_SKIP_BYTES;

	if (adds_up && c->n && c->steps[c->n - 1].op == s.op) {
		c->steps[c->n - 1].n += s.n;
		return true;
	}
	if (CH_ROOM(c->steps, c->cap, c->n + 1) < 0) {
		c->types->no_memory = true;
		return false;
	}
	c->steps[c->n++] = s;
	if (s.op >= OP_KEEP_INT)
		c->n_needed = c->n;
	return true;
}

static const struct ch_jfr_keep *kept(const struct compiler *c)
{
	for (size_t i = 0; i < c->n_keep; i++)
		if (!strcmp(c->keep[i].path, c->path))
			return &c->keep[i];
	return NULL;
}

/* An item type that is nothing but one varint: keys of pools. */
static const struct ch_jfr_plan one_int = { .n_ints = 1 };

static bool add_array(struct compiler *c, const struct ch_jfr_field *f,
                      const struct ch_jfr_type *type, unsigned depth)
{
	struct compiler inner = { .types = c->types, .budget = c->budget };
	const struct ch_jfr_plan *item = f->pooled ? &one_int : NULL;

	if (!item && type)
		item = compile(&inner, type, true, depth + 1);
	return item && add(c, (struct ch_jfr_step){ .op = OP_SKIP_ARRAY, .item = item });
}

static bool add_struct(struct compiler *c, const struct ch_jfr_type *type, unsigned depth);

static bool add_plain(struct compiler *c, enum ch_jfr_shape shape, const struct ch_jfr_keep *k)
{
	static const struct {
		uint8_t skip, keep;
		uint32_t n;
	} ops[] = {
		[CH_JFR_BYTE] = { OP_SKIP_BYTES, OP_KEEP_BYTE, 1 },
		[CH_JFR_INT] = { OP_SKIP_INTS, OP_KEEP_INT, 1 },
		[CH_JFR_FLOAT] = { OP_SKIP_BYTES, OP_KEEP_FLOAT, 4 },
		[CH_JFR_DOUBLE] = { OP_SKIP_BYTES, OP_KEEP_DOUBLE, 8 },
	};

	return add(c, (struct ch_jfr_step){ .op = k ? ops[shape].keep : ops[shape].skip,
	                                    .slot = k ? (uint8_t)k->slot : 0,
	                                    .n = ops[shape].n });
}

static bool add_field(struct compiler *c, const struct ch_jfr_field *f, unsigned depth)
{
	const struct ch_jfr_type *type = ch_jfr_type_by_id(c->types, f->type_id);
	const struct ch_jfr_keep *k = kept(c);

	if (!*c->budget)
		return false;
	--*c->budget;
	if (k)
		c->kept |= 1u << k->slot;
	if (!f->array && f->pooled)
		return add_plain(c, CH_JFR_INT, k);
	if (!f->array && type && type->shape == CH_JFR_STRUCT)
		return depth < DEPTH_MAX && add_struct(c, type, depth + 1);
	if (!f->array && type && type->shape != CH_JFR_STRING)
		return add_plain(c, type->shape, k);
	if (k && !add(c, (struct ch_jfr_step){ .op = OP_KEEP_ADDRESS, .slot = (uint8_t)k->slot }))
		return false;
	if (f->array)
		return add_array(c, f, type, depth);
	return type && add(c, (struct ch_jfr_step){ .op = OP_SKIP_STRING });
}

static bool add_struct(struct compiler *c, const struct ch_jfr_type *type, unsigned depth)
{
	size_t prefix = strlen(c->path);

	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct ch_jfr_field *f = &c->types->fields[type->first_field + i];
		size_t room = sizeof(c->path) - prefix - 2;
		size_t n = f->name.n < room ? f->name.n : room, at = prefix;
		bool ok;

		if (prefix)
			c->path[at++] = '.';
		memcpy(c->path + at, f->name.s, n);
		c->path[at + n] = 0;
		ok = add_field(c, f, depth);
		c->path[prefix] = 0;
		if (!ok)
			return false;
	}
	return true;
}

/* A value that is no struct: an item of an array, or the only thing in a pool. */
static bool add_value(struct compiler *c, const struct ch_jfr_type *type, unsigned depth)
{
	if (type->shape == CH_JFR_STRUCT)
		return add_struct(c, type, depth);
	if (type->shape == CH_JFR_STRING)
		return add(c, (struct ch_jfr_step){ .op = OP_SKIP_STRING });
	return add_plain(c, type->shape, NULL);
}

static const struct ch_jfr_plan *finish(struct compiler *c, bool whole)
{
	size_t n = whole ? c->n : c->n_needed;
	struct ch_jfr_plan *plan = ch_arena_alloc(&c->types->arena, sizeof(*plan));
	struct ch_jfr_step *steps = ch_arena_alloc(&c->types->arena, (n + 1) * sizeof(*c->steps));

	if (!plan || !steps) {
		c->types->no_memory = true;
		return NULL;
	}
	if (n)
		memcpy(steps, c->steps, n * sizeof(*steps));
	steps[n] = (struct ch_jfr_step){ .op = OP_END };
	*plan = (struct ch_jfr_plan){ .steps = steps, .kept = c->kept, .empty = !n };
	if (n == 1 && steps[0].op == OP_SKIP_INTS)
		plan->n_ints = steps[0].n;
	if (n == 1 && steps[0].op == OP_SKIP_BYTES)
		plan->n_bytes = steps[0].n;
	return plan;
}

static const struct ch_jfr_plan *compile(struct compiler *c, const struct ch_jfr_type *type,
                                         bool whole, unsigned depth)
{
	const struct ch_jfr_plan *plan = NULL;
	bool ok = depth <= DEPTH_MAX && add_value(c, type, depth);

	/* What cannot be read does not matter behind the last field that is kept. */
	if (ok || (!whole && c->n_needed))
		plan = finish(c, whole);
	free(c->steps);
	return plan;
}

const struct ch_jfr_plan *ch_jfr_plan_new(struct ch_jfr_types *t, const struct ch_jfr_type *type,
                                          const struct ch_jfr_keep *keep, size_t n_keep, bool whole)
{
	size_t budget = FIELDS_MAX;
	struct compiler c = { .types = t, .keep = keep, .n_keep = n_keep, .budget = &budget };

	return compile(&c, type, whole, 0);
}

static void skip_array(struct ch_cursor *c, const struct ch_jfr_plan *item)
{
	ch_jfr_plan_skip(item, c, ch_jfr_varint(c));
}

static uint64_t float_bits(struct ch_cursor *c)
{
	uint32_t bits = (uint32_t)ch_cursor_be(c, 4);
	uint64_t wide;
	float f;
	double d;

	memcpy(&f, &bits, sizeof(f));
	d = f;
	memcpy(&wide, &d, sizeof(wide));
	return wide;
}

void ch_jfr_plan_run(const struct ch_jfr_plan *plan, struct ch_cursor *c, uint64_t *slots)
{
	for (const struct ch_jfr_step *s = plan->steps;; s++) {
		switch ((enum op)s->op) {
		case OP_END:
			return;
		case OP_SKIP_INTS:
			ch_jfr_skip_varints(c, s->n);
			break;
		case OP_SKIP_BYTES:
			(void)ch_cursor_take(c, s->n);
			break;
		case OP_SKIP_STRING:
			ch_jfr_text_skip(c);
			break;
		case OP_SKIP_ARRAY:
			skip_array(c, s->item);
			break;
		case OP_KEEP_INT:
			slots[s->slot] = ch_jfr_varint(c);
			break;
		case OP_KEEP_BYTE:
			slots[s->slot] = ch_cursor_u8(c);
			break;
		case OP_KEEP_FLOAT:
			slots[s->slot] = float_bits(c);
			break;
		case OP_KEEP_DOUBLE:
			slots[s->slot] = ch_cursor_be(c, 8);
			break;
		case OP_KEEP_ADDRESS:
			slots[s->slot] = (uintptr_t)c->p;
			break;
		}
	}
}

void ch_jfr_plan_skip(const struct ch_jfr_plan *plan, struct ch_cursor *c, uint64_t n)
{
	uint64_t unused[CH_JFR_SLOTS], size = plan->n_ints ? plan->n_ints : plan->n_bytes;

	if (plan->empty || !n)
		return;
	/* Every value takes a byte at least: more of them than bytes is damage, not work. */
	if (n > ch_cursor_left(c) || (size && n > ch_cursor_left(c) / size)) {
		ch_cursor_fail(c);
		return;
	}
	if (plan->n_ints) {
		ch_jfr_skip_varints(c, n * size);
	} else if (plan->n_bytes) {
		(void)ch_cursor_take(c, n * size);
	} else {
		for (; n && !c->bad; n--)
			ch_jfr_plan_run(plan, c, unused);
	}
}
