/*
 * honest-profiler's log: records of one type byte and big-endian fields, without a header.
 *
 *	 1 trace     frames i32, thread i64
 *	11 trace     frames i32, thread i64, seconds i64, nanoseconds i64
 *	 2 frame     bci i32, method i64
 *	21 frame     bci i32, line i32, method i64
 *	 3 method    id i64, file, class, name
 *	31 method    id i64, file, class, generic class, name, signature, generic signature
 *	 4 thread    id i64, name
 *
 * Strings have an i32 length before them. A trace's frames follow it, leaf first, with the records
 * of methods between them and sometimes behind: methods and threads are collected in a first walk.
 */
#include "formats/names.h"
#include "formats/readers.h"
#include "base/buf.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>

#define PROBE_BYTES ((size_t)64 * 1024)
#define DEPTH_MAX   ((size_t)1 << 20)

enum type {
	END = 0, /* the rest of the file was not written yet */
	TRACE = 1,
	TRACE_TIMED = 11,
	FRAME = 2,
	FRAME_LINE = 21,
	METHOD = 3,
	METHOD_SIGNED = 31,
	THREAD = 4,
};

struct record {
	uint8_t type;
	int32_t frames; /* of a trace: how many, or why there are none, as zero or less */
	int32_t line;
	int64_t id; /* thread of a trace, method of a frame, id of a method or thread */
	int64_t time_ns;
	struct ch_span file, class, name;
};

/* Things named by a 64-bit id: methods, threads. */
struct named {
	struct ch_index index;
	struct entry {
		int64_t id;
		uint32_t name, file; /* string ids */
		uint32_t labels;
	} * entries;
	size_t n, cap;
};

struct hpl {
	struct ch_profile *p;
	struct named methods, threads;
	uint16_t event;
	uint32_t key_thread, key_tid; /* string ids, 0 when not wanted */

	bool in_trace;
	struct record trace;
	struct frame {
		int64_t method;
		int32_t line;
	} * frames;
	size_t n_frames, frames_cap;
	struct ch_buf scratch;

	uint64_t traces, short_traces, unnamed;
	int err;
};

/* --- records --------------------------------------------------------------------------------- */

static struct ch_span take_string(struct ch_cursor *c)
{
	uint32_t n = (uint32_t)ch_cursor_be(c, 4);
	const uint8_t *s = ch_cursor_take(c, n);

	return c->bad ? CH_NO_SPAN : (struct ch_span){ (const char *)s, n };
}

static void take_trace(struct ch_cursor *c, struct record *r)
{
	r->frames = (int32_t)ch_cursor_be(c, 4);
	r->id = (int64_t)ch_cursor_be(c, 8);
	r->time_ns = CH_NO_TIME;
	if (r->type == TRACE_TIMED) {
		int64_t seconds = (int64_t)ch_cursor_be(c, 8);

		r->time_ns =
		    ch_sat_add(ch_sat_mul(seconds, 1000000000), (int64_t)ch_cursor_be(c, 8));
	}
}

static void take_method(struct ch_cursor *c, struct record *r)
{
	r->id = (int64_t)ch_cursor_be(c, 8);
	r->file = take_string(c);
	r->class = take_string(c);
	if (r->type == METHOD_SIGNED)
		take_string(c); /* generic class */
	r->name = take_string(c);
	if (r->type == METHOD_SIGNED) {
		take_string(c); /* signature */
		take_string(c); /* generic signature */
	}
}

/* False when there is no further record, and then c->bad when that is wrong. */
static bool take_record(struct ch_cursor *c, struct record *ret)
{
	struct record r = { 0 };

	if (!ch_cursor_left(c))
		return false;
	r.type = ch_cursor_u8(c);
	switch (r.type) {
	case TRACE:
	case TRACE_TIMED:
		take_trace(c, &r);
		break;
	case FRAME:
	case FRAME_LINE:
		(void)ch_cursor_be(c, 4); /* bytecode index */
		if (r.type == FRAME_LINE)
			r.line = (int32_t)ch_cursor_be(c, 4);
		r.id = (int64_t)ch_cursor_be(c, 8);
		break;
	case METHOD:
	case METHOD_SIGNED:
		take_method(c, &r);
		break;
	case THREAD:
		r.id = (int64_t)ch_cursor_be(c, 8);
		r.name = take_string(c);
		break;
	case END:
		return false;
	default:
		ch_cursor_fail(c);
		break;
	}
	*ret = r;
	return !c->bad;
}

/* --- methods and threads --------------------------------------------------------------------- */

static struct entry *find(const struct named *t, int64_t id)
{
	uint32_t hash = ch_hash_u64((uint64_t)id, 0), at_id;
	size_t at = ch_index_start(&t->index, hash);

	if (!t->n)
		return NULL;
	while ((at_id = ch_index_next(&t->index, hash, &at)))
		if (t->entries[at_id - 1].id == id)
			return &t->entries[at_id - 1];
	return NULL;
}

/* The last definition wins: ids are addresses and come back after a class was unloaded. */
static int define(struct named *t, struct entry e)
{
	struct entry *known = find(t, e.id);

	if (known) {
		*known = e;
		return 0;
	}
	if (CH_ROOM(t->entries, t->cap, t->n + 1) < 0)
		return -ENOMEM;
	t->entries[t->n++] = e;
	return ch_index_put(&t->index, ch_hash_u64((uint64_t)e.id, 0), (uint32_t)t->n);
}

/* `Ljava/io/PrintStream;` and `printf` as java/io/PrintStream.printf. */
static uint32_t method_name(struct hpl *h, struct ch_span class, struct ch_span name)
{
	struct ch_buf *b = &h->scratch;

	if (class.n >= 2 && class.s[0] == 'L' && class.s[class.n - 1] == ';')
		class = (struct ch_span){ class.s + 1, class.n - 2 };
	ch_buf_reset(b);
	ch_buf_put(b, class.s, class.n);
	ch_buf_putc(b, '.');
	ch_buf_put(b, name.s, name.n);
	if (b->err) {
		h->err = b->err;
		return 0;
	}
	return ch_profile_str(h->p, b->data, b->len);
}

static void define_method(struct hpl *h, const struct record *r)
{
	struct entry e = {
		.id = r->id,
		.name = method_name(h, r->class, r->name),
		.file = h->p->want.lines ? ch_profile_str(h->p, r->file.s, r->file.n) : 0,
	};

	if (define(&h->methods, e) < 0)
		h->err = -ENOMEM;
}

static void define_thread(struct hpl *h, int64_t id, struct ch_span name)
{
	struct ch_profile *p = h->p;
	struct entry e = { .id = id };
	char tid[24];

	(void)snprintf(tid, sizeof(tid), "%lld", (long long)id);
	if (!name.n)
		name = (struct ch_span){ tid, strlen(tid) };
	if (h->key_thread)
		e.labels =
		    ch_profile_label(p, e.labels, h->key_thread, ch_profile_str(p, name.s, name.n));
	if (h->key_tid)
		e.labels = ch_profile_label(p, e.labels, h->key_tid, ch_profile_strz(p, tid));
	if (define(&h->threads, e) < 0)
		h->err = -ENOMEM;
}

static void collect_names(struct hpl *h, struct ch_cursor c)
{
	struct record r;

	while (!h->err && take_record(&c, &r)) {
		if (r.type == METHOD || r.type == METHOD_SIGNED)
			define_method(h, &r);
		else if (r.type == THREAD)
			define_thread(h, r.id, r.name);
	}
}

/* --- traces ---------------------------------------------------------------------------------- */

/* Why the JVM gave no stack, in async-profiler's words. */
static const char *failure(int32_t frames)
{
	static const char *const names[] = {
		"[no_Java_frame]",
		"[no_class_load]",
		"[GC_active]",
		"[unknown_not_Java]",
		"[not_walkable_not_Java]",
		"[unknown_Java]",
		"[not_walkable_Java]",
		"[unknown_state]",
		"[thread_exit]",
		"[deoptimization]",
		"[safepoint]",
	};

	return frames > -(int32_t)CH_LEN(names) ? names[-frames] : "[unknown_error]";
}

static uint32_t frame_of(struct hpl *h, const struct frame *r)
{
	const struct entry *m = find(&h->methods, r->method);
	struct ch_frame f = { .kind = CH_KIND_JAVA, .line = r->line > 0 ? (uint32_t)r->line : 0 };

	if (m) {
		f.name = m->name;
		f.file = m->file;
	} else {
		h->unnamed++;
		f.name = ch_profile_strz(h->p, "[unknown_method]");
	}
	return ch_profile_frame(h->p, f);
}

static uint32_t stack_of(struct hpl *h)
{
	uint32_t node = 0;

	if (h->trace.frames <= 0)
		return ch_profile_push(
		    h->p, 0,
		    ch_profile_frame(h->p, (struct ch_frame){ .name = ch_profile_strz(
		                                                  h->p, failure(h->trace.frames)),
		                                              .kind = CH_KIND_JVM }));
	for (size_t i = h->n_frames; i-- > 0;)
		node = ch_profile_push(h->p, node, frame_of(h, &h->frames[i]));
	return node;
}

static uint32_t labels_of(struct hpl *h)
{
	const struct entry *t = find(&h->threads, h->trace.id);

	if (!t) {
		define_thread(h, h->trace.id, CH_NO_SPAN);
		t = find(&h->threads, h->trace.id);
	}
	return t ? t->labels : 0;
}

static void end_trace(struct hpl *h)
{
	if (!h->in_trace)
		return;
	h->in_trace = false;
	if (h->trace.frames > 0 && h->n_frames < (size_t)h->trace.frames) {
		/* The frames near the root are missing: where it belongs is not known. */
		h->short_traces++;
		return;
	}
	ch_profile_add(h->p, &(struct ch_sample){ .event = h->event,
	                                          .stack = stack_of(h),
	                                          .labels = labels_of(h),
	                                          .samples = 1,
	                                          .value = 1,
	                                          .time_ns = h->trace.time_ns });
	h->traces++;
}

static void add_frame(struct hpl *h, const struct record *r)
{
	if (!h->in_trace || h->n_frames >= (size_t)h->trace.frames)
		return;
	if (h->n_frames == DEPTH_MAX) {
		ch_profile_damage(h->p, "traces deeper than %zu frames were cut", DEPTH_MAX);
		h->trace.frames = (int32_t)DEPTH_MAX;
		return;
	}
	if (CH_ROOM(h->frames, h->frames_cap, h->n_frames + 1) < 0) {
		h->err = -ENOMEM;
		return;
	}
	h->frames[h->n_frames++] = (struct frame){ r->id, r->line };
}

/* Reads all traces; returns where it had to stop in the middle of a record, or NULL. */
static const uint8_t *read_traces(struct hpl *h, struct ch_cursor c)
{
	const uint8_t *start = c.p;
	struct record r;

	while (!h->err && !h->p->err && take_record(&c, &r)) {
		start = c.p;
		if (r.type == TRACE || r.type == TRACE_TIMED) {
			end_trace(h);
			h->in_trace = true;
			h->trace = r;
			h->n_frames = 0;
		} else if (r.type == FRAME || r.type == FRAME_LINE) {
			if (h->in_trace && h->trace.frames > 0)
				add_frame(h, &r);
		}
	}
	end_trace(h);
	return c.bad ? start : NULL;
}

/* --- the file -------------------------------------------------------------------------------- */

static int conclude(struct hpl *h, const struct ch_input *in, const uint8_t *stopped,
                    struct ch_error *err)
{
	if (h->err)
		return ch_fail(err, h->err, "read '%s': %m", in->name);
	if (ch_profile_status(h->p, err) < 0)
		return err->code;
	if (!h->traces)
		return ch_fail(err, -EINVAL, "'%s': there is no complete trace in this log",
		               in->name);
	if (stopped)
		ch_profile_damage(h->p,
		                  "'%s': no record starts at byte %llu, the rest was not read",
		                  in->name, (unsigned long long)(stopped - in->data));
	if (h->short_traces)
		ch_profile_damage(
		    h->p, "'%s': %llu traces have fewer frames than announced and were left out",
		    in->name, (unsigned long long)h->short_traces);
	if (h->unnamed)
		ch_profile_note(h->p, "'%s': %llu frames are of methods that the log does not name",
		                in->name, (unsigned long long)h->unnamed);
	return 0;
}

static void hpl_done(struct hpl *h)
{
	ch_index_done(&h->methods.index);
	ch_index_done(&h->threads.index);
	free(h->methods.entries);
	free(h->threads.entries);
	free(h->frames);
	ch_buf_done(&h->scratch);
}

int ch_hpl_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct ch_cursor c = ch_cursor(in->data, in->size);
	struct hpl h = { .p = p, .scratch = CH_BUF((size_t)1 << 30) };
	int r;

	h.event = ch_profile_event(p, "honest-profiler", "count");
	h.key_thread = ch_profile_wants(p, "thread") ? ch_profile_strz(p, "thread") : 0;
	h.key_tid = ch_profile_wants(p, "tid") ? ch_profile_strz(p, "tid") : 0;
	collect_names(&h, c);
	r = conclude(&h, in, read_traces(&h, c), err);
	hpl_done(&h);
	return r;
}

/* Ids of frames and threads can be anything; counts, lengths and text cannot. */
static bool plausible(const struct record *r)
{
	if (r->type == TRACE || r->type == TRACE_TIMED)
		return r->frames > -64 && r->frames <= (1 << 16);
	if (r->type == METHOD || r->type == METHOD_SIGNED)
		return r->name.n && r->name.n < CH_NAME_MAX && r->class.n < CH_NAME_MAX;
	return r->name.n < CH_NAME_MAX;
}

int ch_hpl_probe(const struct ch_input *in)
{
	struct ch_cursor c = ch_cursor(in->data, in->size < PROBE_BYTES ? in->size : PROBE_BYTES);
	unsigned records = 0, traces = 0, methods = 0;
	struct record r;

	while (take_record(&c, &r)) {
		if (!plausible(&r))
			return 0;
		records++;
		traces += r.type == TRACE || r.type == TRACE_TIMED;
		methods += r.type == METHOD || r.type == METHOD_SIGNED;
	}
	if (c.bad && records < 16 && in->size >= PROBE_BYTES)
		return 0;
	if (traces && methods)
		return 90;
	return traces && records >= 2 ? 60 : 0;
}
