#include "formats/pprof.h"
#include "base/vec.h"
#include "codec/proto.h"
#include "formats/readers.h"

#include <errno.h>
#include <stdio.h>

/* Sample types of one file; honest ones have four. */
#define COLUMNS_MAX 256
#define PROBE_BYTES (64 * 1024)
/*
 * A location may stand for many inlined frames, so a small file could ask for endless work: so
 * many frames per byte of it is more than compilers make of anything.
 */
#define FRAMES_PER_BYTE 16

/* An event and the columns it comes from. */
struct source {
	uint16_t event;
	int count, value; /* columns, -1 when there is none */
	int64_t factor;   /* of the value column */
	int64_t lift;     /* from the scale of the file to that of the event */
	int64_t period;   /* in our unit, 0 unknown: turns values into samples */
};

struct column {
	uint64_t type, unit; /* string indices */
};

struct reading {
	const struct ch_input *in;
	struct ch_profile *p;
	struct ch_pprof_tables tables;
	struct column columns[COLUMNS_MAX], period_type;
	size_t n_columns;
	uint64_t comments[COLUMNS_MAX]; /* string indices */
	size_t n_comments;
	struct source sources[COLUMNS_MAX];
	size_t n_sources;
	int64_t period, time_ns, duration_ns;
	uint64_t frames_left;
	/* of the present sample */
	uint64_t *locations;
	size_t n_locations, locations_cap;
	int64_t values[COLUMNS_MAX];
	size_t n_values;
	uint32_t labels;
	int64_t at_ns;
	size_t samples, bad_samples;
};

/* --- recognising ------------------------------------------------------------------------------ */

static bool is_value_type(struct ch_cursor c)
{
	struct ch_proto f;
	bool any = false;

	while (ch_proto_next(&c, &f)) {
		if (f.number > 2 || f.wire != CH_PROTO_VARINT)
			return false;
		any = true;
	}
	return any && !c.bad;
}

/* Fields 1 to 6 and 11 of Profile are messages and strings, the others numbers (14 a string id). */
static bool fits(const struct ch_proto *f)
{
	if (f->number <= 6 || f->number == CH_PPROF_PERIOD_TYPE)
		return f->wire == CH_PROTO_BYTES;
	return f->number <= 15 && (f->wire == CH_PROTO_VARINT || f->number == CH_PPROF_COMMENT);
}

int ch_pprof_probe(const struct ch_input *in)
{
	size_t n = in->size < PROBE_BYTES ? in->size : PROBE_BYTES;
	struct ch_cursor c = ch_cursor(in->data, n);
	struct ch_proto f;
	bool typed = false;

	while (ch_proto_next(&c, &f)) {
		if (!fits(&f))
			return 0;
		if (f.number == CH_PPROF_SAMPLE_TYPE) {
			if (!is_value_type(f.body))
				return 0;
			typed = true;
		}
	}
	return typed ? 90 : 0;
}

/* --- sample types become events --------------------------------------------------------------- */

static struct column read_value_type(struct ch_cursor c)
{
	struct column col = { 0 };
	struct ch_proto f;

	while (ch_proto_next(&c, &f)) {
		if (f.number == 1)
			col.type = f.value;
		else if (f.number == 2)
			col.unit = f.value;
	}
	return col;
}

static void read_comments(struct reading *r, struct ch_proto f)
{
	bool done = false;
	uint64_t i;

	while (r->n_comments < COLUMNS_MAX && ch_proto_each(&f, &done, &i))
		r->comments[r->n_comments++] = i;
}

static int read_header(struct reading *r, struct ch_error *err)
{
	struct ch_cursor c = ch_cursor(r->in->data, r->in->size);
	struct ch_proto f;

	while (ch_proto_next(&c, &f)) {
		if (f.number == CH_PPROF_SAMPLE_TYPE) {
			if (r->n_columns == COLUMNS_MAX)
				return ch_fail(err, -E2BIG, "'%s': more than %d sample types",
				               r->in->name, COLUMNS_MAX);
			r->columns[r->n_columns++] = read_value_type(f.body);
		} else if (f.number == CH_PPROF_PERIOD_TYPE) {
			r->period_type = read_value_type(f.body);
		} else if (f.number == CH_PPROF_COMMENT) {
			read_comments(r, f);
		} else if (f.number == CH_PPROF_PERIOD) {
			r->period = (int64_t)f.value;
		} else if (f.number == CH_PPROF_TIME_NANOS) {
			r->time_ns = (int64_t)f.value;
		} else if (f.number == CH_PPROF_DURATION_NANOS) {
			r->duration_ns = (int64_t)f.value;
		}
	}
	if (!r->n_columns)
		return ch_fail(err, -EBADMSG, "'%s': a pprof profile without sample types",
		               r->in->name);
	return 0;
}

static struct ch_pprof_unit unit_of(struct reading *r, const struct column *c)
{
	const char *text = ch_pprof_text(&r->tables, c->unit);

	return ch_pprof_unit_of(text, strlen(text));
}

static bool is_count(struct reading *r, const struct column *c)
{
	return !strcmp(unit_of(r, c).unit, "count");
}

/* What our writer said about the event whose columns begin at `first`. */
struct remark {
	const char *type; /* NULL: nothing was said */
	int64_t interval_ns;
	uint64_t last; /* column */
};

/* Undoes put_remark in pprof_write.c. */
static bool parse_remark(const char *text, uint64_t first, struct remark *ret)
{
	struct remark found;
	char *at;

	if (strncmp(text, CH_PPROF_EVENT_COMMENT, strlen(CH_PPROF_EVENT_COMMENT)) ||
	    strtoull(text + strlen(CH_PPROF_EVENT_COMMENT), &at, 10) != first || *at != '-')
		return false;
	found.last = strtoull(at + 1, &at, 10);
	if (found.last - first > 1 || strncmp(at, " interval_ns=", 13))
		return false;
	found.interval_ns = strtoll(at + 13, &at, 10);
	if (strncmp(at, " type=", 6) || !at[6])
		return false;
	found.type = at + 6;
	*ret = found;
	return true;
}

static struct remark find_remark(struct reading *r, size_t first)
{
	struct remark found = { 0 };

	for (size_t i = 0; i < r->n_comments; i++)
		if (parse_remark(ch_pprof_text(&r->tables, r->comments[i]), first, &found) &&
		    found.last < r->n_columns)
			return found;
	return (struct remark){ 0 };
}

/* The period as a number of what the column counts, 0 when it is about something else. */
static int64_t period_for(struct reading *r, const struct column *c)
{
	struct ch_pprof_unit of_period = unit_of(r, &r->period_type);

	if (r->period <= 0 || strcmp(of_period.unit, unit_of(r, c).unit))
		return 0;
	if (ch_pprof_string_id(&r->tables, r->period_type.type) !=
	    ch_pprof_string_id(&r->tables, c->type))
		return 0;
	return ch_sat_mul(r->period, of_period.factor);
}

static void set_interval(struct reading *r, const struct source *s, const struct remark *said)
{
	struct ch_pprof_unit unit = unit_of(r, &r->period_type);
	int64_t ns = 0;

	if (said->type)
		ns = said->interval_ns;
	/* Profiles that only count samples still say how far apart they are. */
	else if (!r->p->events[s->event].interval_ns && !strcmp(unit.unit, "ns") &&
	         (s->period || s->value < 0))
		ns = ch_sat_mul(r->period, unit.factor);
	ch_profile_interval(r->p, s->event, ns);
}

static void make_source(struct reading *r, int count, int value, const struct remark *said)
{
	const struct column *named = &r->columns[value >= 0 ? value : count];
	struct ch_pprof_unit unit = unit_of(r, named);
	const char *type = said->type ? said->type : ch_pprof_text(&r->tables, named->type);
	struct source s = { .count = count, .value = value, .factor = unit.factor };
	int64_t scale;

	if (!*type)
		type = "samples";
	if (!ch_profile_wants_event(r->p, type))
		return;
	s.event = ch_profile_event(r->p, type, unit.unit);
	if (s.event >= r->p->n_events)
		return;
	ch_profile_rescale(r->p, s.event, unit.scale);
	scale = r->p->events[s.event].scale;
	s.lift = scale % unit.scale ? 1 : scale / unit.scale;
	s.period = period_for(r, named);
	set_interval(r, &s, said);
	r->sources[r->n_sources++] = s;
}

static bool is_pair(struct reading *r, const struct column *count, const struct column *value)
{
	return !is_count(r, value) && ch_pprof_is_pair(ch_pprof_text(&r->tables, count->type),
	                                               ch_pprof_text(&r->tables, value->type));
}

static void make_sources(struct reading *r)
{
	for (size_t i = 0; i < r->n_columns; i++) {
		const struct column *c = &r->columns[i];
		struct remark said = find_remark(r, i);
		bool pair;

		if (said.type)
			pair = said.last > i;
		else
			pair = is_count(r, c) && i + 1 < r->n_columns && is_pair(r, c, c + 1);
		if (pair)
			make_source(r, (int)i, (int)i + 1, &said);
		else if (is_count(r, c))
			make_source(r, (int)i, -1, &said);
		else
			make_source(r, -1, (int)i, &said);
		i += pair;
	}
}

/* --- samples ----------------------------------------------------------------------------------- */

/* Other writers' words for labels we know under one name. */
static uint32_t label_key(struct reading *r, uint64_t i)
{
	const char *key = ch_pprof_text(&r->tables, i);

	if (!strcmp(key, "thread name") || !strcmp(key, "thread_name"))
		return ch_profile_strz(r->p, "thread");
	return ch_pprof_string_id(&r->tables, i);
}

static uint32_t number_value(struct reading *r, int64_t num, uint64_t unit)
{
	char text[128];
	const char *u = ch_pprof_text(&r->tables, unit);

	(void)snprintf(text, sizeof(text), "%lld%s%.90s", (long long)num, *u ? " " : "", u);
	return ch_profile_strz(r->p, text);
}

static void read_label(struct reading *r, struct ch_cursor c)
{
	uint64_t key = 0, str = 0, unit = 0;
	int64_t num = 0;
	uint32_t k;
	struct ch_proto f;

	while (ch_proto_next(&c, &f)) {
		if (f.number == 1)
			key = f.value;
		else if (f.number == 2)
			str = f.value;
		else if (f.number == 3)
			num = (int64_t)f.value;
		else if (f.number == 4)
			unit = f.value;
	}
	if (!str && !strcmp(ch_pprof_text(&r->tables, key), CH_PPROF_TIME_LABEL)) {
		r->at_ns = num;
		return;
	}
	k = label_key(r, key);
	if (!k || !ch_profile_wants(r->p, ch_profile_text(r->p, k)))
		return;
	r->labels = ch_profile_label(r->p, r->labels, k,
	                             str ? ch_pprof_string_id(&r->tables, str)
	                                 : number_value(r, num, unit));
}

static int read_sample_fields(struct reading *r, struct ch_cursor c)
{
	struct ch_proto f;
	uint64_t v;

	r->n_locations = r->n_values = 0;
	r->labels = 0;
	r->at_ns = CH_NO_TIME;
	while (ch_proto_next(&c, &f)) {
		bool done = false;

		if (f.number == 1) {
			while (ch_proto_each(&f, &done, &v)) {
				if (CH_ROOM(r->locations, r->locations_cap, r->n_locations + 1) < 0)
					return -ENOMEM;
				r->locations[r->n_locations++] = v;
			}
		} else if (f.number == 2) {
			while (ch_proto_each(&f, &done, &v)) {
				if (r->n_values < r->n_columns)
					r->values[r->n_values] = (int64_t)v;
				r->n_values++;
			}
		} else if (f.number == 3 && f.wire == CH_PROTO_BYTES) {
			read_label(r, f.body);
		}
	}
	return 0;
}

static uint32_t stack_of(struct reading *r)
{
	uint32_t stack = 0;

	for (size_t i = r->n_locations; i--;) {
		const uint32_t *frames;
		uint32_t n = ch_pprof_location(&r->tables, r->locations[i], &frames);

		if (n > r->frames_left) {
			r->frames_left = 0;
			break;
		}
		r->frames_left -= n;
		for (uint32_t k = 0; k < n; k++)
			stack = ch_profile_push(r->p, stack, frames[k]);
	}
	return stack;
}

/* A file that only has values: samples by the period where it is known, else the values. */
static int64_t samples_of(const struct source *s, int64_t value)
{
	int64_t n;

	if (!s->period || value < 0)
		return value;
	n = value / s->period + (value % s->period >= s->period - s->period / 2);
	return n || !value ? n : 1;
}

static void add_sample(struct reading *r)
{
	uint32_t stack = stack_of(r);

	for (size_t i = 0; i < r->n_sources; i++) {
		const struct source *s = &r->sources[i];
		int64_t count = s->count >= 0 ? r->values[s->count] : 0;
		int64_t value = s->value >= 0 ? ch_sat_mul(r->values[s->value], s->factor) : count;

		if (!count && !value)
			continue;
		if (s->count < 0)
			count = samples_of(s, value);
		ch_profile_add(r->p, &(struct ch_sample){ s->event, stack, r->labels,
		                                          ch_sat_mul(count, s->lift),
		                                          ch_sat_mul(value, s->lift), r->at_ns });
	}
	r->samples++;
}

static int read_samples(struct reading *r, struct ch_error *err)
{
	struct ch_cursor c = ch_cursor(r->in->data, r->in->size);
	struct ch_proto f;

	r->frames_left = 1 << 16;
	r->frames_left += FRAMES_PER_BYTE * (uint64_t)r->in->size;
	while (r->frames_left && ch_proto_next(&c, &f)) {
		if (f.number != CH_PPROF_SAMPLE || f.wire != CH_PROTO_BYTES)
			continue;
		if (read_sample_fields(r, f.body) < 0)
			return ch_fail(err, -ENOMEM, "'%s': %m", r->in->name);
		if (r->n_values == r->n_columns)
			add_sample(r);
		else
			r->bad_samples++;
		if (r->p->err)
			return ch_profile_status(r->p, err);
	}
	return 0;
}

/* --- the whole --------------------------------------------------------------------------------- */

static void note_damage(struct reading *r)
{
	const char *name = r->in->name;

	if (r->tables.cut)
		ch_profile_damage(r->p, "'%s': the pprof data is damaged or cut short", name);
	if (r->bad_samples)
		ch_profile_damage(r->p, "'%s': left out %zu samples without %zu values", name,
		                  r->bad_samples, r->n_columns);
	if (r->tables.bad_refs)
		ch_profile_damage(r->p,
		                  "'%s': %zu references to names or places that are not there",
		                  name, r->tables.bad_refs);
	if (!r->frames_left)
		ch_profile_damage(r->p,
		                  "'%s': stopped at %zu samples, their stacks are absurdly long",
		                  name, r->samples);
}

static void set_times(struct reading *r)
{
	int64_t end = ch_sat_add(r->time_ns, r->duration_ns);

	if (r->time_ns <= 0 || r->duration_ns < 0)
		return;
	if (r->p->start_ns == CH_NO_TIME || r->time_ns < r->p->start_ns)
		r->p->start_ns = r->time_ns;
	if (r->p->end_ns == CH_NO_TIME || end > r->p->end_ns)
		r->p->end_ns = end;
}

static int read_all(struct reading *r, struct ch_error *err)
{
	int code = read_header(r, err);

	if (code < 0)
		return code;
	if (ch_pprof_tables_init(&r->tables, r->p, r->in->data, r->in->size) < 0)
		return ch_fail(err, -ENOMEM, "'%s': %m", r->in->name);
	if (!r->tables.n_strings)
		return ch_fail(err, -EBADMSG, "'%s': the names are missing, it was cut short",
		               r->in->name);
	make_sources(r);
	set_times(r);
	code = read_samples(r, err);
	if (code < 0)
		return code;
	note_damage(r);
	if (!r->samples && r->p->damaged)
		return ch_fail(err, -EBADMSG, "'%s': no sample could be read, the data is damaged",
		               r->in->name);
	return 0;
}

int ch_pprof_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct reading *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return ch_fail(err, -ENOMEM, "'%s': %m", in->name);
	r->in = in;
	r->p = p;
	code = read_all(r, err);
	ch_pprof_tables_done(&r->tables);
	free(r->locations);
	free(r);
	return code;
}
