#include "profile/profile.h"
#include "profile/events.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Limits that no honest profile meets; a crafted one ends there instead of eating the machine. */
#define STRINGS_MAX_BYTES ((size_t)4 << 30)
#define NODES_MAX         ((size_t)1 << 28)
#define ROWS_MAX          ((size_t)1 << 30)
#define EVENTS_MAX        ((size_t)UINT16_MAX)
#define NOTES_MAX         ((size_t)64)

void ch_profile_fail(struct ch_profile *p, int err)
{
	if (!p->err)
		p->err = err;
}

struct ch_profile *ch_profile_new(const struct ch_want *want)
{
	struct ch_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->want = *want;
	p->start_ns = p->end_ns = CH_NO_TIME;
	ch_strtab_init(&p->strings, STRINGS_MAX_BYTES);
	if (p->strings.err || CH_ROOM(p->frames, p->frames_cap, 1) < 0 ||
	    CH_ROOM(p->trie.parent, p->trie.parent_cap, 1) < 0 ||
	    CH_ROOM(p->trie.frame, p->trie.frame_cap, 1) < 0 ||
	    CH_ROOM(p->set_start, p->sets_cap, 2) < 0 ||
	    /* So that event 0, the answer of a failure too, is always there. */
	    CH_ROOM(p->events, p->events_cap, 1) < 0) {
		ch_profile_free(p);
		return NULL;
	}
	p->frames[0] = (struct ch_frame){ 0 };
	p->n_frames = 1;
	p->trie.parent[0] = p->trie.frame[0] = 0;
	p->trie.n = 1;
	p->set_start[0] = p->set_start[1] = 0;
	p->n_sets = 1;
	return p;
}

void ch_profile_free(struct ch_profile *p)
{
	if (!p)
		return;
	ch_strtab_done(&p->strings);
	free(p->frames);
	ch_index_done(&p->frame_index);
	free(p->trie.parent);
	free(p->trie.frame);
	ch_index_done(&p->trie.index);
	free(p->labels);
	free(p->set_start);
	ch_index_done(&p->set_index);
	free(p->events);
	free(p->rows.event);
	free(p->rows.stack);
	free(p->rows.labels);
	free(p->rows.samples);
	free(p->rows.value);
	free(p->rows.time_ns);
	ch_index_done(&p->rows.index);
	for (size_t i = 0; i < p->n_series; i++) {
		free(p->series[i].time_ns);
		free(p->series[i].value);
	}
	free(p->series);
	for (size_t i = 0; i < p->n_notes; i++)
		free(p->notes[i]);
	free(p->notes);
	free(p);
}

int ch_profile_status(const struct ch_profile *p, struct ch_error *err)
{
	int code = p->err ? p->err : p->strings.err;

	if (code == -E2BIG)
		return ch_fail(err, code,
		               "too many distinct stacks or samples for one profile; "
		               "narrow it with --event, --from/--to or fewer inputs");
	if (code)
		return ch_fail(err, code, "profile: %m");
	return 0;
}

/* --- strings, frames, stacks ---------------------------------------------------------------- */

/* s[0..n) up to CH_NAME_MAX, not inside a UTF-8 sequence. */
static uint32_t cut_name(struct ch_profile *p, const char *s, size_t n)
{
	if (n > CH_NAME_MAX) {
		ch_profile_damage(p, "names longer than %d bytes were cut", CH_NAME_MAX);
		n = CH_NAME_MAX;
		while (n && (s[n] & 0xc0) == 0x80)
			n--;
	}
	return ch_strtab_id(&p->strings, s, n);
}

/* Broken bytes become three each: a name is repaired before it is measured. */
static uint32_t long_name(struct ch_profile *p, const char *s, size_t n)
{
	CH_CLEANUP(ch_freep) char *fixed = NULL;

	if (n > CH_NAME_MAX + 4) /* enough to see that it is too long, and where to cut */
		n = CH_NAME_MAX + 4;
	if (ch_utf8_valid(s, n))
		return cut_name(p, s, n);
	fixed = malloc(n * 3);
	if (!fixed) {
		ch_profile_fail(p, -ENOMEM);
		return 0;
	}
	return cut_name(p, fixed, ch_utf8_repair(s, n, fixed));
}

uint32_t ch_profile_str(struct ch_profile *p, const char *s, size_t n)
{
	if (CH_UNLIKELY(n > CH_NAME_MAX / 3))
		return long_name(p, s, n);
	return ch_strtab_id(&p->strings, s, n);
}

uint32_t ch_profile_strz(struct ch_profile *p, const char *s)
{
	return ch_profile_str(p, s, strlen(s));
}

uint32_t ch_profile_buf(struct ch_profile *p, const struct ch_buf *b)
{
	if (b->err == -ENOMEM) {
		ch_profile_fail(p, b->err);
		return 0;
	}
	return ch_profile_str(p, b->len ? b->data : "", b->len);
}

uint32_t ch_profile_frame(struct ch_profile *p, struct ch_frame f)
{
	uint32_t hash, id;
	size_t at;

	if (!p->want.lines)
		f.line = f.file = 0;
	if (p->want.no_kinds)
		f.kind = CH_KIND_OTHER;
	hash = ch_hash_u64((uint64_t)f.name << 32 | f.line, (uint64_t)f.file << 8 | f.kind);
	at = ch_index_start(&p->frame_index, hash);
	while ((id = ch_index_next(&p->frame_index, hash, &at))) {
		const struct ch_frame *o = &p->frames[id];

		if (o->name == f.name && o->line == f.line && o->kind == f.kind &&
		    o->file == f.file)
			return id;
	}
	id = (uint32_t)p->n_frames;
	if (p->n_frames >= NODES_MAX || CH_ROOM(p->frames, p->frames_cap, p->n_frames + 1) < 0 ||
	    ch_index_put(&p->frame_index, hash, id) < 0) {
		ch_profile_fail(p, p->n_frames >= NODES_MAX ? -E2BIG : -ENOMEM);
		return 0;
	}
	p->frames[p->n_frames++] = f;
	return id;
}

static uint32_t new_node(struct ch_profile *p, uint32_t parent, uint32_t frame)
{
	struct ch_trie *t = &p->trie;
	uint32_t id = (uint32_t)t->n;

	if (t->n >= NODES_MAX) {
		ch_profile_fail(p, -E2BIG);
		return 0;
	}
	if (CH_ROOM(t->parent, t->parent_cap, t->n + 1) < 0 ||
	    CH_ROOM(t->frame, t->frame_cap, t->n + 1) < 0) {
		ch_profile_fail(p, -ENOMEM);
		return 0;
	}
	t->parent[id] = parent;
	t->frame[id] = frame;
	t->n++;
	return id;
}

static uint32_t find_or_add_node(struct ch_profile *p, uint32_t parent, uint32_t frame)
{
	struct ch_trie *t = &p->trie;
	uint32_t hash = ch_hash_u64(parent, frame), id;
	size_t at = ch_index_start(&t->index, hash);

	while ((id = ch_index_next(&t->index, hash, &at)))
		if (t->parent[id] == parent && t->frame[id] == frame)
			return id;
	id = new_node(p, parent, frame);
	if (id && ch_index_put(&t->index, hash, id) < 0)
		ch_profile_fail(p, -ENOMEM);
	return id;
}

/*
 * Most nodes are born right behind their parent, as the tail of a new path. Such a node is found by
 * its number and is in no index: the index stays small, and walking a path stays in a few cache
 * lines. A parent that is the newest node has no children to look for.
 */
uint32_t ch_profile_push(struct ch_profile *p, uint32_t parent, uint32_t frame)
{
	struct ch_trie *t = &p->trie;
	uint32_t next = parent + 1;

	if (next == t->n)
		return new_node(p, parent, frame);
	if (t->parent[next] == parent && t->frame[next] == frame)
		return next;
	return find_or_add_node(p, parent, frame);
}

/* --- events ---------------------------------------------------------------------------------- */

uint16_t ch_profile_event(struct ch_profile *p, const char *type, const char *unit)
{
	uint32_t id = ch_profile_strz(p, type);

	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].type == id)
			return (uint16_t)i;
	if (p->n_events >= EVENTS_MAX || CH_ROOM(p->events, p->events_cap, p->n_events + 1) < 0) {
		ch_profile_fail(p, p->n_events >= EVENTS_MAX ? -E2BIG : -ENOMEM);
		return 0;
	}
	p->events[p->n_events] = (struct ch_event){
		.type = id,
		.word = ch_profile_strz(p, ch_event_word(type)),
		.unit = ch_profile_strz(p, unit),
		.scale = 1,
	};
	return (uint16_t)p->n_events++;
}

void ch_profile_unread(struct ch_profile *p, uint16_t event, int64_t n)
{
	if (event < p->n_events)
		p->events[event].unread = ch_sat_add(p->events[event].unread, n);
}

bool ch_profile_wants_event(const struct ch_profile *p, const char *type)
{
	return !p->want.event || !strcmp(p->want.event, type) ||
	       !strcmp(p->want.event, ch_event_word(type));
}

void ch_profile_interval(struct ch_profile *p, uint16_t event, int64_t ns)
{
	if (ns > 0 && event < p->n_events)
		p->events[event].interval_ns = ns;
}

int64_t ch_profile_scale(int64_t a, int64_t b)
{
	int64_t x = a, y = b, common;

	while (y) {
		int64_t rest = x % y;

		x = y;
		y = rest;
	}
	return __builtin_mul_overflow(a / x, b, &common) ? (a > b ? a : b) : common;
}

void ch_profile_rescale(struct ch_profile *p, uint16_t event, int64_t scale)
{
	struct ch_event *e = &p->events[event];
	int64_t factor = event < p->n_events ? ch_profile_scale(e->scale, scale) / e->scale : 0;

	if (factor <= 1)
		return;
	for (size_t i = 0; i < p->rows.n; i++) {
		if (p->rows.event[i] != event)
			continue;
		p->rows.samples[i] = ch_sat_mul(p->rows.samples[i], factor);
		p->rows.value[i] = ch_sat_mul(p->rows.value[i], factor);
	}
	e->samples = ch_sat_mul(e->samples, factor);
	e->value = ch_sat_mul(e->value, factor);
	e->scale *= factor;
}

/* --- rows ------------------------------------------------------------------------------------ */

static int rows_room(struct ch_profile *p)
{
	size_t need = p->rows.n + 1;

	if (need > ROWS_MAX)
		return -E2BIG;
	if (CH_ROOM(p->rows.event, p->rows.event_cap, need) < 0 ||
	    CH_ROOM(p->rows.stack, p->rows.stack_cap, need) < 0 ||
	    CH_ROOM(p->rows.labels, p->rows.labels_cap, need) < 0 ||
	    CH_ROOM(p->rows.samples, p->rows.samples_cap, need) < 0 ||
	    CH_ROOM(p->rows.value, p->rows.value_cap, need) < 0)
		return -ENOMEM;
	return p->want.times ? CH_ROOM(p->rows.time_ns, p->rows.time_cap, need) : 0;
}

/* Rows are numbered from 1 in the index, since it cannot hold 0. */
static bool fold(struct ch_profile *p, const struct ch_sample *s, uint32_t hash)
{
	size_t at = ch_index_start(&p->rows.index, hash);
	uint32_t id;

	while ((id = ch_index_next(&p->rows.index, hash, &at))) {
		size_t i = id - 1;

		if (p->rows.stack[i] != s->stack || p->rows.labels[i] != s->labels ||
		    p->rows.event[i] != s->event)
			continue;
		p->rows.samples[i] = ch_sat_add(p->rows.samples[i], s->samples);
		p->rows.value[i] = ch_sat_add(p->rows.value[i], s->value);
		return true;
	}
	return false;
}

void ch_profile_add(struct ch_profile *p, const struct ch_sample *s)
{
	uint32_t hash = 0;
	size_t i = p->rows.n;
	int r;

	if (s->event >= p->n_events)
		return;
	p->events[s->event].samples = ch_sat_add(p->events[s->event].samples, s->samples);
	p->events[s->event].value = ch_sat_add(p->events[s->event].value, s->value);
	if (!p->want.times) {
		hash = ch_hash_u64((uint64_t)s->stack << 32 | s->labels, s->event);
		if (fold(p, s, hash))
			return;
	}
	r = rows_room(p);
	if (!r && !p->want.times)
		r = ch_index_put(&p->rows.index, hash, (uint32_t)i + 1);
	if (r < 0) {
		ch_profile_fail(p, r);
		return;
	}
	p->rows.event[i] = s->event;
	p->rows.stack[i] = s->stack;
	p->rows.labels[i] = s->labels;
	p->rows.samples[i] = s->samples;
	p->rows.value[i] = s->value;
	if (p->want.times)
		p->rows.time_ns[i] = s->time_ns;
	p->rows.n++;
}

static bool at_border(int64_t v)
{
	return v == INT64_MAX || v == INT64_MIN;
}

void ch_profile_check_sums(struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (at_border(p->events[i].samples) || at_border(p->events[i].value))
			ch_profile_damage(p,
			                  "the sum of '%s' is too large for 64 bits and was "
			                  "capped; shares are wrong",
			                  ch_profile_text(p, p->events[i].type));
}

/* --- notes ----------------------------------------------------------------------------------- */

CH_PRINTF(2, 0) static void note(struct ch_profile *p, const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0) {
		p->notes_lost++;
		return;
	}
	for (size_t i = 0; i < p->n_notes; i++) {
		if (!strcmp(p->notes[i], text)) {
			free(text);
			return;
		}
	}
	if (p->n_notes >= NOTES_MAX || CH_ROOM(p->notes, p->notes_cap, p->n_notes + 1) < 0) {
		p->notes_lost++;
		free(text);
		return;
	}
	p->notes[p->n_notes++] = text;
}

void ch_profile_note(struct ch_profile *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note(p, fmt, args);
	va_end(args);
}

void ch_profile_damage(struct ch_profile *p, const char *fmt, ...)
{
	va_list args;

	p->damaged = true;
	va_start(args, fmt);
	note(p, fmt, args);
	va_end(args);
}
