#include "base/vec.h"
#include "codec/json.h"
#include "formats/names.h"
#include "formats/readers.h"
#include "profile/kinds.h"

#include <errno.h>
#include <math.h>

#define PROBE_BYTES (64 * 1024)
#define STRING_MAX  (1 << 20)
/* Fractions of a sample are kept to this part; fractions of a second end at nanoseconds anyway. */
#define FRACTION 1000000

/* What a profile's unit means here, and the event its samples belong to unless it says so. */
struct unit {
	const char *word, *unit, *event;
	int64_t factor;
};

static const struct unit units[] = {
	{ "none", "count", "samples", 1 },
	{ "nanoseconds", "ns", "speedscope", 1 },
	{ "microseconds", "ns", "speedscope", 1000 },
	{ "milliseconds", "ns", "speedscope", 1000000 },
	{ "seconds", "ns", "speedscope", 1000000000 },
	{ "bytes", "bytes", "speedscope-bytes", 1 },
};

struct reading {
	const struct ch_input *in;
	struct ch_profile *p;
	struct ch_buf scratch;
	uint32_t *frames; /* frame ids by index in the file */
	size_t n_frames, frames_cap;
	size_t profiles, bad_frames, bad_events, unequal;
};

/* One of the file's profiles: places in the text, walked when all keys are known. */
struct one {
	const struct unit *unit;
	uint32_t name;
	bool evented, ours;
	struct ch_json samples, weights, events, others;
	bool has_samples, has_weights, has_events, has_others;
	uint32_t type, label, value, own_unit; /* strings our writer left, 0 none */
	int64_t interval_ns;
	uint16_t event; /* of the profile being filled */
	uint32_t labels;
};

int ch_speedscope_probe(const struct ch_input *in)
{
	size_t n = in->size < PROBE_BYTES ? in->size : PROBE_BYTES;
	const char *at = (const char *)in->data, *end = at + n;

	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	if (at == end || *at != '{')
		return 0;
	if (memmem(at, (size_t)(end - at), "speedscope.app/file-format-schema", 33))
		return 100;
	if (memmem(at, (size_t)(end - at), "\"shared\"", 8) &&
	    memmem(at, (size_t)(end - at), "\"frames\"", 8))
		return 60;
	return 0;
}

/* --- frames ------------------------------------------------------------------------------------ */

static enum ch_kind guess_kind(const struct ch_profile *p, const struct ch_frame *f)
{
	enum ch_kind kind = ch_kind_by_file(p->strings.text[f->file], p->strings.len[f->file]);
	struct ch_span name = { p->strings.text[f->name], p->strings.len[f->name] };

	return kind != CH_KIND_OTHER ? kind : ch_name_kind(name);
}

static uint32_t read_frame(struct reading *r, struct ch_json *j)
{
	struct ch_frame f = { .kind = CH_KIND_COUNT };
	struct ch_span key, text;
	int64_t line;

	if (!ch_json_object(j))
		return 0;
	while (ch_json_key(j, &key)) {
		if (ch_span_is(key, "name")) {
			if (ch_json_text(j, &text))
				f.name = ch_profile_str(r->p, text.s, text.n);
		} else if (ch_span_is(key, "file")) {
			if (ch_json_text(j, &text))
				f.file = ch_profile_str(r->p, text.s, text.n);
		} else if (ch_span_is(key, "line")) {
			if (ch_json_i64(j, &line) && line > 0 && line <= UINT32_MAX)
				f.line = (uint32_t)line;
		} else if (ch_span_is(key, "kind")) {
			if (ch_json_text(j, &text))
				f.kind = (uint8_t)ch_kind_named(text.s, text.n);
		} else {
			ch_json_skip(j);
		}
	}
	if (f.kind == CH_KIND_COUNT)
		f.kind = (uint8_t)guess_kind(r->p, &f);
	return ch_profile_frame(r->p, f);
}

static int read_frames(struct reading *r, struct ch_json *j)
{
	if (!ch_json_array(j))
		return 0;
	while (ch_json_item(j)) {
		if (CH_ROOM(r->frames, r->frames_cap, r->n_frames + 1) < 0)
			return -ENOMEM;
		r->frames[r->n_frames++] = read_frame(r, j);
	}
	return 0;
}

static int read_shared(struct reading *r, struct ch_json *j)
{
	struct ch_span key;
	int code = 0;

	if (!ch_json_object(j))
		return 0;
	while (!code && ch_json_key(j, &key)) {
		if (ch_span_is(key, "frames"))
			code = read_frames(r, j);
		else
			ch_json_skip(j);
	}
	return code;
}

/* The frame of an index; 0 when it is out of range or was no object. */
static uint32_t frame_at(struct reading *r, struct ch_json *j)
{
	int64_t i = -1;

	if (ch_json_i64(j, &i) && i >= 0 && (uint64_t)i < r->n_frames && r->frames[i])
		return r->frames[i];
	r->bad_frames++;
	return 0;
}

/* --- sampled profiles -------------------------------------------------------------------------- */

/* A number of the file in our unit, without the event's scale. */
static int64_t in_units(const struct one *o, const struct ch_json_number *n)
{
	return n->whole ? ch_sat_mul(n->i, o->unit->factor)
	                : ch_sat_round(n->d * (double)o->unit->factor);
}

/* Numbers finer than our unit make the event fractional. */
static void allow_fraction(struct reading *r, const struct one *o, const struct ch_json_number *n)
{
	int64_t scale = r->p->events[o->event].scale;

	if (!n->whole && o->unit->factor == 1 && scale % FRACTION)
		ch_profile_rescale(r->p, o->event, ch_sat_mul(scale, FRACTION));
}

static int64_t scaled_count(struct reading *r, const struct one *o, const struct ch_json_number *n)
{
	int64_t scale = r->p->events[o->event].scale;

	return n->whole ? ch_sat_mul(n->i, scale) : ch_sat_round(n->d * (double)scale);
}

static int64_t scaled_value(struct reading *r, const struct one *o, const struct ch_json_number *n)
{
	if (o->unit->factor == 1)
		return scaled_count(r, o, n);
	return ch_sat_mul(in_units(o, n), r->p->events[o->event].scale);
}

static uint32_t read_stack(struct reading *r, struct ch_json *j)
{
	uint32_t stack = 0, frame;

	if (!ch_json_array(j))
		return 0;
	while (ch_json_item(j)) {
		frame = frame_at(r, j);
		if (frame)
			stack = ch_profile_push(r->p, stack, frame);
	}
	return stack;
}

/* The next number of a list; false at its end. What is no number reads as 0. */
static bool next_number(struct ch_json *j, struct ch_json_number *ret)
{
	*ret = (struct ch_json_number){ .whole = true };
	if (!ch_json_item(j))
		return false;
	ch_json_number(j, ret);
	return true;
}

/*
 * The weights go beside the samples; without them each sample weighs one. A weight in time or bytes
 * is the value of one sample, a weight without unit is a number of samples.
 */
static void read_samples(struct reading *r, struct one *o)
{
	const struct ch_json_number one = { .d = 1, .i = 1, .whole = true };
	bool counted = !strcmp(o->unit->unit, "count");

	o->has_weights = o->has_weights && ch_json_array(&o->weights);
	o->has_others = o->has_others && ch_json_array(&o->others);
	if (!ch_json_array(&o->samples))
		return;
	while (ch_json_item(&o->samples)) {
		struct ch_sample s = { .event = o->event, .labels = o->labels };
		struct ch_json_number weight = one, other;

		s.time_ns = CH_NO_TIME;
		s.stack = read_stack(r, &o->samples);
		if (o->has_weights && !next_number(&o->weights, &weight)) {
			r->unequal++;
			return;
		}
		if (!o->has_others || !next_number(&o->others, &other))
			other = counted ? weight : one;
		allow_fraction(r, o, &weight);
		allow_fraction(r, o, &other);
		s.samples = scaled_count(r, o, counted ? &weight : &other);
		s.value = scaled_value(r, o, counted ? &other : &weight);
		ch_profile_add(r->p, &s);
	}
	r->unequal += o->has_weights && ch_json_item(&o->weights);
}

/* --- evented profiles -------------------------------------------------------------------------- */

struct open_frames {
	struct {
		uint32_t frame, stack;
	} * items;
	size_t n, cap;
};

struct change {
	uint32_t frame;
	bool opens, closes;
	int64_t at; /* in our unit */
};

/* One { type, frame, at }. */
static struct change read_change(struct reading *r, const struct one *o, struct ch_json *j)
{
	struct change c = { 0 };
	struct ch_span key, type;
	struct ch_json_number n = { .whole = true };

	if (!ch_json_object(j))
		return c;
	while (ch_json_key(j, &key)) {
		if (ch_span_is(key, "type")) {
			if (ch_json_text(j, &type)) {
				c.opens = ch_span_is(type, "O");
				c.closes = ch_span_is(type, "C");
			}
		} else if (ch_span_is(key, "frame")) {
			c.frame = frame_at(r, j);
		} else if (ch_span_is(key, "at")) {
			ch_json_number(j, &n);
		} else {
			ch_json_skip(j);
		}
	}
	c.at = in_units(o, &n);
	return c;
}

static void add_spent(struct reading *r, const struct one *o, uint32_t stack, int64_t from,
                      int64_t to)
{
	int64_t spent;

	if (__builtin_sub_overflow(to, from, &spent))
		spent = INT64_MAX;
	spent = ch_sat_mul(spent, r->p->events[o->event].scale);
	ch_profile_add(r->p, &(struct ch_sample){ .event = o->event,
	                                          .stack = stack,
	                                          .labels = o->labels,
	                                          .samples = spent,
	                                          .value = spent,
	                                          .time_ns = CH_NO_TIME });
}

static int apply(struct reading *r, const struct one *o, const struct change *c,
                 struct open_frames *open, int64_t *last)
{
	uint32_t stack = open->n ? open->items[open->n - 1].stack : 0;

	if (!c->frame || c->at < *last || !(c->opens || c->closes) ||
	    (c->closes && (!open->n || open->items[open->n - 1].frame != c->frame))) {
		r->bad_events++;
		return 0;
	}
	if (open->n && c->at > *last)
		add_spent(r, o, stack, *last, c->at);
	*last = c->at;
	if (c->closes) {
		open->n--;
		return 0;
	}
	if (CH_ROOM(open->items, open->cap, open->n + 1) < 0)
		return -ENOMEM;
	open->items[open->n].frame = c->frame;
	open->items[open->n++].stack = ch_profile_push(r->p, stack, c->frame);
	return 0;
}

/* Time from one event to the next belongs to the stack that was open then. */
static int read_events(struct reading *r, struct one *o)
{
	struct open_frames open = { 0 };
	int64_t last = INT64_MIN;
	int code = 0;

	if (!ch_json_array(&o->events))
		return 0;
	while (!code && ch_json_item(&o->events)) {
		struct change c = read_change(r, o, &o->events);

		if (!o->events.error)
			code = apply(r, o, &c, &open, &last);
	}
	if (open.n)
		r->bad_events++;
	free(open.items);
	return code;
}

/* --- profiles ---------------------------------------------------------------------------------- */

static uint32_t read_string(struct reading *r, struct ch_json *j)
{
	struct ch_span t;

	return ch_json_text(j, &t) ? ch_profile_str(r->p, t.s, t.n) : 0;
}

static bool keep_place(struct ch_json *j, struct ch_json *place)
{
	*place = *j;
	ch_json_skip(j);
	return true;
}

/* What our writer adds, see docs/formats.md. */
static void read_ours(struct reading *r, struct one *o, struct ch_json *j)
{
	struct ch_span key;

	if (!ch_json_object(j))
		return;
	o->ours = true;
	while (ch_json_key(j, &key)) {
		if (ch_span_is(key, "event"))
			o->type = read_string(r, j);
		else if (ch_span_is(key, "label"))
			o->label = read_string(r, j);
		else if (ch_span_is(key, "value"))
			o->value = read_string(r, j);
		else if (ch_span_is(key, "unit"))
			o->own_unit = read_string(r, j);
		else if (ch_span_is(key, "interval_ns"))
			ch_json_i64(j, &o->interval_ns);
		else if (ch_span_is(key, "counts") || ch_span_is(key, "values"))
			o->has_others = keep_place(j, &o->others);
		else
			ch_json_skip(j);
	}
}

static const struct unit *read_unit(struct ch_json *j)
{
	struct ch_span t;

	if (ch_json_text(j, &t))
		for (size_t i = 0; i < CH_LEN(units); i++)
			if (ch_span_is(t, units[i].word))
				return &units[i];
	return &units[0];
}

static void read_keys(struct reading *r, struct one *o, struct ch_json *j)
{
	struct ch_span key, type;

	while (ch_json_key(j, &key)) {
		if (ch_span_is(key, "type"))
			o->evented = ch_json_text(j, &type) && ch_span_is(type, "evented");
		else if (ch_span_is(key, "name"))
			o->name = read_string(r, j);
		else if (ch_span_is(key, "unit"))
			o->unit = read_unit(j);
		else if (ch_span_is(key, "samples"))
			o->has_samples = keep_place(j, &o->samples);
		else if (ch_span_is(key, "weights"))
			o->has_weights = keep_place(j, &o->weights);
		else if (ch_span_is(key, "events"))
			o->has_events = keep_place(j, &o->events);
		else if (ch_span_is(key, "charcloth"))
			read_ours(r, o, j);
		else
			ch_json_skip(j);
	}
}

/* False when the samples are of an event nobody wants. */
static bool make_event(struct reading *r, struct one *o)
{
	const char *type = o->type ? ch_profile_text(r->p, o->type) : o->unit->event;
	/* Our own files say which label has been split by; in others the name is a thread's. */
	const char *label = o->ours ? ch_profile_text(r->p, o->label) : "thread";

	if (!ch_profile_wants_event(r->p, type))
		return false;
	o->event = ch_profile_event(
	    r->p, type, o->own_unit ? ch_profile_text(r->p, o->own_unit) : o->unit->unit);
	if (o->event >= r->p->n_events)
		return false;
	if (o->interval_ns > 0)
		r->p->events[o->event].interval_ns = o->interval_ns;
	if (*label && ch_profile_wants(r->p, label))
		o->labels = ch_profile_label(r->p, 0, ch_profile_strz(r->p, label),
		                             o->ours ? o->value : o->name);
	return true;
}

static int read_profile(struct reading *r, struct ch_json *j)
{
	struct one o = { .unit = &units[0] };

	if (!ch_json_object(j))
		return 0;
	read_keys(r, &o, j);
	/* In a file that was cut before the weights, the samples say nothing. */
	if (j->error && !(o.evented ? o.has_events : o.has_weights))
		return 0;
	r->profiles++;
	if (!make_event(r, &o))
		return 0;
	if (o.evented)
		return o.has_events ? read_events(r, &o) : 0;
	if (o.has_samples)
		read_samples(r, &o);
	return 0;
}

static int read_profiles(struct reading *r, struct ch_json *j)
{
	int code = 0;

	if (!ch_json_array(j))
		return 0;
	while (!code && ch_json_item(j))
		code = read_profile(r, j);
	return code;
}

/* --- the whole --------------------------------------------------------------------------------- */

/* Calls fn on the value of the root's key. The file is read twice: frames may come last. */
static int at_key(struct reading *r, const char *name, struct ch_json *j,
                  int (*fn)(struct reading *r, struct ch_json *j))
{
	struct ch_span key;
	int code = 0;

	*j = ch_json(r->in->data, r->in->size, &r->scratch);
	if (!ch_json_object(j))
		return 0;
	while (!code && ch_json_key(j, &key)) {
		if (ch_span_is(key, name))
			code = fn(r, j);
		else
			ch_json_skip(j);
	}
	return code;
}

static void note_damage(struct reading *r, struct ch_json *j)
{
	const char *name = r->in->name;

	if (ch_json_end(j) < 0)
		ch_profile_damage(r->p, "'%s' line %zu, byte %zu: %s", name, ch_json_line(j),
		                  ch_json_offset(j), j->error);
	if (r->bad_frames)
		ch_profile_damage(r->p, "'%s': %zu references to frames that are not there", name,
		                  r->bad_frames);
	if (r->bad_events)
		ch_profile_damage(r->p, "'%s': %zu events do not fit those before them", name,
		                  r->bad_events);
	if (r->unequal)
		ch_profile_damage(r->p, "'%s': %zu profiles have not one weight for each sample",
		                  name, r->unequal);
}

static int read_all(struct reading *r, struct ch_error *err)
{
	struct ch_json j;
	int code = at_key(r, "shared", &j, read_shared);

	if (!code)
		code = at_key(r, "profiles", &j, read_profiles);
	if (code < 0)
		return ch_fail(err, code, "'%s': %m", r->in->name);
	if (!r->profiles && j.error)
		return ch_fail(err, -EBADMSG, "'%s' line %zu, byte %zu: %s", r->in->name,
		               ch_json_line(&j), ch_json_offset(&j), j.error);
	note_damage(r, &j);
	return 0;
}

int ch_speedscope_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct reading r = { .in = in, .p = p, .scratch = CH_BUF(STRING_MAX) };
	int code = read_all(&r, err);

	ch_buf_done(&r.scratch);
	free(r.frames);
	return code;
}
