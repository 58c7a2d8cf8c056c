#include "formats/framecache.h"
#include "formats/perf.h"
#include "formats/pieces.h"
#include "formats/readers.h"
#include "base/hash.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#define PROBE_BYTES ((size_t)64 * 1024)
#define DEPTH_MAX   ((size_t)1 << 20)
#define EVENTS_MAX  256

/* Cached ids with this bit are numbers in `lists`: one line that stands for several frames. */
#define LIST_BIT ((uint32_t)1 << 31)

struct event {
	struct ch_span text; /* as in the file, with modifiers */
	uint16_t id;
	bool wanted;
};

/* What the samples of one thread share. */
struct thread {
	uint32_t root; /* the stack that holds comm only */
	uint32_t labels;
};

struct line {
	struct ch_span text;
	uint32_t hash;
};

/* One thread's share of the file. */
struct part {
	struct ch_piece piece;
	struct ch_framecache frames;    /* text of a frame line → frame, or list */
	struct ch_framecache thread_of; /* text of comm and tid → number in threads, plus one */
	uint32_t *lists;                /* a number of frames, the frames, the next number … */
	size_t n_lists, lists_cap;
	struct thread *threads;
	size_t n_threads, threads_cap;
	struct event *events;
	size_t n_events, events_cap;
	struct {
		uint32_t comm, thread, pid, tid, cpu; /* string ids, 0 when not wanted */
	} keys;

	/* The sample at hand. */
	bool in_sample;
	bool one_line; /* its only frame stands in the header */
	bool weak;     /* its header could be any text */
	struct event event;
	uint64_t header_line;
	struct ch_perf_header header;
	struct line *stack; /* leaf first, as in the file */
	size_t depth, stack_cap;

	uint64_t samples, bare;
	bool cut, many_events;
};

/* --- frames and threads ---------------------------------------------------------------------- */

static uint32_t store_list(struct part *w, const struct ch_perf_frames *f)
{
	uint32_t at = (uint32_t)w->n_lists;

	if (w->n_lists + f->n + 1 >= LIST_BIT ||
	    CH_ROOM(w->lists, w->lists_cap, w->n_lists + f->n + 1) < 0) {
		w->piece.err = -ENOMEM;
		return f->id[0];
	}
	w->lists[w->n_lists++] = (uint32_t)f->n;
	for (size_t i = 0; i < f->n; i++)
		w->lists[w->n_lists++] = f->id[i];
	return at | LIST_BIT;
}

static uint32_t new_frame(struct part *w, const struct line *l)
{
	struct ch_perf_frames f;
	uint32_t id;

	ch_perf_frames_parse(w->piece.p, l->text, &f);
	id = f.n > 1 ? store_list(w, &f) : f.id[0];
	if (id)
		ch_framecache_put(&w->frames, l->text.s, l->text.n, l->hash, id);
	return id;
}

static uint32_t push_list(struct part *w, uint32_t node, uint32_t at)
{
	for (uint32_t i = 1; i <= w->lists[at]; i++)
		node = ch_profile_push(w->piece.p, node, w->lists[at + i]);
	return node;
}

static uint32_t push_line(struct part *w, uint32_t node, const struct line *l)
{
	uint32_t id = ch_framecache_find(&w->frames, l->text.s, l->text.n, l->hash);

	if (CH_UNLIKELY(!id))
		id = new_frame(w, l);
	if (CH_UNLIKELY(id & LIST_BIT))
		return push_list(w, node, id & ~LIST_BIT);
	return ch_profile_push(w->piece.p, node, id);
}

static uint32_t with_label(struct part *w, uint32_t set, uint32_t key, struct ch_span value)
{
	struct ch_profile *p = w->piece.p;

	return key && value.n ? ch_profile_label(p, set, key, ch_profile_str(p, value.s, value.n))
	                      : set;
}

static struct thread new_thread(struct part *w, const struct ch_perf_header *h)
{
	struct ch_profile *p = w->piece.p;
	struct thread t = { 0 };

	t.labels = with_label(w, t.labels, w->keys.comm, h->comm);
	t.labels = with_label(w, t.labels, w->keys.thread, h->comm);
	t.labels = with_label(w, t.labels, w->keys.pid, h->pid);
	t.labels = with_label(w, t.labels, w->keys.tid, h->tid);
	if (h->comm.n)
		t.root = ch_profile_push(
		    p, 0,
		    ch_profile_frame(
		        p, (struct ch_frame){ .name = ch_profile_str(p, h->comm.s, h->comm.n),
		                              .kind = CH_KIND_LABEL }));
	return t;
}

static struct thread thread_of(struct part *w, const struct ch_perf_header *h)
{
	uint32_t hash = ch_hash_bytes(h->who.s, h->who.n);
	uint32_t at = ch_framecache_find(&w->thread_of, h->who.s, h->who.n, hash);
	struct thread t;

	if (at)
		return w->threads[at - 1];
	t = new_thread(w, h);
	if (CH_ROOM(w->threads, w->threads_cap, w->n_threads + 1) < 0)
		return t;
	w->threads[w->n_threads++] = t;
	ch_framecache_put(&w->thread_of, h->who.s, h->who.n, hash, (uint32_t)w->n_threads);
	return t;
}

/* --- events ---------------------------------------------------------------------------------- */

static bool counts_ns(const char *type)
{
	return !strcmp(type, "cpu-clock") || !strcmp(type, "task-clock");
}

static struct event new_event(struct part *w, const struct ch_perf_header *h)
{
	struct ch_span name = ch_perf_event_name(h->event);
	struct event e = { .text = h->event };
	char type[256];

	if (!name.n)
		name = CH_SPAN("perf");
	(void)snprintf(type, sizeof(type), "%.*s", (int)(name.n < 255 ? name.n : 255), name.s);
	e.wanted = ch_profile_wants_event(w->piece.p, type);
	if (e.wanted)
		e.id = ch_profile_event(w->piece.p, type,
		                        h->period && counts_ns(type) ? "ns" : "count");
	return e;
}

static struct event event_of(struct part *w, const struct ch_perf_header *h)
{
	struct ch_perf_header other = CH_PERF_NO_HEADER;

	for (size_t i = 0; i < w->n_events; i++)
		if (ch_span_equal(w->events[i].text, h->event))
			return w->events[i];
	/* No honest file has as many: do not search ever longer. */
	if (w->n_events >= EVENTS_MAX) {
		w->many_events = true;
		return new_event(w, &other);
	}
	if (CH_ROOM(w->events, w->events_cap, w->n_events + 1) < 0) {
		w->piece.err = -ENOMEM;
		return (struct event){ 0 };
	}
	w->events[w->n_events] = new_event(w, h);
	return w->events[w->n_events++];
}

/* --- samples --------------------------------------------------------------------------------- */

static uint32_t labels_of(struct part *w, const struct thread *t)
{
	struct ch_span cpu = w->header.cpu;

	while (cpu.n > 1 && cpu.s[0] == '0')
		cpu.s++, cpu.n--;
	return with_label(w, t->labels, w->keys.cpu, cpu);
}

static void end_sample(struct part *w)
{
	const struct ch_perf_header *h = &w->header;
	struct thread t;
	uint32_t node;

	if (!w->in_sample)
		return;
	w->in_sample = false;
	if (!w->event.wanted)
		return;
	if (!w->depth) {
		if (w->weak)
			ch_piece_bad_line(&w->piece, w->header_line);
		else
			w->bare++;
		return;
	}
	t = thread_of(w, h);
	node = t.root;
	for (size_t i = w->depth; i-- > 0;)
		node = push_line(w, node, &w->stack[i]);
	ch_profile_add(w->piece.p, &(struct ch_sample){ .event = w->event.id,
	                                                .stack = node,
	                                                .labels = labels_of(w, &t),
	                                                .samples = 1,
	                                                .value = h->period ? h->period : 1,
	                                                .time_ns = h->time_ns });
	w->samples++;
}

static inline void add_frame(struct part *w, struct ch_span text)
{
	struct line *l;

	if (!w->event.wanted)
		return;
	if (CH_UNLIKELY(w->depth == w->stack_cap)) {
		if (w->depth == DEPTH_MAX) {
			w->cut = true;
			return;
		}
		if (CH_ROOM(w->stack, w->stack_cap, w->depth + 1) < 0) {
			w->piece.err = -ENOMEM;
			return;
		}
	}
	l = &w->stack[w->depth++];
	l->text = text;
	l->hash = ch_hash_bytes(text.s, text.n);
	ch_framecache_prefetch(&w->frames, l->hash);
}

static void begin_sample(struct part *w, const struct ch_perf_header *h, bool weak)
{
	struct ch_span text, rest = h->rest;

	end_sample(w);
	w->in_sample = true;
	w->weak = weak;
	w->header = *h;
	w->header_line = w->piece.lines;
	w->depth = 0;
	w->event = event_of(w, h);
	/* The blank before it makes the rest look like a line of a stack. */
	w->one_line = rest.n && ch_perf_is_frame(rest.s - 1, rest.s + rest.n, rest.s, &text);
	if (w->one_line)
		add_frame(w, text);
}

/* A source line belongs to the frame above it: the text of that one now reaches to its end. */
static void add_source(struct part *w, const char *end)
{
	struct line *l;

	if (!w->depth || !w->piece.p->want.lines)
		return;
	l = &w->stack[w->depth - 1];
	l->text.n = (size_t)(end - l->text.s);
	l->hash = ch_hash_bytes(l->text.s, l->text.n);
}

/* --- lines ----------------------------------------------------------------------------------- */

static bool is_blank(const char *s, const char *e)
{
	while (s < e && ch_is_space(*s))
		s++;
	return s == e;
}

static void outer_line(struct part *w, const char *s, const char *e)
{
	struct ch_perf_header h;
	struct ch_span text;
	bool strong = ch_perf_header_parse((struct ch_span){ s, (size_t)(e - s) }, &h);

	/* `perf script -F ip,sym` has no headers at all. */
	if (!strong && ch_perf_is_frame(s, e, w->piece.limit, &text)) {
		begin_sample(w, &CH_PERF_NO_HEADER, true);
		add_frame(w, text);
		return;
	}
	begin_sample(w, &h, !strong);
}

/* Inside a sample: a frame, a source line, or the header of the next one. */
static void inner_line(struct part *w, const char *s, const char *e)
{
	struct ch_perf_header h;
	struct ch_span text;

	if (w->one_line && ch_perf_header_parse((struct ch_span){ s, (size_t)(e - s) }, &h)) {
		begin_sample(w, &h, false);
	} else if (ch_perf_is_frame(s, e, w->piece.limit, &text)) {
		/* So what looked like a frame in the header was a tracepoint's text. */
		if (w->one_line)
			w->depth = 0;
		w->one_line = false;
		add_frame(w, text);
	} else if (ch_is_space(*s)) {
		add_source(w, e);
	} else {
		outer_line(w, s, e);
	}
}

static void step(struct ch_piece *piece)
{
	struct part *w = (struct part *)piece;
	const char *s = piece->at, *e = ch_line_end(s, piece->end);
	struct ch_span text;

	piece->lines++;
	piece->at = e < piece->end ? e + 1 : e;
	if (w->in_sample && !w->one_line && ch_perf_is_usual_frame(s, e, piece->limit)) {
		text = (struct ch_span){ s + 18, (size_t)(e - s) - 18 };
		add_frame(w, text);
	} else if (is_blank(s, e)) {
		end_sample(w);
	} else if (*s != '#') {
		if (w->in_sample)
			inner_line(w, s, e);
		else
			outer_line(w, s, e);
	}
}

/* --- the file -------------------------------------------------------------------------------- */

static const char *next_sample(struct ch_span text, const char *p)
{
	const char *end = text.s + text.n;

	p = ch_line_end(p, end);
	while (p < end) {
		const char *s = p + 1, *e = s < end ? ch_line_end(s, end) : end;
		struct ch_perf_header h;
		struct ch_span frame;

		if (is_blank(s, e))
			return e < end ? e + 1 : end;
		if (!ch_perf_is_frame(s, e, end, &frame) &&
		    ch_perf_header_parse((struct ch_span){ s, (size_t)(e - s) }, &h))
			return s;
		p = e;
	}
	return end;
}

static int init(struct ch_piece *piece, const void *arg)
{
	struct part *w = (struct part *)piece;
	struct ch_profile *p = piece->p;
	int r;

	(void)arg;
	w->keys.comm = ch_profile_wants(p, "comm") ? ch_profile_strz(p, "comm") : 0;
	w->keys.thread = ch_profile_wants(p, "thread") ? ch_profile_strz(p, "thread") : 0;
	w->keys.pid = ch_profile_wants(p, "pid") ? ch_profile_strz(p, "pid") : 0;
	w->keys.tid = ch_profile_wants(p, "tid") ? ch_profile_strz(p, "tid") : 0;
	w->keys.cpu = ch_profile_wants(p, "cpu") ? ch_profile_strz(p, "cpu") : 0;
	r = ch_framecache_init(&w->frames);
	if (r < 0)
		return r;
	r = ch_framecache_init(&w->thread_of);
	if (r < 0)
		ch_framecache_done(&w->frames);
	return r;
}

static void finish(struct ch_piece *piece)
{
	end_sample((struct part *)piece);
}

static void done(struct ch_piece *piece)
{
	struct part *w = (struct part *)piece;

	ch_framecache_done(&w->frames);
	ch_framecache_done(&w->thread_of);
	free(w->lists);
	free(w->threads);
	free(w->events);
	free(w->stack);
}

static void sum(struct ch_piece *first, const struct ch_piece *later)
{
	struct part *a = (struct part *)first;
	const struct part *b = (const struct part *)later;

	a->samples += b->samples;
	a->bare += b->bare;
	a->cut |= b->cut;
	a->many_events |= b->many_events;
}

static int conclude(const struct ch_piece *first, struct ch_profile *p, struct ch_error *err)
{
	const struct part *w = (const struct part *)first;
	const char *name = first->in->name;

	if (!w->samples && !p->want.event)
		return ch_fail(err, -EINVAL, "'%s': no sample of perf script has a stack%s", name,
		               w->bare ? "; record with 'perf record -g'" : "");
	if (first->bad)
		ch_profile_damage(
		    p, "'%s': %llu of %llu lines are not perf script's, the first is line %llu",
		    name, (unsigned long long)first->bad, (unsigned long long)first->lines,
		    (unsigned long long)first->first_bad);
	if (w->bare)
		ch_profile_note(p, "'%s': %llu samples without a stack were left out", name,
		                (unsigned long long)w->bare);
	if (w->many_events)
		ch_profile_damage(p,
		                  "'%s': more than %d kinds of events; the rest counts as 'perf'",
		                  name, EVENTS_MAX);
	if (w->cut)
		ch_profile_damage(p, "'%s': stacks deeper than %zu frames were cut", name,
		                  DEPTH_MAX);
	return 0;
}

int ch_perf_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	static const struct ch_piece_ops ops = {
		sizeof(struct part), next_sample, init, step, finish, done, sum, conclude,
	};

	return ch_pieces_read(in, ch_input_text(in), &ops, NULL, p, err);
}

/* An address as addresses are, and something behind it: a weak header needs that much. */
static bool has_address(const char *s, const char *e)
{
	const char *digits;

	while (s < e && ch_is_space(*s))
		s++;
	for (digits = s; s < e && isxdigit((unsigned char)*s);)
		s++;
	return s - digits >= 4 && s < e && *s == ' ';
}

int ch_perf_probe(const struct ch_input *in)
{
	struct ch_span text = ch_input_text(in), frame;
	const char *s = text.s, *end = s + (text.n < PROBE_BYTES ? text.n : PROBE_BYTES);
	bool header = false, strong = false;

	for (const char *e; s < end; s = e + 1) {
		struct ch_perf_header h;

		e = ch_line_end(s, end);
		if (is_blank(s, e) || *s == '#')
			continue;
		if (header && ch_perf_is_frame(s, e, end, &frame) && (strong || has_address(s, e)))
			return strong ? 90 : 60;
		strong = ch_perf_header_parse((struct ch_span){ s, (size_t)(e - s) }, &h);
		if (strong && h.rest.n &&
		    ch_perf_is_frame(h.rest.s - 1, h.rest.s + h.rest.n, h.rest.s, &frame))
			return 90;
		header = true;
	}
	return 0;
}
