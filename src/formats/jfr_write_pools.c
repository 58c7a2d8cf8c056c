#include "formats/jfr_write.h"
#include "base/vec.h"
#include "jfr/text.h"

#include <errno.h>
#include <stdio.h>

#define SYMBOLS_MAX_BYTES ((size_t)1 << 30)

/* Keys of frame types: up to 6 those of async-profiler, whose converter goes by the numbers. */
static const struct {
	uint8_t key;
	const char *text;
} frame_types[CH_KIND_COUNT] = {
	[CH_KIND_INTERPRETED] = { 0, "Interpreted" },
	[CH_KIND_JAVA] = { 1, "JIT compiled" },
	[CH_KIND_INLINED] = { 2, "Inlined" },
	[CH_KIND_NATIVE] = { 3, "Native" },
	[CH_KIND_JVM] = { 4, "C++" },
	[CH_KIND_KERNEL] = { 5, "Kernel" },
	[CH_KIND_C1] = { 6, "C1 compiled" },
	[CH_KIND_PYTHON] = { 7, "Python" },
	[CH_KIND_ALLOC] = { 8, "Allocated class" },
	[CH_KIND_LOCK] = { 9, "Lock class" },
	[CH_KIND_LABEL] = { 10, "Label" },
	[CH_KIND_OTHER] = { 11, "Other" },
};

void ch_recw_pools_init(struct ch_recw_pools *c, const struct ch_profile *p)
{
	const struct ch_strtab *s = &p->strings;

	*c = (struct ch_recw_pools){ .p = p };
	ch_strtab_init(&c->symbols, SYMBOLS_MAX_BYTES);
	c->thread_key = ch_strtab_find(s, "thread", 6);
	c->tid_key = ch_strtab_find(s, "tid", 3);
	c->state_key = ch_strtab_find(s, "state", 5);
}

static void keys_done(struct ch_recw_keys *k)
{
	ch_jfr_idmap_done(&k->map);
	free(k->list);
}

void ch_recw_pools_done(struct ch_recw_pools *c)
{
	keys_done(&c->stacks);
	keys_done(&c->methods);
	keys_done(&c->classes);
	keys_done(&c->threads);
	keys_done(&c->states);
	keys_done(&c->sets);
	ch_strtab_done(&c->symbols);
}

/* Notes a thing; its key is its place plus 1, since readers take key 0 for none. */
static uint64_t note(struct ch_recw_pools *c, struct ch_recw_keys *k, uint64_t thing)
{
	const uint64_t *at = ch_jfr_idmap_find(&k->map, thing);

	if (at)
		return *at;
	if (CH_ROOM(k->list, k->cap, k->n + 1) < 0 ||
	    ch_jfr_idmap_put(&k->map, thing, k->n + 1) < 0) {
		c->err = -ENOMEM;
		return 0;
	}
	k->list[k->n++] = thing;
	return k->n;
}

uint64_t ch_recw_stack(struct ch_recw_pools *c, uint32_t node)
{
	return note(c, &c->stacks, node);
}

/* --- labels ---------------------------------------------------------------------------------- */

static uint32_t label(const struct ch_recw_pools *c, uint32_t set, uint32_t key)
{
	return key ? ch_profile_label_of(c->p, set, key) : 0;
}

/* A tid that is a number as we would print it can be kept as one. */
static bool is_tid(const char *s)
{
	return *s >= '1' && *s <= '9' && strlen(s) < 18 && strspn(s, "0123456789") == strlen(s);
}

static uint32_t tid(const struct ch_recw_pools *c, uint32_t set)
{
	uint32_t id = label(c, set, c->tid_key);

	return id && is_tid(ch_profile_text(c->p, id)) ? id : 0;
}

uint64_t ch_recw_thread(struct ch_recw_pools *c, uint32_t set)
{
	uint64_t name = label(c, set, c->thread_key), id = tid(c, set);

	return name || id ? note(c, &c->threads, name << 32 | id) : 0;
}

uint64_t ch_recw_state(struct ch_recw_pools *c, uint32_t set)
{
	uint32_t state = label(c, set, c->state_key);

	return state ? note(c, &c->states, state) : 0;
}

/* True when a label has no field of its own. */
static bool is_rest(const struct ch_recw_pools *c, uint32_t set, struct ch_label l, bool with_state)
{
	if (l.key == c->thread_key)
		return false;
	if (l.key == c->tid_key)
		return !tid(c, set);
	return l.key != c->state_key || with_state;
}

bool ch_recw_has_labels(const struct ch_recw_pools *c, uint32_t set, bool with_state)
{
	for (uint32_t i = c->p->set_start[set]; i < c->p->set_start[set + 1]; i++)
		if (is_rest(c, set, c->p->labels[i], with_state))
			return true;
	return false;
}

uint64_t ch_recw_labels(struct ch_recw_pools *c, uint32_t set, bool with_state)
{
	if (!ch_recw_has_labels(c, set, with_state))
		return 0;
	return note(c, &c->sets, (uint64_t)set << 1 | with_state);
}

/* --- classes --------------------------------------------------------------------------------- */

static const char primitives[][10] = { "Bbyte", "Cchar",    "Sshort", "Iint",
	                               "Jlong", "Zboolean", "Ffloat", "Ddouble" };

static uint64_t class_key(struct ch_recw_pools *c, const char *name, size_t n)
{
	return note(c, &c->classes, ch_strtab_id(&c->symbols, name, n));
}

/* byte[][] is [[B in a recording, java/lang/String[] is [Ljava/lang/String; */
uint64_t ch_recw_class(struct ch_recw_pools *c, uint32_t frame)
{
	const char *name = ch_profile_text(c->p, c->p->frames[frame].name);
	size_t n = strlen(name), depth = 0;
	struct ch_buf b = CH_BUF((size_t)1 << 20);
	const char *primitive = NULL;
	uint64_t key;

	while (n > 2 && !memcmp(name + n - 2, "[]", 2)) {
		n -= 2;
		depth++;
	}
	if (!n || *name == '[' || (!depth && !strcmp(name, "null")))
		return 0;
	for (size_t i = 0; depth && i < CH_LEN(primitives); i++)
		if (strlen(primitives[i] + 1) == n && !memcmp(primitives[i] + 1, name, n))
			primitive = primitives[i];
	for (size_t i = 0; i < depth; i++)
		ch_buf_putc(&b, '[');
	if (primitive)
		ch_buf_putc(&b, *primitive);
	else if (depth)
		ch_buf_printf(&b, "L%.*s;", (int)n, name);
	else
		ch_buf_put(&b, name, n);
	key = b.err ? 0 : class_key(c, b.data, b.len);
	ch_buf_done(&b);
	return key;
}

/* --- the checkpoint -------------------------------------------------------------------------- */

static void put_stack(struct ch_recw_pools *c, struct ch_buf *b, uint32_t node)
{
	const struct ch_profile *p = c->p;
	uint64_t depth = 0;

	for (uint32_t at = node; at; at = p->trie.parent[at])
		depth++;
	ch_buf_putc(b, 0); /* not truncated */
	ch_jfr_put_int(b, depth);
	for (uint32_t at = node; at; at = p->trie.parent[at]) {
		const struct ch_frame *f = &p->frames[p->trie.frame[at]];
		uint64_t method = (uint64_t)f->name << 1 | ch_kind_is_java(f->kind);

		ch_jfr_put_int(b, note(c, &c->methods, method));
		ch_jfr_put_int(b, f->line);
		ch_jfr_put_int(b, 0);
		ch_jfr_put_int(b, frame_types[f->kind].key);
	}
}

static uint64_t symbol_key(struct ch_recw_pools *c, const char *s, size_t n)
{
	return (uint64_t)ch_strtab_id(&c->symbols, s, n) + 1;
}

/* java/lang/Thread.run is class and method; without both it is only a method. */
static void put_method(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing)
{
	const char *name = ch_profile_text(c->p, (uint32_t)(thing >> 1));
	const char *dot = thing & 1 ? strrchr(name, '.') : NULL;

	if (dot && (dot == name || !dot[1]))
		dot = NULL;
	ch_jfr_put_int(b, class_key(c, name, dot ? (size_t)(dot - name) : 0));
	name = dot ? dot + 1 : name;
	ch_jfr_put_int(b, symbol_key(c, name, strlen(name)));
	ch_jfr_put_int(b, symbol_key(c, "()V", 3));
	ch_jfr_put_int(b, 0);
	ch_buf_putc(b, 0);
}

static void put_class(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing)
{
	(void)c;
	ch_jfr_put_int(b, 0);
	ch_jfr_put_int(b, thing + 1);
	ch_jfr_put_int(b, 0);
	ch_jfr_put_int(b, 0);
}

static void put_name(struct ch_buf *b, const char *s)
{
	if (*s)
		ch_jfr_put_text(b, s, strlen(s));
	else
		ch_jfr_put_null(b);
}

static void put_thread(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing)
{
	const char *name = ch_profile_text(c->p, (uint32_t)(thing >> 32));
	const char *id = ch_profile_text(c->p, (uint32_t)thing);

	put_name(b, name);
	ch_jfr_put_int(b, strtoull(id, NULL, 10));
	put_name(b, name);
	ch_jfr_put_int(b, 0);
}

static void put_state(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing)
{
	const char *name = ch_profile_text(c->p, (uint32_t)thing);
	struct ch_buf text = CH_BUF((size_t)1 << 20);

	ch_buf_puts(&text, "STATE_");
	ch_buf_puts(&text, name);
	if (text.err)
		c->err = text.err;
	else
		ch_jfr_put_text(b, text.data, text.len);
	ch_buf_done(&text);
}

/* A backslash before what would end a key or a value. */
static void put_escaped(struct ch_buf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr("\\,=", *s))
			ch_buf_putc(b, '\\');
		ch_buf_putc(b, *s);
	}
}

/* stage=3,task=17 */
static void put_labels(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing)
{
	const struct ch_profile *p = c->p;
	uint32_t set = (uint32_t)(thing >> 1);
	struct ch_buf text = CH_BUF((size_t)1 << 24);

	for (uint32_t i = p->set_start[set]; i < p->set_start[set + 1]; i++) {
		struct ch_label l = p->labels[i];

		if (!is_rest(c, set, l, thing & 1))
			continue;
		if (text.len)
			ch_buf_putc(&text, ',');
		put_escaped(&text, ch_profile_text(p, l.key));
		ch_buf_putc(&text, '=');
		put_escaped(&text, ch_profile_text(p, l.value));
	}
	if (text.err)
		c->err = text.err;
	else
		ch_jfr_put_text(b, text.data, text.len);
	ch_buf_done(&text);
}

static void put_stack_thing(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing)
{
	put_stack(c, b, (uint32_t)thing);
}

static void put_symbols(struct ch_recw_pools *c, uint64_t type, struct ch_buf *b)
{
	ch_jfr_put_int(b, type);
	ch_jfr_put_int(b, c->symbols.n);
	for (size_t i = 0; i < c->symbols.n; i++) {
		/* Always as UTF-8: async-profiler's converter knows nothing else here. */
		ch_jfr_put_int(b, i + 1);
		ch_buf_putc(b, CH_JFR_UTF8);
		ch_jfr_put_int(b, c->symbols.len[i]);
		ch_buf_put(b, c->symbols.text[i], c->symbols.len[i]);
	}
}

static void put_frame_types(uint64_t type, struct ch_buf *b)
{
	ch_jfr_put_int(b, type);
	ch_jfr_put_int(b, CH_KIND_COUNT);
	for (size_t i = 0; i < CH_KIND_COUNT; i++) {
		ch_jfr_put_int(b, frame_types[i].key);
		ch_jfr_put_text(b, frame_types[i].text, strlen(frame_types[i].text));
	}
}

/* Each pool may add to those behind it; symbols come last. */
void ch_recw_pools_put(struct ch_recw_pools *c, const struct ch_recw_types *t, struct ch_buf *b)
{
	const struct {
		struct ch_recw_keys *keys;
		const char *type;
		void (*put)(struct ch_recw_pools *c, struct ch_buf *b, uint64_t thing);
	} pools[] = {
		{ &c->stacks, "jdk.types.StackTrace", put_stack_thing },
		{ &c->methods, "jdk.types.Method", put_method },
		{ &c->classes, "java.lang.Class", put_class },
		{ &c->threads, "java.lang.Thread", put_thread },
		{ &c->states, "jdk.types.ThreadState", put_state },
		{ &c->sets, "charcloth.types.Labels", put_labels },
	};
	struct ch_buf body = CH_BUF(b->max);
	uint64_t n = 2;
	size_t begun;

	for (size_t i = 0; i < CH_LEN(pools); i++) {
		/* The JDK's readers refuse a pool without constants. */
		if (!pools[i].keys->n)
			continue;
		ch_jfr_put_int(&body, ch_recw_type_id(t, pools[i].type));
		ch_jfr_put_int(&body, pools[i].keys->n);
		for (size_t k = 0; k < pools[i].keys->n; k++) {
			ch_jfr_put_int(&body, k + 1);
			pools[i].put(c, &body, pools[i].keys->list[k]);
		}
		n++;
	}
	put_frame_types(ch_recw_type_id(t, "jdk.types.FrameType"), &body);
	put_symbols(c, ch_recw_type_id(t, "jdk.types.Symbol"), &body);
	begun = ch_jfr_checkpoint_begin(b, 0, 0, n);
	ch_buf_put(b, body.data, body.len);
	ch_jfr_event_end(b, begun);
	if (c->symbols.err)
		c->err = c->symbols.err;
	if (body.err)
		c->err = body.err;
	ch_buf_done(&body);
}
