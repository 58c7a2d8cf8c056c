#include "base/hash.h"
#include "base/vec.h"
#include "codec/json_out.h"
#include "formats/writers.h"
#include "profile/kinds.h"
#include "sys/spill.h"

#include <errno.h>
#include <stdio.h>

/* A stack of 100,000 frames needs less than a megabyte; a name at most six times CH_NAME_MAX. */
#define BUFFER_MAX ((size_t)1 << 30)

/* Rows of one event and one value of the label: one profile of the file. */
struct group {
	uint16_t event;
	uint32_t value; /* string id, 0 for rows without the label */
	size_t n;       /* rows */
};

struct writing {
	const struct ch_profile *p;
	struct ch_out *out;
	struct ch_buf buf;
	struct ch_json_out json;
	const char *title, *by;
	uint32_t *index_of; /* by frame: its number in the file, plus one */
	struct group *groups;
	size_t n_groups, groups_cap;
	struct ch_index group_index;
	uint32_t *group_of; /* by row */
	uint32_t *order;    /* rows, group by group */
	uint32_t *path;     /* a stack's frames */
	size_t path_cap;
	int err;
};

/* --- frames ------------------------------------------------------------------------------------ */

/* Marks the frames of all stacks that have rows; a parent has a smaller number than its children. */
static int mark_frames(struct writing *w)
{
	const struct ch_profile *p = w->p;
	CH_CLEANUP(ch_freep) uint8_t *used = calloc(p->trie.n, 1);

	w->index_of = calloc(p->n_frames, sizeof(*w->index_of));
	if (!used || !w->index_of)
		return -ENOMEM;
	for (size_t i = 0; i < p->rows.n; i++)
		used[p->rows.stack[i]] = 1;
	for (size_t i = p->trie.n; i-- > 1;) {
		if (!used[i])
			continue;
		used[p->trie.parent[i]] = 1;
		w->index_of[p->trie.frame[i]] = 1;
	}
	return 0;
}

static void put_frames(struct writing *w)
{
	const struct ch_profile *p = w->p;
	uint32_t n = 0;

	for (size_t i = 1; i < p->n_frames; i++) {
		const struct ch_frame *f = &p->frames[i];

		if (!w->index_of[i])
			continue;
		w->index_of[i] = ++n;
		ch_json_open(&w->json, '{');
		ch_json_field_text(&w->json, "name", p->strings.text[f->name],
		                   p->strings.len[f->name]);
		if (f->file) {
			ch_json_field_str(&w->json, "file", ch_profile_text(p, f->file));
		}
		if (f->line) {
			ch_json_field_i64(&w->json, "line", f->line);
		}
		ch_json_field_str(&w->json, "kind", ch_kinds[f->kind]);
		ch_json_close(&w->json, '}');
		ch_spill(&w->buf, w->out);
	}
}

/* --- groups ------------------------------------------------------------------------------------ */

static int group(struct writing *w, uint16_t event, uint32_t value, uint32_t *ret)
{
	uint32_t hash = ch_hash_u64(event, value), id;
	size_t at = ch_index_start(&w->group_index, hash);

	while ((id = ch_index_next(&w->group_index, hash, &at))) {
		*ret = id - 1;
		if (w->groups[*ret].event == event && w->groups[*ret].value == value)
			return 0;
	}
	if (CH_ROOM(w->groups, w->groups_cap, w->n_groups + 1) < 0 ||
	    ch_index_put(&w->group_index, hash, (uint32_t)w->n_groups + 1) < 0)
		return -ENOMEM;
	*ret = (uint32_t)w->n_groups;
	w->groups[w->n_groups++] = (struct group){ event, value, 0 };
	return 0;
}

/* Sorts the rows by group, both in the order in which they were first seen. */
static int make_groups(struct writing *w)
{
	const struct ch_profile *p = w->p;
	uint32_t by = ch_strtab_find(&p->strings, w->by, strlen(w->by));
	CH_CLEANUP(ch_freep) size_t *at = NULL;
	int r = 0;

	w->group_of = calloc(p->rows.n + 1, sizeof(*w->group_of));
	w->order = calloc(p->rows.n + 1, sizeof(*w->order));
	if (!w->group_of || !w->order)
		return -ENOMEM;
	for (size_t i = 0; !r && i < p->rows.n; i++) {
		uint32_t value = by ? ch_profile_label_of(p, p->rows.labels[i], by) : 0;

		r = group(w, p->rows.event[i], value, &w->group_of[i]);
		if (!r)
			w->groups[w->group_of[i]].n++;
	}
	at = calloc(w->n_groups + 1, sizeof(*at));
	if (r || !at)
		return -ENOMEM;
	for (size_t g = 1; g < w->n_groups; g++)
		at[g] = at[g - 1] + w->groups[g - 1].n;
	for (size_t i = 0; i < p->rows.n; i++)
		w->order[at[w->group_of[i]]++] = (uint32_t)i;
	return 0;
}

/* --- profiles ---------------------------------------------------------------------------------- */

/* A number times scale, written with exactly its decimals. */
static void put_scaled(struct writing *w, int64_t v, int64_t scale)
{
	if (v % scale == 0)
		ch_json_put_i64(&w->json, v / scale);
	else
		ch_json_put_double(&w->json, (double)v / (double)scale);
}

static void put_stack(struct writing *w, uint32_t stack)
{
	const struct ch_trie *t = &w->p->trie;
	size_t n = 0;

	for (uint32_t at = stack; at; at = t->parent[at]) {
		if (CH_ROOM(w->path, w->path_cap, n + 1) < 0) {
			w->err = -ENOMEM;
			return;
		}
		w->path[n++] = w->index_of[t->frame[at]] - 1;
	}
	ch_json_open(&w->json, '[');
	while (n)
		ch_json_put_i64(&w->json, w->path[--n]);
	ch_json_close(&w->json, ']');
	ch_spill(&w->buf, w->out);
}

static void put_column(struct writing *w, const char *key, const int64_t *column,
                       const uint32_t *rows, size_t n, int64_t scale)
{
	ch_json_field_open(&w->json, key, '[');
	for (size_t i = 0; i < n; i++) {
		put_scaled(w, column[rows[i]], scale);
		ch_spill(&w->buf, w->out);
	}
	ch_json_close(&w->json, ']');
}

/* speedscope's word for a unit, NULL when it has none and samples are shown. */
static const char *unit_word(const char *unit)
{
	if (!strcmp(unit, "ns"))
		return "nanoseconds";
	return strcmp(unit, "bytes") ? NULL : "bytes";
}

/* What speedscope has no place for; it skips the key. */
static void put_ours(struct writing *w, const struct group *g, const uint32_t *rows, bool in_value)
{
	const struct ch_profile *p = w->p;
	const struct ch_event *e = &p->events[g->event];
	bool differ = false;

	for (size_t i = 0; i < g->n && !differ; i++)
		differ = p->rows.samples[rows[i]] != p->rows.value[rows[i]];
	ch_json_field_open(&w->json, "charcloth", '{');
	ch_json_field_str(&w->json, "event", ch_profile_text(p, e->type));
	if (g->value) {
		ch_json_field_str(&w->json, "label", w->by);
		ch_json_field_str(&w->json, "value", ch_profile_text(p, g->value));
	}
	if (!in_value) {
		ch_json_field_str(&w->json, "unit", ch_profile_text(p, e->unit));
	}
	if (e->interval_ns) {
		ch_json_field_i64(&w->json, "interval_ns", e->interval_ns);
	}
	if (in_value)
		put_column(w, "counts", p->rows.samples, rows, g->n, e->scale);
	else if (differ)
		put_column(w, "values", p->rows.value, rows, g->n, e->scale);
	ch_json_close(&w->json, '}');
}

/* Where there are several events, their words tell the profiles of a thread apart. */
static void put_name(struct writing *w, const struct group *g)
{
	struct ch_buf name = CH_BUF(4 * CH_NAME_MAX);

	ch_buf_puts(&name, g->value ? ch_profile_text(w->p, g->value) : w->title);
	if (w->p->n_events > 1)
		ch_buf_printf(&name, " (%s)", ch_profile_text(w->p, w->p->events[g->event].word));
	ch_json_field_text(&w->json, "name", name.data, name.len);
	ch_buf_done(&name);
}

static void put_profile(struct writing *w, const struct group *g, const uint32_t *rows)
{
	const struct ch_profile *p = w->p;
	const struct ch_event *e = &p->events[g->event];
	const char *unit = unit_word(ch_profile_text(p, e->unit));
	const int64_t *weights = unit ? p->rows.value : p->rows.samples;
	int64_t total = 0;

	for (size_t i = 0; i < g->n; i++)
		total = ch_sat_add(total, weights[rows[i]]);
	ch_json_open(&w->json, '{');
	ch_json_field_str(&w->json, "type", "sampled");
	put_name(w, g);
	ch_json_field_str(&w->json, "unit", unit ? unit : "none");
	ch_json_field_i64(&w->json, "startValue", 0);
	ch_json_put_key(&w->json, "endValue");
	put_scaled(w, total, e->scale);
	put_ours(w, g, rows, unit != NULL);
	ch_json_field_open(&w->json, "samples", '[');
	for (size_t i = 0; i < g->n && !w->err && !ch_out_failed(w->out); i++)
		put_stack(w, p->rows.stack[rows[i]]);
	ch_json_close(&w->json, ']');
	put_column(w, "weights", weights, rows, g->n, e->scale);
	ch_json_close(&w->json, '}');
}

/* --- the whole --------------------------------------------------------------------------------- */

static void put_file(struct writing *w)
{
	const uint32_t *rows = w->order;

	ch_json_open(&w->json, '{');
	ch_json_field_str(&w->json, "$schema",
	                  "https://www.speedscope.app/file-format-schema.json");
	ch_json_field_str(&w->json, "name", w->title);
	ch_json_field_str(&w->json, "exporter", "charcloth@" CH_VERSION);
	ch_json_field_i64(&w->json, "activeProfileIndex", 0);
	ch_json_field_open(&w->json, "shared", '{');
	ch_json_field_open(&w->json, "frames", '[');
	put_frames(w);
	ch_json_close(&w->json, ']');
	ch_json_close(&w->json, '}');
	ch_json_field_open(&w->json, "profiles", '[');
	for (size_t i = 0; i < w->n_groups; i++) {
		put_profile(w, &w->groups[i], rows);
		rows += w->groups[i].n;
	}
	ch_json_close(&w->json, ']');
	ch_json_close(&w->json, '}');
	ch_json_put_newline(&w->json);
	ch_spill_all(&w->buf, w->out);
}

int ch_speedscope_write(const struct ch_profile *p, const char *title, const char *by,
                        struct ch_out *out, struct ch_error *err)
{
	struct writing w = { .p = p,
		             .out = out,
		             .buf = CH_BUF(BUFFER_MAX),
		             .title = title ? title : "profile",
		             .by = by ? by : "thread" };
	int r = mark_frames(&w);

	w.json = ch_json_out(&w.buf, false);
	if (!r)
		r = make_groups(&w);
	if (!r) {
		put_file(&w);
		r = w.err ? w.err : w.buf.err;
	}
	ch_buf_done(&w.buf);
	ch_index_done(&w.group_index);
	free(w.index_of);
	free(w.groups);
	free(w.group_of);
	free(w.order);
	free(w.path);
	return r < 0 ? ch_fail(err, r, "write speedscope: %m") : 0;
}
