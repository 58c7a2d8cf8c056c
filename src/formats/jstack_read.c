/*
 * Thread dumps as text, one or many, in the middle of whatever else a log holds:
 *
 *	2024-01-01 12:00:00
 *	Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):
 *
 *	"main" #1 prio=5 os_prio=0 cpu=64ms elapsed=4s tid=0x00007f11 nid=0x2a03 runnable [0x00007f12]
 *	   java.lang.Thread.State: RUNNABLE
 *		at java.lang.Thread.run(java.base@17.0.9/Thread.java:840)
 *		- locked <0x00000000e0> (a java.lang.Object)
 *
 * Also what ThreadInfo prints ("main" prio=5 Id=1 RUNNABLE) and `jcmd Thread.dump_to_file`
 * (#1 "main", frames without "at").
 */
#include "formats/framecache.h"
#include "formats/readers.h"
#include "formats/pieces.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define PROBE_BYTES   ((size_t)64 * 1024)
#define RELEASE_BYTES ((size_t)8 << 20)
#define DEPTH_MAX     ((size_t)1 << 20)

struct dumps {
	struct ch_profile *p;
	struct ch_framecache cache;
	struct ch_buf scratch;
	uint16_t event;
	uint32_t key_thread, key_state, key_tid; /* string ids, 0 when not wanted */
	int64_t time_ns;

	/* The thread at hand. */
	bool in_thread, plain_frames;
	struct ch_span name, state;
	uint64_t tid;
	uint32_t *stack; /* leaf first, as in the file */
	size_t depth, stack_cap;

	uint64_t threads, with_stack;
	bool cut;
	int err;
};

static struct ch_span after(struct ch_span t, const char *at)
{
	return (struct ch_span){ at, t.n - (size_t)(at - t.s) };
}

/* --- headers --------------------------------------------------------------------------------- */

/* The value behind `key` as a number, decimal or 0x…; 0 when it is not there. */
static uint64_t number_of(struct ch_span t, const char *key)
{
	const char *at = ch_span_find(t, key), *end = t.s + t.n;
	uint64_t v = 0;
	unsigned base = 10;

	if (!at)
		return 0;
	at += strlen(key);
	if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
		base = 16;
		at += 2;
	}
	for (; at < end && (base == 16 ? ch_is_hex(*at) : ch_is_digit(*at)); at++)
		v = v * base + (uint64_t)(ch_is_digit(*at) ? *at - '0' : (*at | 0x20) - 'a' + 10);
	return v;
}

static struct ch_span first_word(struct ch_span t)
{
	size_t n = 0;

	t = ch_span_trim(t);
	while (n < t.n && !ch_is_space(t.s[n]))
		n++;
	return (struct ch_span){ t.s, n };
}

static bool is_state(struct ch_span w)
{
	static const char *const states[] = { "NEW",     "RUNNABLE",      "BLOCKED",
		                              "WAITING", "TIMED_WAITING", "TERMINATED" };

	for (size_t i = 0; i < CH_LEN(states); i++)
		if (ch_span_is(w, states[i]))
			return true;
	return false;
}

/* The first word of `rest` that is a thread state. */
static struct ch_span find_state(struct ch_span rest)
{
	for (struct ch_span w = first_word(rest); w.n; w = first_word(rest)) {
		if (is_state(w))
			return w;
		rest = after(rest, w.s + w.n);
	}
	return CH_NO_SPAN;
}

struct header {
	struct ch_span name, state;
	uint64_t tid; /* of the operating system, 0 unknown */
	bool plain_frames;
};

/* Names may hold quotes; what follows the last one cannot. */
static bool parse_header(struct ch_span line, struct header *ret)
{
	struct header h = { .state = CH_NO_SPAN };
	const char *open = memchr(line.s, '"', line.n), *close = memrchr(line.s, '"', line.n);
	struct ch_span rest;

	if (!open || open == close)
		return false;
	h.name = (struct ch_span){ open + 1, (size_t)(close - open) - 1 };
	rest = after(line, close + 1);
	if (open == line.s) {
		/* A list of deadlocked threads has names too, but nothing of this. */
		if (!ch_span_find(rest, " tid=") && !ch_span_find(rest, " nid=") &&
		    !ch_span_find(rest, " Id=") && !ch_span_find(rest, " prio="))
			return false;
		h.tid = number_of(rest, " nid=");
		if (ch_span_find(rest, " Id="))
			h.state = find_state(rest);
	} else {
		/* #1 "main", #22 "" virtual, #1 "main" RUNNABLE 2024-… */
		if (line.s[0] != '#' || open - line.s < 3 || !ch_is_digit(line.s[1]) ||
		    open[-1] != ' ')
			return false;
		h.plain_frames = true;
		h.state = find_state(rest);
	}
	*ret = h;
	return true;
}

static int two(const char *s)
{
	return (s[0] - '0') * 10 + s[1] - '0';
}

/* A line that is a moment and nothing else; the JVM writes no zone: it is taken for UTC. */
static bool parse_time(struct ch_span t, int64_t *ret_ns)
{
	static const char shape[] = "dddd-dd-dd dd:dd:dd";
	int64_t ns, unit = 100000000;
	struct tm tm = { 0 };
	size_t i;

	if (t.n < sizeof(shape) - 1 || t.n > 40)
		return false;
	for (i = 0; shape[i]; i++)
		if (shape[i] == 'd' ? !ch_is_digit(t.s[i])
		                    : t.s[i] != shape[i] && !(shape[i] == ' ' && t.s[i] == 'T'))
			return false;
	tm.tm_year = two(t.s) * 100 + two(t.s + 2) - 1900;
	tm.tm_mon = two(t.s + 5) - 1;
	tm.tm_mday = two(t.s + 8);
	tm.tm_hour = two(t.s + 11);
	tm.tm_min = two(t.s + 14);
	tm.tm_sec = two(t.s + 17);
	ns = ch_sat_mul(timegm(&tm), 1000000000);
	if (i < t.n && (t.s[i] == '.' || t.s[i] == ','))
		for (i++; i < t.n && ch_is_digit(t.s[i]); i++, unit /= 10)
			ns = ch_sat_add(ns, (t.s[i] - '0') * unit);
	if (i < t.n && t.s[i] == 'Z')
		i++;
	*ret_ns = ns;
	return i == t.n;
}

/* --- frames ---------------------------------------------------------------------------------- */

/*
 * Without module and loader: java.base@17.0.1/java.lang.Thread.run, app//com.acme.Main.main. The
 * slash of a hidden class stays: Foo$$Lambda$14/0x00000008.run.
 */
static struct ch_span without_module(struct ch_span t)
{
	const char *slash;

	while ((slash = memchr(t.s, '/', t.n)) && slash + 1 < t.s + t.n && !ch_is_digit(slash[1]))
		t = after(t, slash + 1);
	return t;
}

/* `Thread.java:840`, perhaps with a module before it; nothing of `Native Method`. */
static void parse_place(struct ch_profile *p, struct ch_span place, struct ch_frame *f)
{
	const char *colon;

	place = without_module(place);
	colon = memrchr(place.s, ':', place.n);
	if (!colon)
		return;
	f->file = ch_profile_str(p, place.s, (size_t)(colon - place.s));
	for (const char *d = colon + 1; d < place.s + place.n && ch_is_digit(*d); d++)
		f->line = f->line * 10 + (uint32_t)(*d - '0');
}

/* `java.lang.Thread.run(java.base@17.0.9/Thread.java:840)`; 0 when it is no frame. */
static uint32_t new_frame(struct dumps *d, struct ch_span text)
{
	const char *paren = memchr(text.s, '(', text.n), *dot;
	struct ch_frame f = { .kind = CH_KIND_JAVA };
	struct ch_span name;

	if (!paren || text.s[text.n - 1] != ')')
		return 0;
	name = without_module((struct ch_span){ text.s, (size_t)(paren - text.s) });
	dot = memrchr(name.s, '.', name.n);
	if (!dot || memchr(name.s, ' ', name.n))
		return 0;
	ch_buf_reset(&d->scratch);
	for (const char *c = name.s; c < name.s + name.n; c++)
		ch_buf_putc(&d->scratch, *c == '.' && c != dot ? '/' : *c);
	if (d->scratch.err) {
		d->err = d->scratch.err;
		return 0;
	}
	f.name = ch_profile_str(d->p, d->scratch.data, d->scratch.len);
	if (d->p->want.lines)
		parse_place(
		    d->p,
		    (struct ch_span){ paren + 1, (size_t)(text.s + text.n - 1 - (paren + 1)) }, &f);
	return ch_profile_frame(d->p, f);
}

static void add_frame(struct dumps *d, struct ch_span text)
{
	uint32_t hash = ch_hash_bytes(text.s, text.n);
	uint32_t id = ch_framecache_find(&d->cache, text.s, text.n, hash);

	if (!id) {
		id = new_frame(d, text);
		if (!id)
			return;
		ch_framecache_put(&d->cache, text.s, text.n, hash, id);
	}
	if (d->depth == DEPTH_MAX)
		d->cut = true;
	else if (CH_ROOM(d->stack, d->stack_cap, d->depth + 1) < 0)
		d->err = -ENOMEM;
	else
		d->stack[d->depth++] = id;
}

/* --- threads --------------------------------------------------------------------------------- */

static uint32_t labels_of(struct dumps *d)
{
	struct ch_profile *p = d->p;
	uint32_t set = 0;
	char tid[24];

	if (d->key_thread)
		set = ch_profile_label(p, set, d->key_thread,
		                       ch_profile_str(p, d->name.s, d->name.n));
	if (d->key_state)
		set = ch_profile_label(p, set, d->key_state,
		                       ch_profile_str(p, d->state.s, d->state.n));
	if (d->key_tid && d->tid) {
		(void)snprintf(tid, sizeof(tid), "%llu", (unsigned long long)d->tid);
		set = ch_profile_label(p, set, d->key_tid, ch_profile_strz(p, tid));
	}
	return set;
}

static void end_thread(struct dumps *d)
{
	uint32_t node = 0;

	if (!d->in_thread)
		return;
	d->in_thread = false;
	d->threads++;
	if (!d->depth)
		return;
	for (size_t i = d->depth; i-- > 0;)
		node = ch_profile_push(d->p, node, d->stack[i]);
	ch_profile_add(d->p, &(struct ch_sample){ .event = d->event,
	                                          .stack = node,
	                                          .labels = labels_of(d),
	                                          .samples = 1,
	                                          .value = 1,
	                                          .time_ns = d->time_ns });
	d->with_stack++;
}

static void begin_thread(struct dumps *d, const struct header *h)
{
	end_thread(d);
	d->in_thread = true;
	d->plain_frames = h->plain_frames;
	d->name = h->name;
	d->state = h->state;
	d->tid = h->tid;
	d->depth = 0;
}

static void inner_line(struct dumps *d, struct ch_span text)
{
	if (ch_span_starts(text, "at "))
		add_frame(d, ch_span_trim(after(text, text.s + 3)));
	else if (ch_span_starts(text, "java.lang.Thread.State:"))
		d->state = find_state(after(text, text.s + sizeof("java.lang.Thread.State:") - 1));
	else if (d->plain_frames && text.s[0] != '-')
		add_frame(d, text);
}

static void read_line(struct dumps *d, struct ch_span line)
{
	struct ch_span text = ch_span_trim(line);
	struct header h;
	int64_t ns;

	if (text.n && ch_is_space(line.s[0])) {
		/* Lines of a thread are indented; the stack of some exception in a log is, too. */
		if (d->in_thread)
			inner_line(d, text);
		return;
	}
	end_thread(d);
	if (!text.n)
		return;
	if (parse_header(text, &h))
		begin_thread(d, &h);
	else if (ch_is_digit(text.s[0]) && parse_time(text, &ns))
		d->time_ns = ns;
}

/* --- the file -------------------------------------------------------------------------------- */

static void read_all(struct dumps *d, const struct ch_input *in)
{
	struct ch_span text = ch_input_text(in);
	const char *s = text.s, *end = s + text.n, *data = (const char *)in->data;
	size_t released = 0;

	for (const char *e; s < end && !d->err && !d->p->err; s = e + 1) {
		e = ch_line_end(s, end);
		read_line(d, (struct ch_span){ s, (size_t)(e - s) });
		if ((size_t)(s - data) - released > RELEASE_BYTES) {
			ch_input_release(in, released, (size_t)(s - data));
			released = (size_t)(s - data);
		}
	}
	end_thread(d);
}

int ch_jstack_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct dumps d = { .p = p, .time_ns = CH_NO_TIME, .scratch = CH_BUF(in->size + 64) };
	int r = ch_framecache_init(&d.cache);

	if (r < 0)
		return ch_fail(err, r, "read '%s': %m", in->name);
	d.event = ch_profile_event(p, "threads", "count");
	d.key_thread = ch_profile_wants(p, "thread") ? ch_profile_strz(p, "thread") : 0;
	d.key_state = ch_profile_wants(p, "state") ? ch_profile_strz(p, "state") : 0;
	d.key_tid = ch_profile_wants(p, "tid") ? ch_profile_strz(p, "tid") : 0;
	read_all(&d, in);
	if (d.err)
		r = ch_fail(err, d.err, "read '%s': %m", in->name);
	else if ((r = ch_profile_status(p, err)) >= 0 && !d.with_stack)
		r = ch_fail(err, -EINVAL, "'%s': no thread in it has a stack", in->name);
	if (d.cut)
		ch_profile_damage(p, "'%s': stacks deeper than %zu frames were cut", in->name,
		                  DEPTH_MAX);
	ch_framecache_done(&d.cache);
	ch_buf_done(&d.scratch);
	free(d.stack);
	return r;
}

bool ch_jstack_find(const struct ch_input *in)
{
	static const char head[] = "Full thread dump ";

	return memmem(in->data, in->size, head, sizeof(head) - 1) != NULL;
}

int ch_jstack_probe(const struct ch_input *in)
{
	struct ch_span text = ch_input_text(in);
	const char *s = text.s, *end = s + (text.n < PROBE_BYTES ? text.n : PROBE_BYTES);
	bool header = false;

	for (const char *e; s < end; s = e + 1) {
		struct ch_span line;
		struct header h;

		e = ch_line_end(s, end);
		line = ch_span_trim((struct ch_span){ s, (size_t)(e - s) });
		if (ch_span_starts(line, "Full thread dump "))
			return 95;
		if (!line.n)
			header = false;
		else if (!ch_is_space(*s))
			header = parse_header(line, &h);
		else if (header && line.s[line.n - 1] == ')' && memchr(line.s, '(', line.n))
			return 85;
	}
	return 0;
}
