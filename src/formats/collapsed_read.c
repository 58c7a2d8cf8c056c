#include "formats/collapsed.h"
#include "formats/framecache.h"
#include "formats/names.h"
#include "formats/pieces.h"
#include "formats/readers.h"
#include "base/hash.h"
#include "base/vec.h"

#include <errno.h>

#define PROBE_BYTES ((size_t)64 * 1024)
#define LINE_PROBE  ((size_t)128 << 20)
#define DEPTH_MAX   ((size_t)1 << 20)

/* One thread's share of the file. */
struct part {
	struct ch_piece piece;
	struct ch_framecache cache;
	uint16_t event;
	bool diff;
	uint32_t before, after; /* label sets of a diff */

	/* The line before this one: where its frames end and which stacks they are. */
	const char *last;
	size_t last_len, depth;
	struct level {
		size_t end;
		uint32_t node;
	} * levels;
	size_t levels_cap;

	uint64_t stacks;
	bool capped, cut;
};

/* --- counts ---------------------------------------------------------------------------------- */

struct count {
	int64_t whole;
	int64_t millionths;
	bool fraction, capped;
};

/* Digits in [s, e) with at most one point among them; whole numbers over the border stay there. */
static bool parse_number(const char *s, const char *e, struct count *ret)
{
	struct count c = { 0 };
	int64_t place = CH_COLLAPSED_SCALE / 10;

	if (s == e || (e - s == 1 && *s == '.'))
		return false;
	for (; s < e && *s != '.'; s++) {
		if (!ch_is_digit(*s))
			return false;
		c.capped |= __builtin_mul_overflow(c.whole, 10, &c.whole) ||
		            __builtin_add_overflow(c.whole, *s - '0', &c.whole);
	}
	if (s < e)
		s++;
	for (; s < e; s++, place /= 10) {
		if (!ch_is_digit(*s))
			return false;
		c.millionths += (*s - '0') * place;
		c.fraction |= *s != '0';
	}
	if (c.capped)
		c.whole = INT64_MAX;
	*ret = c;
	return true;
}

/*
 * Takes a number and the one blank before it off the end of [s, *e). Exactly one blank: a frame
 * may end in blanks of its own.
 */
static bool take_number(const char *s, const char **e, struct count *ret)
{
	const char *p = *e;

	while (p > s && (ch_is_digit(p[-1]) || p[-1] == '.'))
		p--;
	if (p == s || (p[-1] != ' ' && p[-1] != '\t') || !parse_number(p, *e, ret))
		return false;
	*e = p - 1;
	return true;
}

static const char *trim_end(const char *s, const char *e)
{
	while (e > s && ch_is_space(e[-1]))
		e--;
	return e;
}

/* A line that starts with '#' and goes on like prose; names such as `#<Class:Foo>` do not. */
static bool is_comment(const char *s, const char *e)
{
	struct count c;

	return s < e && *s == '#' && (e - s == 1 || ch_is_space(s[1]) || !take_number(s, &e, &c));
}

/* --- frames ---------------------------------------------------------------------------------- */

static size_t unescape(const char *s, size_t n, char *to)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		int c = ch_collapsed_escape(s + i, s + n);

		if (c >= 0)
			i += 3;
		to[out++] = c >= 0 ? (char)c : s[i];
	}
	return out;
}

static uint32_t new_frame(struct part *w, const char *s, size_t n, uint32_t hash)
{
	CH_CLEANUP(ch_freep) char *plain = NULL;
	struct ch_span name = { s, n };
	enum ch_kind kind = ch_name_annotation(&name);
	uint32_t id;

	if (ch_span_find(name, "\\x")) {
		plain = malloc(name.n);
		if (!plain) {
			w->piece.err = -ENOMEM;
			return 0;
		}
		name = (struct ch_span){ plain, unescape(name.s, name.n, plain) };
	}
	if (kind == CH_KIND_OTHER)
		kind = ch_name_kind(name);
	id = ch_profile_frame(w->piece.p,
	                      (struct ch_frame){ .name = ch_profile_str(w->piece.p, name.s, name.n),
	                                         .kind = (uint8_t)kind });
	if (id)
		ch_framecache_put(&w->cache, s, n, hash, id);
	return id;
}

static inline uint32_t frame_of(struct part *w, const char *s, size_t n)
{
	uint32_t hash = ch_hash_bytes(s, n);
	uint32_t id = ch_framecache_find(&w->cache, s, n, hash);

	return CH_LIKELY(id) ? id : new_frame(w, s, n, hash);
}

/* How many frames [s, s + n) shares with the line before. Sorted files share nearly all. */
static inline size_t shared_levels(const struct part *w, const char *s, size_t n)
{
	size_t same = ch_common(s, w->last, n < w->last_len ? n : w->last_len);
	size_t k = 0;

	while (k < w->depth && w->levels[k].end < same)
		k++;
	if (k < w->depth && w->levels[k].end == same && (same == n || s[same] == ';'))
		k++;
	return k;
}

/* The stack written in [s, s + n). */
static uint32_t stack_of(struct part *w, const char *s, size_t n)
{
	size_t k = shared_levels(w, s, n);
	uint32_t node = k ? w->levels[k - 1].node : 0;
	const char *p = s + (k ? w->levels[k - 1].end + 1 : 0), *end = s + n;

	while (p < end || (p == end && n && p[-1] == ';')) {
		const char *stop = ch_scan(p, end, w->piece.limit, ';');

		if (CH_UNLIKELY(k == DEPTH_MAX)) {
			w->cut = true;
			break;
		}
		if (CH_UNLIKELY(CH_ROOM(w->levels, w->levels_cap, k + 1) < 0)) {
			w->piece.err = -ENOMEM;
			break;
		}
		node = ch_profile_push(w->piece.p, node, frame_of(w, p, (size_t)(stop - p)));
		w->levels[k++] = (struct level){ (size_t)(stop - s), node };
		p = stop + 1;
	}
	w->last = s;
	w->last_len = n;
	w->depth = k;
	return node;
}

/* --- lines ----------------------------------------------------------------------------------- */

static int64_t scaled(struct part *w, const struct count *c)
{
	int64_t scale;

	if (c->fraction)
		ch_profile_rescale(w->piece.p, w->event, CH_COLLAPSED_SCALE);
	scale = w->piece.p->events[w->event].scale;
	w->capped |= c->capped || c->whole > INT64_MAX / scale;
	return ch_sat_add(ch_sat_mul(c->whole, scale),
	                  c->millionths * (scale / CH_COLLAPSED_SCALE));
}

static void add(struct part *w, uint32_t stack, uint32_t labels, const struct count *c)
{
	int64_t n = scaled(w, c);

	ch_profile_add(w->piece.p, &(struct ch_sample){ .event = w->event,
	                                                .stack = stack,
	                                                .labels = labels,
	                                                .samples = n,
	                                                .value = n,
	                                                .time_ns = CH_NO_TIME });
}

static void read_line(struct part *w, const char *s, const char *e)
{
	struct count after, before = { 0 };
	uint32_t stack;

	e = trim_end(s, e);
	if (s == e || (*s == '#' && is_comment(s, e)))
		return;
	if (!take_number(s, &e, &after) || (w->diff && !take_number(s, &e, &before))) {
		ch_piece_bad_line(&w->piece, w->piece.lines);
		return;
	}
	stack = stack_of(w, s, (size_t)(e - s));
	w->stacks++;
	if (!w->diff) {
		add(w, stack, 0, &after);
		return;
	}
	add(w, stack, w->before, &before);
	add(w, stack, w->after, &after);
}

static void step(struct ch_piece *piece)
{
	const char *e = ch_line_end(piece->at, piece->end);

	piece->lines++;
	read_line((struct part *)piece, piece->at, e);
	piece->at = e < piece->end ? e + 1 : e;
}

/* --- the file -------------------------------------------------------------------------------- */

/* True when every line of [s, end) that is no comment ends in two numbers. */
static bool all_lines_have_two(const char *s, const char *end)
{
	size_t found = 0;

	for (const char *e; s < end; s = e + 1) {
		struct count c;
		const char *stop;

		e = ch_line_end(s, end);
		stop = trim_end(s, e);
		if (s == stop || is_comment(s, stop))
			continue;
		if (!take_number(s, &stop, &c) || !take_number(s, &stop, &c))
			return false;
		found++;
	}
	return found > 0;
}

static const char *next_line(struct ch_span text, const char *p)
{
	const char *end = text.s + text.n;

	if (p == text.s || p[-1] == '\n')
		return p;
	p = ch_line_end(p, end);
	return p < end ? p + 1 : end;
}

static int init(struct ch_piece *piece, const void *arg)
{
	struct part *w = (struct part *)piece;
	struct ch_profile *p = piece->p;
	uint32_t side;

	w->event = ch_profile_event(p, "samples", "count");
	w->last = piece->at;
	w->diff = *(const bool *)arg;
	if (w->diff) {
		side = ch_profile_strz(p, "side");
		w->before = ch_profile_label(p, 0, side, ch_profile_strz(p, "before"));
		w->after = ch_profile_label(p, 0, side, ch_profile_strz(p, "after"));
	}
	return ch_framecache_init(&w->cache);
}

static void finish(struct ch_piece *piece)
{
	(void)piece; /* a line is complete in itself */
}

static void done(struct ch_piece *piece)
{
	struct part *w = (struct part *)piece;

	ch_framecache_done(&w->cache);
	free(w->levels);
}

static void sum(struct ch_piece *first, const struct ch_piece *later)
{
	struct part *a = (struct part *)first;
	const struct part *b = (const struct part *)later;

	a->stacks += b->stacks;
	a->capped |= b->capped;
	a->cut |= b->cut;
}

static int conclude(const struct ch_piece *first, struct ch_profile *p, struct ch_error *err)
{
	const struct part *w = (const struct part *)first;
	const char *name = first->in->name;

	if (!w->stacks)
		return ch_fail(err, -EINVAL, "'%s': no line is a stack and a count", name);
	if (first->bad)
		ch_profile_damage(
		    p, "'%s': %llu of %llu lines end in no count, the first is line %llu", name,
		    (unsigned long long)first->bad, (unsigned long long)first->lines,
		    (unsigned long long)first->first_bad);
	if (w->capped)
		ch_profile_damage(p, "'%s': counts too large to add up were capped", name);
	if (w->cut)
		ch_profile_damage(p, "'%s': stacks deeper than %zu frames were cut", name,
		                  DEPTH_MAX);
	return 0;
}

int ch_collapsed_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	static const struct ch_piece_ops ops = {
		sizeof(struct part), next_line, init, step, finish, done, sum, conclude,
	};
	struct ch_span text = ch_input_text(in);
	bool diff = all_lines_have_two(text.s, text.s + text.n);

	return ch_pieces_read(in, text, &ops, &diff, p, err);
}

int ch_collapsed_probe(const struct ch_input *in)
{
	struct ch_span text = ch_input_text(in);
	const char *s = text.s, *end = s + (text.n < PROBE_BYTES ? text.n : PROBE_BYTES);
	size_t good = 0, bad = 0, deep = 0;

	for (const char *e; s < end; s = e + 1) {
		struct count c;
		const char *stop;

		e = ch_line_end(s, end);
		if (e == end && text.n > PROBE_BYTES) {
			if (good || bad)
				break; /* the probe ends inside this line */
			/* A first line this long is a deep stack, or nothing known here. */
			e = ch_line_end(s, text.s + (text.n < LINE_PROBE ? text.n : LINE_PROBE));
		}
		stop = trim_end(s, e);
		if (s == stop || is_comment(s, stop))
			continue;
		if (!take_number(s, &stop, &c)) {
			bad++;
			continue;
		}
		good++;
		deep += memchr(s, ';', (size_t)(stop - s)) != NULL;
	}
	/* Logs and tables have lines that end in numbers too: semicolons make it likely. */
	if (!good || bad * 4 > good || memchr(text.s, 0, (size_t)(end - text.s)))
		return 0;
	return deep * 2 >= good ? 70 : deep ? 40 : 10;
}
