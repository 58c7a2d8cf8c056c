#include "formats/perf.h"

/* No header has more words than this before its event; tracepoints may, behind it. */
#define WORDS_MAX 32

struct words {
	struct ch_span word[WORDS_MAX];
	size_t n;
};

static void split(struct ch_span line, struct words *w)
{
	const char *s = line.s, *end = s + line.n;

	w->n = 0;
	while (w->n < WORDS_MAX) {
		const char *start;

		while (s < end && ch_is_space(*s))
			s++;
		if (s == end)
			return;
		start = s;
		while (s < end && !ch_is_space(*s))
			s++;
		w->word[w->n++] = (struct ch_span){ start, (size_t)(s - start) };
	}
}

static size_t digits(struct ch_span w, size_t from)
{
	size_t i = from;

	while (i < w.n && ch_is_digit(w.s[i]))
		i++;
	return i - from;
}

static bool is_number(struct ch_span w)
{
	return w.n && digits(w, 0) == w.n;
}

/* `123` or `123/456`, also `-1`. */
static bool is_id(struct ch_span w)
{
	size_t minus = w.n > 1 && w.s[0] == '-';
	size_t n = minus + digits(w, minus);

	if (n == minus)
		return false;
	return n == w.n || (w.s[n] == '/' && n + 1 < w.n && n + 1 + digits(w, n + 1) == w.n);
}

static bool is_cpu(struct ch_span w)
{
	return w.n > 2 && w.s[0] == '[' && 1 + digits(w, 1) == w.n - 1 && w.s[w.n - 1] == ']';
}

/* `1747.446820:` */
static bool is_time(struct ch_span w)
{
	size_t whole = digits(w, 0), part;

	if (!whole || whole + 2 > w.n || w.s[whole] != '.')
		return false;
	part = digits(w, whole + 1);
	return part && whole + 1 + part + 1 == w.n && w.s[w.n - 1] == ':';
}

static bool is_event(struct ch_span w)
{
	return w.n > 1 && w.s[w.n - 1] == ':';
}

static int64_t time_ns(struct ch_span w)
{
	int64_t ns = ch_sat_mul(ch_span_number(w), 1000000000), unit = 100000000;

	for (size_t i = digits(w, 0) + 1; i < w.n && ch_is_digit(w.s[i]); i++, unit /= 10)
		ns = ch_sat_add(ns, (w.s[i] - '0') * unit);
	return ns;
}

static void set_id(struct ch_perf_header *h, struct ch_span w)
{
	const char *slash = memchr(w.s, '/', w.n);

	if (slash) {
		h->pid = (struct ch_span){ w.s, (size_t)(slash - w.s) };
		h->tid = (struct ch_span){ slash + 1, w.n - h->pid.n - 1 };
	} else {
		h->tid = w;
	}
}

static struct ch_span from_to(const struct words *w, size_t first, size_t last)
{
	const char *s = w->word[first].s;

	return (struct ch_span){ s, (size_t)(w->word[last].s + w->word[last].n - s) };
}

/*
 * Who ran and where: words [0, n). From the right, since comm may hold anything, numbers too.
 * Words of fields we do not know may stand between cpu and tid.
 */
static void parse_left(const struct words *w, size_t n, struct ch_perf_header *h)
{
	size_t id = n;

	for (size_t i = n; i-- > 0 && n - i <= 3;) {
		if (is_cpu(w->word[i]) && !h->cpu.n)
			h->cpu = (struct ch_span){ w->word[i].s + 1, w->word[i].n - 2 };
		if (is_id(w->word[i])) {
			id = i;
			break;
		}
	}
	if (id < n) {
		set_id(h, w->word[id]);
		h->who = from_to(w, 0, id);
		n = id;
	} else if (h->cpu.n) {
		n--;
	}
	if (n)
		h->comm = from_to(w, 0, n - 1);
	if (!h->who.n)
		h->who = h->comm;
}

/* The event's place when there is no time to go by: behind a tid, a cpu or a period. */
static size_t find_event(const struct words *w)
{
	for (size_t i = 1; i < w->n; i++)
		if (is_event(w->word[i]) && (is_id(w->word[i - 1]) || is_cpu(w->word[i - 1])))
			return i;
	return w->n;
}

static size_t find_time(const struct words *w)
{
	size_t i = 0;

	while (i < w->n && !is_time(w->word[i]))
		i++;
	return i;
}

bool ch_perf_header_parse(struct ch_span line, struct ch_perf_header *ret)
{
	struct ch_perf_header h = CH_PERF_NO_HEADER;
	struct words w;
	size_t time, event, left;

	split(line, &w);
	time = find_time(&w);
	if (time < w.n) {
		h.time_ns = time_ns(w.word[time]);
		left = time;
		event = time + 1;
		if (event < w.n && is_number(w.word[event]))
			h.period = ch_span_number(w.word[event++]);
	} else {
		left = event = find_event(&w);
		/* `tid period event:` or `tid [cpu] period event:`, but `tid event:`. */
		if (event < w.n && event >= 2 && is_number(w.word[event - 1]) &&
		    (is_id(w.word[event - 2]) || is_cpu(w.word[event - 2])))
			h.period = ch_span_number(w.word[left = event - 1]);
	}
	parse_left(&w, left, &h);
	if (event < w.n && is_event(w.word[event])) {
		h.event = (struct ch_span){ w.word[event].s, w.word[event].n - 1 };
		event++;
	}
	if (event < w.n)
		h.rest = (struct ch_span){ w.word[event].s,
			                   (size_t)(line.s + line.n - w.word[event].s) };
	*ret = h;
	return h.event.n || h.time_ns != CH_NO_TIME;
}

static bool all_modifiers(const char *s, const char *end)
{
	while (s < end && strchr("ukhGHpPSDIWeb", *s))
		s++;
	return s == end;
}

struct ch_span ch_perf_event_name(struct ch_span event)
{
	const char *end = event.s + event.n;
	const char *slash = memrchr(event.s, '/', event.n);
	const char *colon = memrchr(event.s, ':', event.n);

	/* cpu_core/cycles/ppp, cycles:ppp; the colon of a tracepoint stands before a longer word. */
	if (slash && all_modifiers(slash + 1, end))
		event.n = (size_t)(slash + 1 - event.s);
	else if (colon && end - colon <= 8 && all_modifiers(colon + 1, end))
		event.n = (size_t)(colon - event.s);
	return event;
}
