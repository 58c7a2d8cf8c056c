#include "agent/intern.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/constants.h"
#include "agent/defs.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"

struct stack {
	uint64_t hash;
	uint32_t key;
};

struct ch_intern {
	const struct ch_vm *vm;
	ch_jmethod_fn *jmethod;
	void *arg;

	struct ch_defs now, before, carried;
	struct ch_constants constants;
	struct stack *stacks; /* by what was sampled, and by what is written; from 1 on */
	size_t n_stacks, stacks_cap;
	struct ch_index stack_index;
	uint32_t next_stack;
	struct ch_buf frames;
	int err;
};

static void fail(struct ch_intern *in)
{
	in->err = -ENOMEM;
}

struct ch_intern *ch_intern_new(struct ch_chunk *chunk, const struct ch_vm *vm,
                                struct ch_symbols *symbols, ch_jmethod_fn *jmethod, void *arg)
{
	struct ch_intern *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->vm = vm;
	in->jmethod = jmethod;
	in->arg = arg;
	in->frames = CH_BUF(1u << 20);
	in->n_stacks = in->next_stack = 1;
	ch_constants_init(&in->constants, chunk, vm, symbols);
	ch_defs_init(&in->now);
	ch_defs_init(&in->before);
	ch_defs_init(&in->carried);
	return in;
}

/* Keys mean nothing in another chunk. */
static void forget_keys(struct ch_intern *in)
{
	ch_constants_forget(&in->constants);
	free(in->stacks);
	ch_index_done(&in->stack_index);
	in->stacks = NULL;
	in->stacks_cap = 0;
	in->stack_index = (struct ch_index){ 0 };
	in->n_stacks = 1;
}

void ch_intern_free(struct ch_intern *in)
{
	if (!in)
		return;
	ch_constants_done(&in->constants);
	free(in->stacks);
	ch_index_done(&in->stack_index);
	ch_defs_done(&in->now);
	ch_defs_done(&in->before);
	ch_defs_done(&in->carried);
	ch_buf_done(&in->frames);
	free(in);
}

/* Ids of what is carried over are told apart by a bit. */
#define CARRIED_METHOD (UINT64_C(1) << 44)
#define CARRIED        (UINT32_C(1) << 31)

static struct ch_def_method *method_def(struct ch_intern *in, uint64_t id)
{
	struct ch_def_method *d;

	if (id & CARRIED_METHOD)
		return ch_defs_method(&in->carried, id & ~CARRIED_METHOD);
	d = ch_defs_method(&in->now, id);
	return d ? d : ch_defs_method(&in->before, id);
}

/* Where a thread is defined, if it is. */
static struct ch_defs *home_of_thread(struct ch_intern *in, uint32_t name_id)
{
	if (name_id & CARRIED)
		return &in->carried;
	return ch_defs_thread(&in->now, name_id) ? &in->now : &in->before;
}

static struct ch_def_thread *thread_def(struct ch_intern *in, uint32_t name_id)
{
	return ch_defs_thread(home_of_thread(in, name_id), name_id & ~CARRIED);
}

static struct ch_def_class *class_def(struct ch_intern *in, uint32_t class_id)
{
	struct ch_def_class *d;

	if (class_id & CARRIED)
		return ch_defs_class(&in->carried, class_id & ~CARRIED);
	d = ch_defs_class(&in->now, class_id);
	return d ? d : ch_defs_class(&in->before, class_id);
}

static void carry(struct ch_intern *in, struct ch_defs *to, struct ch_rec_sample *s)
{
	struct ch_def_thread *t = thread_def(in, s->name);
	struct ch_def_class *c = class_def(in, s->class_id);

	s->name = t ? ch_defs_carry_thread(to, t) | CARRIED : 0;
	s->class_id = c ? ch_defs_carry_class(to, c) | CARRIED : 0;
	for (uint32_t i = 0; i < s->n_frames; i++) {
		uint64_t f = s->frames[i];
		struct ch_def_method *m;

		if (!ch_frame_is_java(f) || ch_frame_kind(f) == CH_FRAME_JMETHOD)
			continue;
		m = method_def(in, ch_frame_what(f));
		s->frames[i] = ch_frame_java(ch_frame_kind(f),
		                             m ? ch_defs_carry_method(to, m) | CARRIED_METHOD : 0,
		                             ch_frame_bci(f));
	}
}

void ch_intern_forget(struct ch_intern *in, struct ch_rec_sample *const *kept, size_t n)
{
	struct ch_defs carried;

	ch_defs_init(&carried);
	ch_defs_follow(&carried, &in->carried);
	for (size_t i = 0; i < n; i++)
		carry(in, &carried, kept[i]);
	forget_keys(in);
	ch_defs_done(&in->carried);
	in->carried = carried;
	ch_defs_done(&in->before);
	in->before = in->now;
	ch_defs_unwrite(&in->before);
	ch_defs_init(&in->now);
}

void ch_intern_unwrite(struct ch_intern *in)
{
	forget_keys(in);
	ch_defs_unwrite(&in->now);
	ch_defs_unwrite(&in->before);
	ch_defs_unwrite(&in->carried);
}

size_t ch_intern_memory(const struct ch_intern *in)
{
	return ch_constants_memory(&in->constants) + in->stacks_cap * sizeof(struct stack) +
	       8 * in->stack_index.mask + ch_defs_memory(&in->now) + ch_defs_memory(&in->before) +
	       ch_defs_memory(&in->carried);
}

int ch_intern_error(const struct ch_intern *in)
{
	const struct ch_constants *c = &in->constants;

	return in->err ? in->err : c->err ? c->err : c->strings.err;
}

/* --- definitions ----------------------------------------------------------------------------- */

void ch_intern_define_method(struct ch_intern *in, const struct ch_rec_method *m)
{
	if (ch_defs_add_method(&in->now, m) < 0)
		fail(in);
}

void ch_intern_define_thread(struct ch_intern *in, const struct ch_rec_thread *t)
{
	if (ch_defs_add_thread(&in->now, t) < 0)
		fail(in);
}

void ch_intern_define_class(struct ch_intern *in, const struct ch_rec_class *c)
{
	if (ch_defs_add_class(&in->now, c) < 0)
		fail(in);
}

static uint32_t key_of(struct ch_intern *in, struct ch_def_method *d)
{
	const char *s = d->bytes;
	struct ch_method_key m;

	if (d->key)
		return d->key;
	m.class_name = ch_constants_string(&in->constants, s, d->class_len);
	m.name = ch_constants_string(&in->constants, s += d->class_len, d->name_len);
	m.sig = ch_constants_string(&in->constants, s + d->name_len, d->sig_len);
	return d->key = ch_constants_method(&in->constants, &m);
}

uint64_t ch_intern_thread(struct ch_intern *in, uint32_t name_id)
{
	struct ch_def_thread *d = thread_def(in, name_id);
	char name[3 * CH_THREAD_NAME_MAX];
	struct ch_buf *b;
	size_t n;

	if (!d)
		return 0;
	if (d->written)
		return name_id;
	d->written = true;
	n = ch_utf8_repair(d->name, d->len < CH_THREAD_NAME_MAX ? d->len : CH_THREAD_NAME_MAX,
	                   name);
	b = ch_constants_put(&in->constants, CH_T_THREAD, name_id);
	ch_jfr_put_text(b, name, n);
	ch_jfr_put_int(b, (uint64_t)d->tid);
	if (d->java_id)
		ch_jfr_put_text(b, name, n);
	else
		ch_jfr_put_null(b);
	ch_jfr_put_int(b, (uint64_t)d->java_id);
	return name_id;
}

uint64_t ch_intern_class(struct ch_intern *in, uint32_t class_id)
{
	struct ch_def_class *d = class_def(in, class_id);

	return d ? ch_constants_class(&in->constants,
	                              ch_constants_string(&in->constants, d->name, d->len))
	         : 0;
}

/* --- frames ---------------------------------------------------------------------------------- */

static const char *const notes[CH_NOTE_COUNT] = {
	"no_Java_frame",
	"no_class_load",
	"GC_active",
	"unknown_not_Java",
	"not_walkable_not_Java",
	"unknown_Java",
	"not_walkable_Java",
	"unknown_state",
	"thread_exit",
	"deoptimization",
	"safepoint",
	[CH_NOTE_THREAD_ENDED] = "end of thread",
	[CH_NOTE_UNSEEN] = "threads that came and went",
};

static uint32_t note_key(struct ch_intern *in, uint64_t note)
{
	char text[64];

	snprintf(text, sizeof(text), "[%s]", note < CH_LEN(notes) ? notes[note] : "unknown");
	return ch_constants_named(&in->constants, text);
}

struct written {
	uint32_t method;
	unsigned line;
	uint8_t type;
};

static const uint8_t types_of_kind[] = {
	[CH_FRAME_INTERPRETED] = CH_FT_INTERPRETED,
	[CH_FRAME_COMPILED] = CH_FT_JIT,
	[CH_FRAME_INLINED] = CH_FT_INLINED,
	[CH_FRAME_C1] = CH_FT_C1,
	[CH_FRAME_JMETHOD] = CH_FT_JIT,
	[CH_FRAME_NATIVE] = CH_FT_NATIVE,
	[CH_FRAME_KERNEL] = CH_FT_KERNEL,
	[CH_FRAME_NOTE] = CH_FT_NATIVE,
};

static uint32_t method_of(struct ch_intern *in, const struct ch_jmethod_name *n)
{
	struct ch_constants *c = &in->constants;
	struct ch_method_key m = {
		ch_constants_string(c, n->class_name, strlen(n->class_name)),
		ch_constants_string(c, n->method, strlen(n->method)),
		ch_constants_string(c, n->sig, strlen(n->sig)),
	};

	return ch_constants_method(c, &m);
}

static void name_jmethod(struct ch_intern *in, uint64_t f, struct written *w)
{
	struct ch_jmethod_name name;
	unsigned line = 0;

	if (in->jmethod &&
	    in->jmethod(in->arg, ch_frame_what(f) << 3, ch_frame_bci(f), &name, &line))
		w->method = method_of(in, &name);
	else
		w->method = ch_constants_named(&in->constants, "[unknown method]");
	w->line = line;
}

static void name_java(struct ch_intern *in, uint64_t f, struct written *w)
{
	struct ch_def_method *d = method_def(in, ch_frame_what(f));

	if (!d) {
		w->method = ch_constants_named(&in->constants, "[unknown method]");
		return;
	}
	w->method = key_of(in, d);
	w->line = ch_method_line(in->vm, d->bytes + d->class_len + d->name_len + d->sig_len,
	                         d->lines_len, ch_frame_bci(f));
}

static struct written write_of(struct ch_intern *in, uint64_t f)
{
	enum ch_frame_kind kind = ch_frame_kind(f);
	struct written w = { .type = types_of_kind[kind] };
	const struct ch_place *p;

	switch (kind) {
	case CH_FRAME_NATIVE:
	case CH_FRAME_KERNEL:
		p = ch_constants_place(&in->constants, ch_frame_address(f),
		                       kind == CH_FRAME_KERNEL);
		w.method = p->method;
		w.type = p->type;
		break;
	case CH_FRAME_NOTE:
		w.method = note_key(in, ch_frame_address(f));
		break;
	case CH_FRAME_JMETHOD:
		name_jmethod(in, f, &w);
		break;
	default:
		name_java(in, f, &w);
		break;
	}
	return w;
}

/* --- stacks ---------------------------------------------------------------------------------- */

static uint64_t hash_words(const void *data, size_t n, uint64_t h)
{
	const uint8_t *p = data;

	for (; n >= 8; n -= 8, p += 8)
		h = ch_hash_mix(h ^ ch_load64(p), CH_HASH_K1);
	for (; n; n--, p++)
		h = ch_hash_mix(h ^ *p, CH_HASH_K2);
	return ch_hash_mix(h, CH_HASH_K2);
}

static uint32_t stack_find(struct ch_intern *in, uint64_t hash)
{
	uint32_t h = (uint32_t)(hash >> 32), id;
	size_t at = ch_index_start(&in->stack_index, h);

	while ((id = ch_index_next(&in->stack_index, h, &at)))
		if (in->stacks[id].hash == hash)
			return in->stacks[id].key;
	return 0;
}

static void stack_add(struct ch_intern *in, uint64_t hash, uint32_t key)
{
	uint32_t id = (uint32_t)in->n_stacks;

	if (CH_ROOM(in->stacks, in->stacks_cap, in->n_stacks + 1) < 0 ||
	    ch_index_put(&in->stack_index, (uint32_t)(hash >> 32), id) < 0) {
		fail(in);
		return;
	}
	in->stacks[in->n_stacks++] = (struct stack){ hash, key };
}

static const char *reason(enum ch_walk_end end)
{
	switch (end) {
	case CH_WALK_BAD_SP:
		return "[stack out of bounds]";
	case CH_WALK_BAD_PC:
		return "[unknown code]";
	case CH_WALK_BAD_FRAME:
		return "[unknown frame]";
	default:
		return "[no frames]";
	}
}

/* Encodes the frames in in->frames. */
static void encode(struct ch_intern *in, const uint64_t *frames, unsigned n, enum ch_walk_end end)
{
	struct ch_buf *b = &in->frames;
	/* A walk that broke off says where: its last frame is the reason. */
	bool broken = end >= CH_WALK_BAD_SP || !n;

	ch_buf_reset(b);
	ch_buf_putc(b, end == CH_WALK_TRUNCATED);
	ch_jfr_put_int(b, (uint64_t)n + broken);
	for (unsigned i = 0; i < n; i++) {
		struct written w = write_of(in, frames[i]);

		ch_jfr_put_int(b, w.method);
		ch_jfr_put_int(b, w.line);
		ch_jfr_put_int(b, w.type);
	}
	if (broken) {
		ch_jfr_put_int(b, ch_constants_named(&in->constants, reason(end)));
		ch_jfr_put_int(b, 0);
		ch_jfr_put_int(b, CH_FT_NATIVE);
	}
}

uint64_t ch_intern_stack(struct ch_intern *in, const uint64_t *frames, unsigned n,
                         enum ch_walk_end end)
{
	uint64_t sampled = hash_words(frames, n * sizeof(*frames), 3 + (uint64_t)end), written;
	uint32_t key = stack_find(in, sampled);

	if (key)
		return key;
	encode(in, frames, n, end);
	written = hash_words(in->frames.data, in->frames.len, 2);
	key = stack_find(in, written);
	if (!key) {
		key = in->next_stack++;
		ch_buf_put(ch_constants_put(&in->constants, CH_T_STACK, key), in->frames.data,
		           in->frames.len);
		stack_add(in, written, key);
	}
	stack_add(in, sampled, key);
	return key;
}

uint64_t ch_intern_wall_stack(struct ch_intern *in, const struct ch_rec_sample *s)
{
	struct ch_def_thread *t = thread_def(in, s->name);

	if (s->n_frames == CH_FRAMES_AS_BEFORE)
		return t && t->wall_frames
		           ? ch_intern_stack(in, t->wall_frames, t->wall_n, t->wall_end)
		           : ch_intern_stack(in, NULL, 0, CH_WALK_NATIVE);
	if (t && s->state == CH_STATE_SLEEPING)
		ch_defs_keep_wall(home_of_thread(in, s->name), t, s->frames, s->n_frames, s->end);
	return ch_intern_stack(in, s->frames, s->n_frames, s->end);
}
