#include "formats/collapsed.h"
#include "formats/framecache.h"
#include "formats/names.h"
#include "formats/readers.h"
#include "base/hash.h"
#include "base/vec.h"
#include "sys/par.h"

#include <errno.h>

#define PROBE_BYTES   ((size_t)64 * 1024)
#define RELEASE_BYTES ((size_t)8 << 20)
/* Below this a second thread and the merge of its profile cost more than they save. */
#define PART_BYTES ((size_t)4 << 20)
#define PARTS_MAX  64
#define DEPTH_MAX  ((size_t)1 << 20)

/* One thread's share of the file, its state, and what it found wrong. */
struct part {
	const struct ch_input *in;
	struct ch_profile *p;
	struct ch_framecache cache;
	const char *at, *end, *limit;
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

	uint64_t lines, stacks, bad, first_bad;
	bool capped, cut;
	int err;
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

	if (ch_span_find(name, CH_SPAN("\\x"))) {
		plain = malloc(name.n);
		if (!plain) {
			w->err = -ENOMEM;
			return 0;
		}
		name = (struct ch_span){ plain, unescape(name.s, name.n, plain) };
	}
	if (kind == CH_KIND_OTHER)
		kind = ch_name_kind(name);
	id = ch_profile_frame(w->p, (struct ch_frame){ .name = ch_profile_str(w->p, name.s, name.n),
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
		const char *stop = ch_scan(p, end, w->limit, ';');

		if (CH_UNLIKELY(k == DEPTH_MAX)) {
			w->cut = true;
			break;
		}
		if (CH_UNLIKELY(CH_ROOM(w->levels, w->levels_cap, k + 1) < 0)) {
			w->err = -ENOMEM;
			break;
		}
		node = ch_profile_push(w->p, node, frame_of(w, p, (size_t)(stop - p)));
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
		ch_profile_rescale(w->p, w->event, CH_COLLAPSED_SCALE);
	scale = w->p->events[w->event].scale;
	w->capped |= c->capped || c->whole > INT64_MAX / scale;
	return ch_sat_add(ch_sat_mul(c->whole, scale),
	                  c->millionths * (scale / CH_COLLAPSED_SCALE));
}

static void add(struct part *w, uint32_t stack, uint32_t labels, const struct count *c)
{
	int64_t n = scaled(w, c);

	ch_profile_add(w->p, &(struct ch_sample){ .event = w->event,
	                                          .stack = stack,
	                                          .labels = labels,
	                                          .samples = n,
	                                          .value = n,
	                                          .time_ns = CH_NO_TIME });
}

static void read_line(struct part *w, const char *s, const char *e)
{
	struct count after, before;
	uint32_t stack;

	e = trim_end(s, e);
	if (s == e || (*s == '#' && is_comment(s, e)))
		return;
	if (!take_number(s, &e, &after) || (w->diff && !take_number(s, &e, &before))) {
		if (!w->bad++)
			w->first_bad = w->lines;
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

static void read_part(void *ctx, unsigned i)
{
	struct part *w = (struct part *)ctx + i;
	const char *start = (const char *)w->in->data, *released = w->at;

	while (w->at < w->end && !w->err && !w->p->err && !w->p->strings.err) {
		const char *e = ch_line_end(w->at, w->end);

		w->lines++;
		read_line(w, w->at, e);
		w->at = e < w->end ? e + 1 : e;
		if ((size_t)(w->at - released) > RELEASE_BYTES) {
			ch_input_release(w->in, (size_t)(released - start),
			                 (size_t)(w->last - start));
			released = w->last;
		}
	}
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

/* The start of the first line at or after p. */
static const char *line_start(const char *start, const char *p, const char *end)
{
	if (p == start || p[-1] == '\n')
		return p;
	p = ch_line_end(p, end);
	return p < end ? p + 1 : end;
}

static struct ch_span text_of(const struct ch_input *in)
{
	struct ch_span t = { (const char *)in->data, in->size };

	return ch_span_starts(t, CH_SPAN("\xef\xbb\xbf")) ? (struct ch_span){ t.s + 3, t.n - 3 }
	                                                  : t;
}

static int part_init(struct part *w, const struct ch_input *in, struct ch_profile *p, bool diff)
{
	uint32_t side;

	*w = (struct part){ .in = in, .p = p, .diff = diff };
	if (!p)
		return -ENOMEM;
	w->event = ch_profile_event(p, "samples", "count");
	w->last = (const char *)in->data;
	w->limit = w->last + in->size;
	if (diff) {
		side = ch_profile_strz(p, "side");
		w->before = ch_profile_label(p, 0, side, ch_profile_strz(p, "before"));
		w->after = ch_profile_label(p, 0, side, ch_profile_strz(p, "after"));
	}
	return ch_framecache_init(&w->cache);
}

static void part_done(struct part *w)
{
	ch_framecache_done(&w->cache);
	free(w->levels);
}

/* Says what was wrong, with line numbers of the whole file; fails when nothing was right. */
static int conclude(const struct part *parts, unsigned n, struct ch_profile *p,
                    struct ch_error *err)
{
	const char *name = parts[0].in->name;
	uint64_t lines = 0, stacks = 0, bad = 0, first_bad = 0;
	bool capped = false, cut = false;

	for (unsigned i = 0; i < n; i++) {
		if (parts[i].err)
			return ch_fail(err, parts[i].err, "read '%s': %m", name);
		if (parts[i].bad && !bad)
			first_bad = lines + parts[i].first_bad;
		lines += parts[i].lines;
		stacks += parts[i].stacks;
		bad += parts[i].bad;
		capped |= parts[i].capped;
		cut |= parts[i].cut;
	}
	if (!stacks)
		return ch_fail(err, -EINVAL, "'%s': no line is a stack and a count", name);
	if (bad)
		ch_profile_damage(
		    p, "'%s': %llu of %llu lines end in no count, the first is line %llu", name,
		    (unsigned long long)bad, (unsigned long long)lines,
		    (unsigned long long)first_bad);
	if (capped)
		ch_profile_damage(p, "'%s': counts too large to add up were capped", name);
	if (cut)
		ch_profile_damage(p, "'%s': stacks deeper than %zu frames were cut", name,
		                  DEPTH_MAX);
	return 0;
}

int ch_collapsed_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct ch_span text = text_of(in);
	const char *at = text.s, *end = text.s + text.n;
	bool diff = all_lines_have_two(text.s, end);
	struct part parts[PARTS_MAX];
	unsigned n = ch_par_cores(), ready = 0;
	int r = 0;

	if (text.n / PART_BYTES < n)
		n = text.n < 2 * PART_BYTES ? 1 : (unsigned)(text.n / PART_BYTES);
	if (n > PARTS_MAX)
		n = PARTS_MAX;
	for (; ready < n && r >= 0; ready++) {
		struct part *w = &parts[ready];

		/* The first part goes straight into the caller's profile. */
		r = part_init(w, in, ready ? ch_profile_new(&p->want) : p, diff);
		w->at = at;
		w->end = at =
		    ready + 1 == n ? end : line_start(at, text.s + text.n / n * (ready + 1), end);
	}
	if (r < 0)
		ch_fail(err, r, "read '%s': %m", in->name);
	else
		ch_par_run(n, read_part, parts);
	for (unsigned i = 1; i < ready; i++) {
		if (r >= 0)
			ch_profile_merge(p, parts[i].p, 0);
		ch_profile_free(parts[i].p);
	}
	if (r >= 0)
		r = conclude(parts, n, p, err);
	for (unsigned i = 0; i < ready; i++)
		part_done(&parts[i]);
	return r;
}

int ch_collapsed_probe(const struct ch_input *in)
{
	struct ch_span text = text_of(in);
	const char *s = text.s, *end = s + (text.n < PROBE_BYTES ? text.n : PROBE_BYTES);
	size_t good = 0, bad = 0, deep = 0;

	for (const char *e; s < end; s = e + 1) {
		struct count c;
		const char *stop;

		e = ch_line_end(s, end);
		if (e == end && text.n > PROBE_BYTES)
			break; /* the probe ends inside this line */
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
