#include "formats/pprof.h"
#include "base/hash.h"
#include "base/vec.h"
#include "codec/pack.h"
#include "codec/proto.h"
#include "formats/writers.h"
#include "profile/events.h"
#include "profile/kinds.h"

#include <errno.h>
#include <stdio.h>

#define STRINGS_MAX_BYTES ((size_t)4 << 30)
/* One sample; 100,000 frames need less than half a megabyte. */
#define MESSAGE_MAX ((size_t)1 << 30)
#define FLUSH_BYTES (64 * 1024)

/* The columns of an event: a count, and a value where it differs from the count. */
struct columns {
	size_t count, value; /* equal when there is one column only */
};

struct function {
	uint32_t name, file; /* strings of the profile */
};

struct writing {
	const struct ch_profile *p;
	struct ch_out *out;
	struct ch_packer *packer;
	struct ch_buf head, message, part; /* waiting for the packer; a message; a field of it */
	struct ch_strtab strings;          /* those that are used, in the order of the file */
	uint32_t *string_of;               /* by string of the profile, 0 while not used */
	uint32_t *location_of;             /* by frame, 0 while not used; counted from 1 */
	uint32_t *frame_of;                /* by location - 1 */
	size_t n_locations;
	struct function *functions;
	size_t n_functions, functions_cap;
	struct ch_index function_index;
	struct columns *columns; /* by event */
	size_t n_columns;
	int err;
	bool has_default;
};

static int sink(void *ctx, const uint8_t *data, size_t n)
{
	struct ch_out *out = ctx;

	ch_out_write(out, data, n);
	return ch_out_failed(out) ? -EIO : 0;
}

static void flush(struct writing *w)
{
	if (w->head.err)
		w->err = w->head.err;
	ch_packer_put(w->packer, w->head.data, w->head.len);
	ch_buf_reset(&w->head);
}

/* Sends the message off as a field of Profile and starts the next one. */
static void send(struct writing *w, enum ch_pprof_profile field)
{
	ch_proto_put_bytes(&w->head, field, w->message.data, w->message.len);
	if (w->message.err || w->part.err)
		w->err = w->message.err ? w->message.err : w->part.err;
	ch_buf_reset(&w->message);
	if (w->head.len >= FLUSH_BYTES)
		flush(w);
}

static uint32_t own_string(struct writing *w, const char *s)
{
	return ch_strtab_idz(&w->strings, s);
}

static uint32_t string(struct writing *w, uint32_t id)
{
	if (id && !w->string_of[id])
		w->string_of[id] =
		    ch_strtab_id(&w->strings, w->p->strings.text[id], w->p->strings.len[id]);
	return w->string_of[id];
}

/* --- columns ----------------------------------------------------------------------------------- */

static void put_value_type(struct writing *w, enum ch_pprof_profile field, const char *type,
                           const char *unit, int64_t scale)
{
	char spelled[96];

	ch_pprof_unit_spell(unit, scale, spelled);
	ch_proto_put_u64(&w->message, 1, own_string(w, type));
	ch_proto_put_u64(&w->message, 2, own_string(w, spelled));
	send(w, field);
}

/* For our reader: the event behind columns whose names are chosen for other tools. */
static void put_remark(struct writing *w, const struct ch_event *e, const struct columns *c)
{
	struct ch_buf text = CH_BUF(2 * CH_NAME_MAX);

	ch_buf_printf(&text, CH_PPROF_EVENT_COMMENT "%zu-%zu interval_ns=%lld type=%s", c->count,
	              c->value, (long long)e->interval_ns, ch_profile_text(w->p, e->type));
	ch_proto_put_u64(&w->head, CH_PPROF_COMMENT,
	                 ch_strtab_id(&w->strings, text.data, text.len));
	if (text.err)
		w->err = text.err;
	ch_buf_done(&text);
}

/* True when an event before this one has the same word, and with it the well-known names. */
static bool word_taken(const struct ch_profile *p, size_t event)
{
	for (size_t i = 0; i < event; i++)
		if (p->events[i].word == p->events[event].word)
			return true;
	return false;
}

/* What other tools show first should be what we would show. */
static void put_default(struct writing *w, const struct ch_event *e, const char *column)
{
	const char *word = ch_events_default(w->p);

	if (w->has_default || !word || strcmp(word, ch_profile_text(w->p, e->word)) != 0)
		return;
	ch_proto_put_u64(&w->head, CH_PPROF_DEFAULT_SAMPLE_TYPE, own_string(w, column));
	w->has_default = true;
}

static void put_columns(struct writing *w, size_t event)
{
	const struct ch_event *e = &w->p->events[event];
	const char *type = ch_profile_text(w->p, e->type), *unit = ch_profile_text(w->p, e->unit);
	struct columns *c = &w->columns[event];
	bool two = c->value != c->count;
	const char *count_name, *value_name;
	CH_CLEANUP(ch_freep) char *own_count = NULL;

	if (word_taken(w->p, event) ||
	    !ch_pprof_columns(ch_profile_text(w->p, e->word), &count_name, &value_name)) {
		if (asprintf(&own_count, "%s%s", type, two ? "_samples" : "") < 0) {
			own_count = NULL;
			w->err = -ENOMEM;
			return;
		}
		count_name = own_count;
		value_name = type;
	}
	c->count = w->n_columns++;
	c->value = two ? w->n_columns++ : c->count;
	put_value_type(w, CH_PPROF_SAMPLE_TYPE, count_name, "count", e->scale);
	if (two)
		put_value_type(w, CH_PPROF_SAMPLE_TYPE, value_name, unit, e->scale);
	put_remark(w, e, c);
	put_default(w, e, two ? value_name : count_name);
}

/* The first interval known; the others are in the remarks. */
static void put_period(struct writing *w)
{
	for (size_t i = 0; i < w->p->n_events; i++) {
		const struct ch_event *e = &w->p->events[i];

		if (!e->interval_ns)
			continue;
		put_value_type(w, CH_PPROF_PERIOD_TYPE, ch_profile_text(w->p, e->word), "ns", 1);
		ch_proto_put_i64(&w->head, CH_PPROF_PERIOD, e->interval_ns);
		return;
	}
}

static void put_header(struct writing *w)
{
	const struct ch_profile *p = w->p;

	/* A value column where the value is something else than the count. */
	for (size_t i = 0; i < p->n_events; i++)
		w->columns[i].value = strcmp(ch_profile_text(p, p->events[i].unit), "count") != 0;
	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.samples[i] != p->rows.value[i])
			w->columns[p->rows.event[i]].value = 1;
	for (size_t i = 0; i < p->n_events; i++)
		put_columns(w, i);
	put_period(w);
	if (p->start_ns != CH_NO_TIME) {
		ch_proto_put_i64(&w->head, CH_PPROF_TIME_NANOS, p->start_ns);
		if (p->end_ns > p->start_ns)
			ch_proto_put_i64(&w->head, CH_PPROF_DURATION_NANOS,
			                 p->end_ns - p->start_ns);
	}
}

/* --- samples ----------------------------------------------------------------------------------- */

static uint32_t location(struct writing *w, uint32_t frame)
{
	if (!w->location_of[frame]) {
		w->frame_of[w->n_locations] = frame;
		w->location_of[frame] = (uint32_t)++w->n_locations;
	}
	return w->location_of[frame];
}

static void put_label(struct writing *w, uint32_t key, const char *number_of, uint64_t value)
{
	ch_buf_reset(&w->part);
	ch_proto_put_u64(&w->part, 1, number_of ? own_string(w, number_of) : key);
	ch_proto_put_u64(&w->part, number_of ? 3 : 2, value);
	if (number_of)
		ch_proto_put_u64(&w->part, 4, own_string(w, "nanoseconds"));
	ch_proto_put_bytes(&w->message, 3, w->part.data, w->part.len);
}

static void put_labels(struct writing *w, size_t row)
{
	const struct ch_profile *p = w->p;
	uint32_t set = p->rows.labels[row];

	for (uint32_t i = p->set_start[set]; i < p->set_start[set + 1]; i++)
		put_label(w, string(w, p->labels[i].key), NULL, string(w, p->labels[i].value));
	if (p->rows.time_ns && p->rows.time_ns[row] != CH_NO_TIME)
		put_label(w, 0, CH_PPROF_TIME_LABEL, (uint64_t)p->rows.time_ns[row]);
}

static void put_sample(struct writing *w, size_t row)
{
	const struct ch_profile *p = w->p;
	const struct columns *c = &w->columns[p->rows.event[row]];

	ch_buf_reset(&w->part);
	for (uint32_t at = p->rows.stack[row]; at; at = p->trie.parent[at])
		ch_buf_varint(&w->part, location(w, p->trie.frame[at]));
	if (w->part.len)
		ch_proto_put_bytes(&w->message, 1, w->part.data, w->part.len);
	ch_buf_reset(&w->part);
	for (size_t i = 0; i < w->n_columns; i++)
		ch_buf_varint(&w->part, i == c->count   ? (uint64_t)p->rows.samples[row]
		                        : i == c->value ? (uint64_t)p->rows.value[row]
		                                        : 0);
	ch_proto_put_bytes(&w->message, 2, w->part.data, w->part.len);
	put_labels(w, row);
	send(w, CH_PPROF_SAMPLE);
}

/* --- tables ------------------------------------------------------------------------------------ */

/* The number of the function, counted from 1; lines of one function share it. */
static uint32_t function(struct writing *w, uint32_t name, uint32_t file)
{
	uint32_t hash = ch_hash_u64(name, file), id;
	size_t at = ch_index_start(&w->function_index, hash);

	while ((id = ch_index_next(&w->function_index, hash, &at)))
		if (w->functions[id - 1].name == name && w->functions[id - 1].file == file)
			return id;
	if (CH_ROOM(w->functions, w->functions_cap, w->n_functions + 1) < 0 ||
	    ch_index_put(&w->function_index, hash, (uint32_t)w->n_functions + 1) < 0) {
		w->err = -ENOMEM;
		return 0;
	}
	w->functions[w->n_functions++] = (struct function){ name, file };
	return (uint32_t)w->n_functions;
}

/* Each kind of frame has a mapping of its own, numbered by the kind plus one: 0 means none. */
static void put_locations(struct writing *w)
{
	for (size_t i = 0; i < w->n_locations; i++) {
		const struct ch_frame *f = &w->p->frames[w->frame_of[i]];

		ch_buf_reset(&w->part);
		ch_proto_put_u64(&w->part, 1, function(w, f->name, f->file));
		ch_proto_put_u64(&w->part, 2, f->line);
		ch_proto_put_u64(&w->message, 1, i + 1);
		ch_proto_put_u64(&w->message, 2, f->kind + UINT64_C(1));
		ch_proto_put_bytes(&w->message, 4, w->part.data, w->part.len);
		send(w, CH_PPROF_LOCATION);
	}
}

static void put_functions(struct writing *w)
{
	for (size_t i = 0; i < w->n_functions; i++) {
		ch_proto_put_u64(&w->message, 1, i + 1);
		ch_proto_put_u64(&w->message, 2, string(w, w->functions[i].name));
		ch_proto_put_u64(&w->message, 3, string(w, w->functions[i].name));
		ch_proto_put_u64(&w->message, 4, string(w, w->functions[i].file));
		send(w, CH_PPROF_FUNCTION);
	}
}

static void put_mappings(struct writing *w)
{
	bool used[CH_KIND_COUNT] = { 0 };
	char name[32];

	for (size_t i = 0; i < w->n_locations; i++)
		used[w->p->frames[w->frame_of[i]].kind] = true;
	for (int k = 0; k < CH_KIND_COUNT; k++) {
		if (!used[k])
			continue;
		(void)snprintf(name, sizeof(name), "[%s]", ch_kinds[k]);
		ch_proto_put_u64(&w->message, 1, (uint64_t)k + 1);
		ch_proto_put_u64(&w->message, 5, own_string(w, name));
		/* has_functions, has_filenames, has_line_numbers: nothing is left to look up. */
		for (uint32_t field = 7; field <= 9; field++)
			ch_proto_put_u64(&w->message, field, 1);
		send(w, CH_PPROF_MAPPING);
	}
}

static void put_strings(struct writing *w)
{
	for (size_t i = 0; i < w->strings.n; i++) {
		ch_buf_put(&w->message, w->strings.text[i], w->strings.len[i]);
		send(w, CH_PPROF_STRING);
	}
}

/* --- the whole --------------------------------------------------------------------------------- */

static int prepare(struct writing *w)
{
	const struct ch_profile *p = w->p;

	w->head = w->message = w->part = CH_BUF(MESSAGE_MAX);
	ch_strtab_init(&w->strings, STRINGS_MAX_BYTES);
	w->packer = ch_packer_new(CH_PACK_GZIP, 6, sink, w->out);
	w->string_of = calloc(p->strings.n, sizeof(*w->string_of));
	w->location_of = calloc(p->n_frames, sizeof(*w->location_of));
	w->frame_of = calloc(p->n_frames, sizeof(*w->frame_of));
	w->columns = calloc(p->n_events + 1, sizeof(*w->columns));
	return w->packer && w->string_of && w->location_of && w->frame_of && w->columns ? 0
	                                                                                : -ENOMEM;
}

static int write_all(struct writing *w)
{
	int r;

	put_header(w);
	for (size_t i = 0; i < w->p->rows.n && !w->err && !ch_out_failed(w->out); i++)
		put_sample(w, i);
	put_mappings(w);
	put_locations(w);
	put_functions(w);
	put_strings(w);
	flush(w);
	r = ch_packer_finish(w->packer);
	if (w->err || w->strings.err)
		return w->err ? w->err : w->strings.err;
	/* That the output failed is told by ch_out_commit, in better words. */
	return ch_out_failed(w->out) ? 0 : r;
}

int ch_pprof_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err)
{
	struct writing w = { .p = p, .out = out };
	int r = prepare(&w);

	if (!r)
		r = write_all(&w);
	ch_packer_free(w.packer);
	ch_buf_done(&w.head);
	ch_buf_done(&w.message);
	ch_buf_done(&w.part);
	ch_strtab_done(&w.strings);
	ch_index_done(&w.function_index);
	free(w.string_of);
	free(w.location_of);
	free(w.frame_of);
	free(w.functions);
	free(w.columns);
	return r < 0 ? ch_fail(err, r, "write pprof: %m") : 0;
}
