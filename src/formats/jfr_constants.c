#include "formats/jfr_read.h"
#include "base/vec.h"

#include <errno.h>

/* Slots of the plans below. */
enum { STACK_FRAMES, STACK_CUT };
enum { METHOD_CLASS, METHOD_NAME };
enum { FRAME_METHOD, FRAME_LINE, FRAME_TYPE };

/* What is kept of each pool's values; the first two may be texts. */
static const struct {
	const char *type;
	struct ch_jfr_keep keep[4];
} wanted[CH_REC_POOLS] = {
	[CH_REC_STACKS] = { "jdk.types.StackTrace",
	                    { { "frames", STACK_FRAMES }, { "truncated", STACK_CUT } } },
	[CH_REC_METHODS] = { "jdk.types.Method",
	                     { { "type", METHOD_CLASS }, { "name", METHOD_NAME } } },
	[CH_REC_CLASSES] = { "java.lang.Class", { { "name", 0 } } },
	[CH_REC_SYMBOLS] = { "jdk.types.Symbol", { { "string", 0 } } },
	[CH_REC_STRINGS] = { "java.lang.String", { { NULL, 0 } } },
	[CH_REC_THREADS] = { "java.lang.Thread",
	                     { { "javaName", CH_REC_THREAD_JAVA_NAME },
	                       { "osName", CH_REC_THREAD_OS_NAME },
	                       { "osThreadId", CH_REC_THREAD_OS_ID },
	                       { "javaThreadId", CH_REC_THREAD_JAVA_ID } } },
	[CH_REC_STATES] = { "jdk.types.ThreadState", { { "name", 0 } } },
	[CH_REC_FRAME_TYPES] = { "jdk.types.FrameType", { { "description", 0 } } },
	[CH_REC_OLD_OBJECTS] = { "jdk.types.OldObject", { { "type", 0 } } },
	[CH_REC_LABELS] = { "charcloth.types.Labels", { { "pairs", 0 } } },
};

/* In the map of stacks: one that could not be read. */
#define LOST (CH_JFR_RESOLVED | UINT64_C(1) << 62)

/* Frame types by what recorders write; own kinds come back as they were. */
static const struct {
	const char *text;
	enum ch_kind kind;
	bool bare;
} frame_types[] = {
	{ "Interpreted", CH_KIND_INTERPRETED, false },
	{ "JIT compiled", CH_KIND_JAVA, false },
	{ "Inlined", CH_KIND_INLINED, false },
	{ "C1 compiled", CH_KIND_C1, false },
	{ "Native", CH_KIND_NATIVE, true },
	{ "C++", CH_KIND_JVM, true },
	{ "Kernel", CH_KIND_KERNEL, true },
	{ "Python", CH_KIND_PYTHON, true },
	{ "Allocated class", CH_KIND_ALLOC, true },
	{ "Lock class", CH_KIND_LOCK, true },
	{ "Label", CH_KIND_LABEL, true },
	{ "Other", CH_KIND_OTHER, true },
};

enum ch_rec_text ch_rec_text_of(const struct ch_rec *r, const struct ch_jfr_type *type,
                                const char *field)
{
	const struct ch_jfr_field *f = field ? ch_jfr_field(&r->types, type, field) : NULL;
	const struct ch_jfr_type *t = f ? ch_jfr_type_by_id(&r->types, f->type_id) : NULL;

	if (!t || f->array)
		return CH_REC_NO_TEXT;
	if (ch_span_is(t->name, "jdk.types.Symbol"))
		return f->pooled ? CH_REC_SYMBOL : CH_REC_NO_TEXT;
	if (t->shape != CH_JFR_STRING)
		return CH_REC_NO_TEXT;
	return f->pooled ? CH_REC_STRING : CH_REC_INLINE;
}

/* --- set-up ---------------------------------------------------------------------------------- */

static void plan_pool(struct ch_rec *r, enum ch_rec_pool i)
{
	const struct ch_jfr_type *type = ch_jfr_type_by_name(&r->types, wanted[i].type);
	size_t n = 0;

	r->pools[i].type = wanted[i].type;
	if (!type)
		return;
	while (n < CH_LEN(wanted[i].keep) && wanted[i].keep[n].path)
		n++;
	r->layout[i].plan = ch_jfr_plan_new(&r->types, type, wanted[i].keep, n, false);
	for (size_t k = 0; k < n && k < CH_LEN(r->layout[i].text); k++)
		r->layout[i].text[wanted[i].keep[k].slot & 1] =
		    ch_rec_text_of(r, type, wanted[i].keep[k].path);
}

/* Frames are most of what there is to read: the order of fields that all recorders have is known. */
static bool is_usual(const struct ch_rec *r, const struct ch_jfr_type *type)
{
	static const char *const names[] = { "method", "lineNumber", "bytecodeIndex", "type" };

	if (type->n_fields != CH_LEN(names))
		return false;
	for (size_t i = 0; i < CH_LEN(names); i++)
		if (!ch_span_is(r->types.fields[type->first_field + i].name, names[i]))
			return false;
	return true;
}

static void plan_frames(struct ch_rec *r)
{
	static const struct ch_jfr_keep keep[] = { { "method", FRAME_METHOD },
		                                   { "lineNumber", FRAME_LINE },
		                                   { "type", FRAME_TYPE } };
	const struct ch_jfr_type *type = ch_jfr_type_by_name(&r->types, "jdk.types.StackFrame");
	const struct ch_jfr_plan *whole;

	if (!type)
		return;
	whole = ch_jfr_plan_new(&r->types, type, NULL, 0, true);
	r->frame.plan = ch_jfr_plan_new(&r->types, type, keep, CH_LEN(keep), true);
	r->frame.usual = whole && whole->n_ints == 4 && is_usual(r, type);
}

void ch_rec_constants_plan(struct ch_rec *r)
{
	for (enum ch_rec_pool i = 0; i < CH_REC_POOLS; i++)
		plan_pool(r, i);
	plan_frames(r);
}

/* --- texts ----------------------------------------------------------------------------------- */

/* A window on the value of a key; false when it is not there. */
static bool find(struct ch_rec *r, enum ch_rec_pool pool, uint64_t key, struct ch_cursor *ret)
{
	const uint64_t *at = ch_jfr_idmap_find(&r->pools[pool].map, key);

	if (!at || *at & CH_JFR_RESOLVED)
		return false;
	ch_rec_touch(r, *at);
	*ret = ch_jfr_value(&r->chunk, *at);
	return true;
}

bool ch_rec_value(struct ch_rec *r, enum ch_rec_pool pool, uint64_t key, uint64_t *slots)
{
	struct ch_cursor c;

	if (!r->layout[pool].plan || !find(r, pool, key, &c))
		return false;
	ch_jfr_plan_run(r->layout[pool].plan, &c, slots);
	return !c.bad;
}

/* A string at a cursor; one that refers to the pool of strings is followed once. */
static struct ch_span read_text(struct ch_rec *r, struct ch_cursor c)
{
	struct ch_span text;
	uint64_t key;

	if (ch_jfr_text_read(&c, &r->scratch, &text, &key) == CH_JFR_POOLED &&
	    find(r, CH_REC_STRINGS, key, &c))
		(void)ch_jfr_text_read(&c, &r->scratch, &text, NULL);
	return c.bad ? CH_NO_SPAN : text;
}

/*
 * A window from an address that a plan kept to the end of the chunk. A type may have two fields of
 * one name and different shape, so that the slot holds anything: only an address in the chunk is one.
 */
static bool at_address(const struct ch_rec *r, uint64_t slot, struct ch_cursor *ret)
{
	uint64_t offset = slot - (uintptr_t)r->chunk.data;

	if (offset >= r->chunk.size)
		return false;
	*ret = ch_jfr_value(&r->chunk, offset);
	return true;
}

struct ch_span ch_rec_text(struct ch_rec *r, enum ch_rec_text where, uint64_t slot)
{
	uint64_t value[CH_JFR_SLOTS] = { 0 };
	struct ch_cursor c;

	if (where == CH_REC_SYMBOL && ch_rec_value(r, CH_REC_SYMBOLS, slot, value)) {
		where = CH_REC_INLINE;
		slot = value[0];
	}
	if (where == CH_REC_INLINE && at_address(r, slot, &c))
		return read_text(r, c);
	if (where == CH_REC_STRING && find(r, CH_REC_STRINGS, slot, &c))
		return read_text(r, c);
	return CH_NO_SPAN;
}

/* --- stacks ---------------------------------------------------------------------------------- */

static struct ch_rec_frame_type frame_type(struct ch_rec *r, uint64_t key)
{
	struct ch_rec_frame_type t = { .kind = CH_KIND_OTHER, .known = true };
	uint64_t value[CH_JFR_SLOTS] = { 0 };
	struct ch_span text;

	if (!ch_rec_value(r, CH_REC_FRAME_TYPES, key, value))
		return t;
	text = ch_rec_text(r, r->layout[CH_REC_FRAME_TYPES].text[0], value[0]);
	for (size_t i = 0; i < CH_LEN(frame_types); i++) {
		if (!ch_span_is(text, frame_types[i].text))
			continue;
		t.kind = (uint8_t)frame_types[i].kind;
		/* The JDK calls a Java method without Java code native: it has a class. */
		t.bare = frame_types[i].bare && (t.kind != CH_KIND_NATIVE || r->frame.foreign);
	}
	return t;
}

static void load_frame_types(struct ch_rec *r)
{
	for (unsigned key = 0; key < CH_REC_FRAME_TYPE_KEYS; key++)
		r->frame.types[key] = frame_type(r, key);
	for (unsigned key = 0; key < CH_REC_FRAME_TYPE_KEYS; key++)
		r->frame.foreign |= r->frame.types[key].kind == CH_KIND_KERNEL;
	for (unsigned key = 0; key < CH_REC_FRAME_TYPE_KEYS && r->frame.foreign; key++)
		r->frame.types[key] = frame_type(r, key);
}

void ch_rec_constants_init(struct ch_rec *r)
{
	load_frame_types(r);
}

void ch_rec_constants_done(struct ch_rec *r)
{
	ch_jfr_idmap_done(&r->methods_seen);
	ch_jfr_idmap_done(&r->classes_seen[0]);
	ch_jfr_idmap_done(&r->classes_seen[1]);
	free(r->methods);
	free(r->path);
	ch_buf_done(&r->scratch);
	ch_buf_done(&r->name);
}

/* The name of a method as a string of the profile: java/lang/Thread.run, or a bare function. */
static uint32_t method_name(struct ch_rec *r, uint64_t key, bool bare)
{
	uint64_t method[CH_JFR_SLOTS] = { 0 }, class[CH_JFR_SLOTS] = { 0 };
	const struct ch_rec_layout *l = r->layout;
	struct ch_span t;

	if (!ch_rec_value(r, CH_REC_METHODS, key, method))
		return ch_profile_strz(r->p, "unknown");
	ch_buf_reset(&r->name);
	if (!bare && ch_rec_value(r, CH_REC_CLASSES, method[METHOD_CLASS], class)) {
		t = ch_rec_text(r, l[CH_REC_CLASSES].text[0], class[0]);
		ch_buf_put(&r->name, t.s, t.n);
	}
	t = ch_rec_text(r, l[CH_REC_METHODS].text[METHOD_NAME], method[METHOD_NAME]);
	if (r->name.len && t.n)
		ch_buf_putc(&r->name, '.');
	ch_buf_put(&r->name, t.s, t.n);
	if (!r->name.len && !r->name.err)
		return ch_profile_strz(r->p, "unknown");
	return ch_profile_buf(r->p, &r->name);
}

/* The cache line of a method, made when it is first met; NULL when the method is not there. */
static struct ch_rec_method *method(struct ch_rec *r, uint64_t key)
{
	uint64_t *at = ch_jfr_idmap_find(&r->methods_seen, key);

	if (at)
		return &r->methods[*at - 1];
	if (CH_ROOM(r->methods, r->methods_cap, r->n_methods + 1) < 0 ||
	    ch_jfr_idmap_put(&r->methods_seen, key, r->n_methods + 1) < 0) {
		ch_profile_fail(r->p, -ENOMEM);
		return NULL;
	}
	r->methods[r->n_methods] = (struct ch_rec_method){ { 0 } };
	return &r->methods[r->n_methods++];
}

static uint32_t new_frame(struct ch_rec *r, uint64_t key, struct ch_rec_frame_type type)
{
	uint32_t name = method_name(r, key, type.bare);

	if (r->p->want.lines)
		return name;
	return ch_profile_frame(r->p, (struct ch_frame){ .name = name, .kind = type.kind });
}

static uint32_t frame(struct ch_rec *r, uint64_t key, uint64_t line, uint64_t type_key)
{
	struct ch_rec_recent *recent = &r->frame.recent[(key ^ key >> 16) % CH_REC_RECENT];
	struct ch_rec_method *m;
	struct ch_rec_frame_type type;
	uint32_t id;

	if (CH_LIKELY(recent->id && recent->method == key && recent->type == type_key &&
	              !r->p->want.lines))
		return recent->id;
	m = method(r, key);
	if (CH_LIKELY(m && type_key < CH_REC_FRAME_TYPE_KEYS)) {
		type = r->frame.types[type_key];
		id = m->id[type_key];
		if (CH_UNLIKELY(!id))
			id = m->id[type_key] = new_frame(r, key, type);
	} else {
		type = frame_type(r, type_key);
		id = new_frame(r, key, type);
	}
	if (!r->p->want.lines) {
		*recent = (struct ch_rec_recent){ key, (uint32_t)type_key, id };
		return id;
	}
	return ch_profile_frame(r->p, (struct ch_frame){
	                                  .name = id,
	                                  .kind = type.kind,
	                                  .line = line < UINT32_MAX ? (uint32_t)line : 0,
	                              });
}

static uint32_t read_frame(struct ch_rec *r, struct ch_cursor *c)
{
	uint64_t v[CH_JFR_SLOTS], line, type;

	if (CH_LIKELY(r->frame.usual)) {
		uint64_t key = ch_jfr_varint(c);

		if (CH_UNLIKELY(!ch_jfr_varint_triple(c, &line, &type))) {
			line = ch_jfr_varint(c);
			ch_jfr_skip_varints(c, 1);
			type = ch_jfr_varint(c);
		}
		return frame(r, key, line, type);
	}
	memset(v, 0, sizeof(v));
	ch_jfr_plan_run(r->frame.plan, c, v);
	return frame(r, v[FRAME_METHOD], v[FRAME_LINE], v[FRAME_TYPE]);
}

/* A frame that tells of a stack. */
static uint32_t own_frame(struct ch_rec *r, const char *name)
{
	return ch_profile_frame(r->p, (struct ch_frame){ .name = ch_profile_strz(r->p, name) });
}

/* Decodes a stack, leaf first in the bytes, into a node of the trie. */
static bool read_stack(struct ch_rec *r, struct ch_cursor c, uint32_t *ret)
{
	uint64_t v[CH_JFR_SLOTS] = { 0 }, n;

	if (!r->layout[CH_REC_STACKS].plan)
		return false;
	ch_jfr_plan_run(r->layout[CH_REC_STACKS].plan, &c, v);
	if (c.bad || !r->frame.plan || !at_address(r, v[STACK_FRAMES], &c))
		return false;
	n = ch_jfr_varint(&c);
	if (n > ch_cursor_left(&c))
		return false;
	if (CH_ROOM(r->path, r->path_cap, n + 1) < 0) {
		ch_profile_fail(r->p, -ENOMEM);
		return false;
	}
	for (uint64_t i = 0; i < n; i++)
		r->path[i] = read_frame(r, &c);
	if (c.bad)
		return false;
	if (v[STACK_CUT]) /* its callers are not there: it is not to stand beside whole ones */
		r->path[n++] = own_frame(r, "[truncated]");
	*ret = ch_paths_push(r->paths, r->p, r->path, n);
	return true;
}

static uint32_t one_frame(struct ch_rec *r, uint32_t *cache, const char *name)
{
	if (!*cache)
		*cache = ch_profile_push(r->p, 0, own_frame(r, name));
	return *cache;
}

uint32_t ch_rec_stack(struct ch_rec *r, uint64_t key, int64_t samples)
{
	uint64_t *at = ch_jfr_idmap_find(&r->pools[CH_REC_STACKS].map, key);
	uint32_t node = 0;

	if (!at && !key)
		return one_frame(r, &r->no_stack, "[no stack]");
	if (at && !(*at & CH_JFR_RESOLVED)) {
		ch_rec_touch(r, *at);
		*at = read_stack(r, ch_jfr_value(&r->chunk, *at), &node) ? CH_JFR_RESOLVED | node
		                                                         : LOST;
	}
	if (CH_LIKELY(at && *at != LOST))
		return (uint32_t)*at;
	r->sums->lost_stacks += (uint64_t)samples;
	return one_frame(r, &r->lost_stack, "[lost stack]");
}

/* --- classes --------------------------------------------------------------------------------- */

static const char *primitive(char c)
{
	static const char *const names[] = {
		['B'] = "byte", ['C'] = "char",    ['S'] = "short", ['I'] = "int",
		['J'] = "long", ['Z'] = "boolean", ['F'] = "float", ['D'] = "double",
	};

	return (unsigned char)c < CH_LEN(names) ? names[(unsigned char)c] : NULL;
}

/* [Ljava/lang/String; is java/lang/String[], [[B is byte[][]. */
static void put_class(struct ch_buf *out, struct ch_span t)
{
	size_t depth = 0;

	while (depth < t.n && t.s[depth] == '[')
		depth++;
	t.s += depth;
	t.n -= depth;
	if (depth && t.n == 1 && primitive(*t.s))
		t = (struct ch_span){ primitive(*t.s), strlen(primitive(*t.s)) };
	else if (depth && t.n > 2 && *t.s == 'L' && t.s[t.n - 1] == ';')
		t = (struct ch_span){ t.s + 1, t.n - 2 };
	ch_buf_put(out, t.s, t.n);
	while (depth--)
		ch_buf_puts(out, "[]");
}

static uint32_t class_frame(struct ch_rec *r, uint64_t key, enum ch_kind kind)
{
	uint64_t class[CH_JFR_SLOTS] = { 0 };

	ch_buf_reset(&r->name);
	if (ch_rec_value(r, CH_REC_CLASSES, key, class))
		put_class(&r->name, ch_rec_text(r, r->layout[CH_REC_CLASSES].text[0], class[0]));
	if (!r->name.len)
		ch_buf_puts(&r->name, "null");
	return ch_profile_frame(r->p, (struct ch_frame){ .name = ch_profile_buf(r->p, &r->name),
	                                                 .kind = (uint8_t)kind });
}

uint32_t ch_rec_push_class(struct ch_rec *r, uint32_t stack, uint64_t key, enum ch_kind kind,
                           bool old_object)
{
	uint64_t object[CH_JFR_SLOTS] = { 0 }, *at, seen;

	if (old_object) {
		if (!ch_rec_value(r, CH_REC_OLD_OBJECTS, key, object))
			return stack;
		key = object[0];
	}
	if (!key)
		return stack;
	at = ch_jfr_idmap_find(&r->classes_seen[kind == CH_KIND_LOCK], key);
	seen = at ? *at : class_frame(r, key, kind);
	if (!at && seen)
		(void)ch_jfr_idmap_put(&r->classes_seen[kind == CH_KIND_LOCK], key, seen);
	return ch_profile_push(r->p, stack, (uint32_t)seen);
}
