#include "jfr/types.h"
#include "base/vec.h"

#include <errno.h>

/* Metadata is a tree of elements; those of the JDK are five deep. */
#define DEPTH_MAX 16
#define TEXT_MAX  ((size_t)64 << 20)
/* Texts and plans take this much and so many times the bytes of the metadata, at most. */
#define ARENA_MIN   ((size_t)16 << 20)
#define ARENA_RATIO ((size_t)32)

/* Reads the metadata's own strings and the tree that refers to them by number. */
struct reader {
	struct ch_jfr_types *types;
	struct ch_cursor c;
	struct ch_span *strings;
	uint64_t n_strings;
	unsigned class_depth; /* of the class whose fields are read, 0 outside */
};

/* The attributes that matter, of whatever element. */
struct attributes {
	struct ch_span id, name, type, pooled, dimension, value;
};

static int read_strings(struct reader *r)
{
	struct ch_buf scratch = CH_BUF(TEXT_MAX);

	r->n_strings = ch_jfr_varint(&r->c);
	if (r->n_strings > ch_cursor_left(&r->c))
		return -EBADMSG;
	r->strings = ch_arena_alloc(&r->types->arena, (r->n_strings + 1) * sizeof(*r->strings));
	if (!r->strings)
		return -ENOMEM;
	for (uint64_t i = 0; i < r->n_strings; i++) {
		struct ch_span t;

		if (ch_jfr_text_read(&r->c, &scratch, &t, NULL) > CH_JFR_UTF8)
			t.s = ch_arena_strndup(&r->types->arena, t.s, t.n);
		r->strings[i] = t.s ? t : CH_NO_SPAN;
	}
	ch_buf_done(&scratch);
	return r->c.bad ? -EBADMSG : 0;
}

static struct ch_span string(struct reader *r)
{
	uint64_t i = ch_jfr_varint(&r->c);

	if (i < r->n_strings)
		return r->strings[i];
	ch_cursor_fail(&r->c);
	return CH_NO_SPAN;
}

static struct attributes read_attributes(struct reader *r)
{
	const struct ch_span none = { "", 0 };
	struct attributes a = { none, none, none, none, none, none };
	uint64_t n = ch_jfr_varint(&r->c);

	for (; n && !r->c.bad; n--) {
		struct ch_span key = string(r), value = string(r);

		if (ch_span_is(key, "id"))
			a.id = value;
		else if (ch_span_is(key, "name"))
			a.name = value;
		else if (ch_span_is(key, "class"))
			a.type = value;
		else if (ch_span_is(key, "constantPool"))
			a.pooled = value;
		else if (ch_span_is(key, "dimension"))
			a.dimension = value;
		else if (ch_span_is(key, "value"))
			a.value = value;
	}
	return a;
}

static enum ch_jfr_shape shape_of(struct ch_span name)
{
	static const struct {
		const char *name;
		enum ch_jfr_shape shape;
	} plain[] = {
		{ "boolean", CH_JFR_BYTE },
		{ "byte", CH_JFR_BYTE },
		{ "short", CH_JFR_INT },
		{ "char", CH_JFR_INT },
		{ "int", CH_JFR_INT },
		{ "long", CH_JFR_INT },
		{ "float", CH_JFR_FLOAT },
		{ "double", CH_JFR_DOUBLE },
		{ "java.lang.String", CH_JFR_STRING },
	};

	for (size_t i = 0; i < CH_LEN(plain); i++)
		if (ch_span_is(name, plain[i].name))
			return plain[i].shape;
	return CH_JFR_STRUCT;
}

static int add_class(struct ch_jfr_types *t, const struct attributes *a)
{
	if (CH_ROOM(t->items, t->cap, t->n + 1) < 0)
		return -ENOMEM;
	t->items[t->n++] = (struct ch_jfr_type){
		.id = (uint64_t)ch_span_number(a->id),
		.name = a->name,
		.shape = shape_of(a->name),
		.first_field = (uint32_t)t->n_fields,
		.first_remark = (uint32_t)t->n_remarks,
	};
	return ch_jfr_idmap_put(&t->by_id, (uint64_t)ch_span_number(a->id), t->n);
}

static int add_field(struct ch_jfr_types *t, const struct attributes *a)
{
	if (CH_ROOM(t->fields, t->fields_cap, t->n_fields + 1) < 0)
		return -ENOMEM;
	t->fields[t->n_fields++] = (struct ch_jfr_field){
		.name = a->name,
		.type_id = (uint64_t)ch_span_number(a->type),
		.pooled = a->pooled.n && ch_span_is(a->pooled, "true"),
		.array = ch_span_number(a->dimension) > 0,
	};
	t->items[t->n - 1].n_fields++;
	return 0;
}

static int add_remark(struct ch_jfr_types *t, const struct attributes *a)
{
	if (!a->value.n)
		return 0;
	if (CH_ROOM(t->remarks, t->remarks_cap, t->n_remarks + 1) < 0)
		return -ENOMEM;
	t->remarks[t->n_remarks++] =
	    (struct ch_jfr_remark){ (uint64_t)ch_span_number(a->type), a->value };
	t->items[t->n - 1].n_remarks++;
	return 0;
}

static int read_element(struct reader *r, unsigned depth)
{
	struct ch_span name = string(r);
	struct attributes a = read_attributes(r);

	if (r->c.bad)
		return -EBADMSG;
	if (ch_span_is(name, "class")) {
		r->class_depth = depth;
		return add_class(r->types, &a);
	}
	if (ch_span_is(name, "field") && r->class_depth && depth == r->class_depth + 1)
		return add_field(r->types, &a);
	if (ch_span_is(name, "annotation") && r->class_depth && depth == r->class_depth + 1)
		return add_remark(r->types, &a);
	if (depth <= r->class_depth)
		r->class_depth = 0;
	return 0;
}

/* Preorder, with the children still to come of each open element instead of recursion. */
static int read_tree(struct reader *r)
{
	uint64_t left[DEPTH_MAX] = { 1 };
	unsigned depth = 0;

	for (;;) {
		int e;

		while (!left[depth])
			if (depth-- == 0)
				return 0;
		left[depth]--;
		e = read_element(r, depth);
		if (e < 0)
			return e;
		if (++depth == DEPTH_MAX)
			return -EBADMSG;
		left[depth] = ch_jfr_varint(&r->c);
		if (r->c.bad)
			return -EBADMSG;
	}
}

int ch_jfr_types_read(struct ch_jfr_types *t, struct ch_cursor body)
{
	struct reader r = { .types = t, .c = body };
	int e;

	*t = (struct ch_jfr_types){ .arena =
		                        CH_ARENA(ARENA_MIN + ARENA_RATIO * ch_cursor_left(&body)) };
	ch_jfr_skip_varints(&r.c, 3); /* start, duration, id */
	e = read_strings(&r);
	if (e < 0)
		return e;
	return read_tree(&r);
}

void ch_jfr_types_done(struct ch_jfr_types *t)
{
	free(t->items);
	free(t->fields);
	free(t->remarks);
	ch_jfr_idmap_done(&t->by_id);
	ch_arena_done(&t->arena);
}

const struct ch_jfr_type *ch_jfr_type_by_id(const struct ch_jfr_types *t, uint64_t id)
{
	const uint64_t *at = ch_jfr_idmap_find(&t->by_id, id);

	return at ? &t->items[*at - 1] : NULL;
}

const struct ch_jfr_type *ch_jfr_type_by_name(const struct ch_jfr_types *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (ch_span_is(t->items[i].name, name))
			return &t->items[i];
	return NULL;
}

const struct ch_jfr_field *ch_jfr_field(const struct ch_jfr_types *t,
                                        const struct ch_jfr_type *type, const char *name)
{
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (ch_span_is(t->fields[type->first_field + i].name, name))
			return &t->fields[type->first_field + i];
	return NULL;
}

struct ch_span ch_jfr_remark(const struct ch_jfr_types *t, const struct ch_jfr_type *type,
                             const struct ch_jfr_type *annotation)
{
	uint32_t end = type->first_remark + type->n_remarks;

	for (uint32_t i = type->first_remark; annotation && i < end; i++)
		if (t->remarks[i].annotation_id == annotation->id)
			return t->remarks[i].value;
	return CH_NO_SPAN;
}
