#include "formats/uber.h"
#include "codec/json_out.h"
#include "formats/writers.h"
#include "sys/spill.h"

/* One record; a name takes at most six times CH_NAME_MAX, a stack of 100,000 frames some MB. */
#define BUFFER_MAX ((size_t)1 << 30)
#define NS_PER_MS  INT64_C(1000000)

struct writing {
	const struct ch_profile *p;
	struct ch_out *out;
	struct ch_buf buf, name;
	struct ch_json_out json;
};

/* Leaf first, as the file has it. */
static void put_stack(struct writing *w, uint32_t stack)
{
	const struct ch_profile *p = w->p;

	ch_json_field_open(&w->json, "stacktrace", '[');
	for (; stack; stack = p->trie.parent[stack]) {
		const struct ch_frame *f = &p->frames[p->trie.frame[stack]];
		const char *name = p->strings.text[f->name];
		size_t n = p->strings.len[f->name];

		if (!ch_kind_is_java(f->kind)) {
			ch_json_put_text(&w->json, name, n);
			continue;
		}
		ch_buf_reset(&w->name);
		ch_uber_to_dot(&w->name, name, n);
		ch_json_put_text(&w->json, w->name.data, w->name.len);
	}
	ch_json_close(&w->json, ']');
}

static void put_count(struct writing *w, size_t row)
{
	int64_t v = w->p->rows.samples[row], scale = w->p->events[w->p->rows.event[row]].scale;

	ch_json_put_key(&w->json, "count");
	if (v % scale == 0)
		ch_json_put_i64(&w->json, v / scale);
	else
		ch_json_put_double(&w->json, (double)v / (double)scale);
}

static const char *label_of(const struct ch_profile *p, size_t row, const char *label)
{
	uint32_t key = ch_strtab_find(&p->strings, label, strlen(label));

	return key ? ch_profile_text(p, ch_profile_label_of(p, p->rows.labels[row], key)) : "";
}

static void put_labels(struct writing *w, size_t row)
{
	for (size_t i = 0; i < ch_n_uber_fields; i++) {
		const char *value = label_of(w->p, row, ch_uber_fields[i].label);

		if (!*value)
			continue;
		ch_json_put_key(&w->json, ch_uber_fields[i].field);
		ch_json_put_str(&w->json, value);
	}
}

static void put_epoch(struct writing *w, const char *key, int64_t ns)
{
	if (ns == CH_NO_TIME)
		return;
	ch_json_field_i64(&w->json, key, ns / NS_PER_MS);
}

/* The sample's own time where it is known, else that of the whole recording. */
static void put_times(struct writing *w, size_t row)
{
	const struct ch_profile *p = w->p;
	int64_t own = p->rows.time_ns ? p->rows.time_ns[row] : CH_NO_TIME;

	put_epoch(w, "startEpoch", own != CH_NO_TIME ? own : p->start_ns);
	put_epoch(w, "endEpoch", own != CH_NO_TIME ? own : p->end_ns);
}

static void put_record(struct writing *w, size_t row)
{
	const struct ch_event *e = &w->p->events[w->p->rows.event[row]];

	ch_json_open(&w->json, '{');
	put_stack(w, w->p->rows.stack[row]);
	if (!strcmp(ch_profile_text(w->p, e->type), CH_PYSPARK_EVENT)) {
		struct ch_buf id = CH_BUF(2 * CH_NAME_MAX);

		put_count(w, row);
		ch_buf_puts(&id, label_of(w->p, row, CH_PYSPARK_LABEL));
		ch_buf_puts(&id, CH_PYSPARK_SUFFIX);
		ch_json_field_text(&w->json, "i_d", id.data, id.len);
		ch_buf_done(&id);
	} else {
		put_times(w, row);
		put_labels(w, row);
		put_count(w, row);
	}
	ch_json_close(&w->json, '}');
	ch_json_put_newline(&w->json);
	ch_spill(&w->buf, w->out);
}

int ch_uber_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err)
{
	struct writing w = {
		.p = p, .out = out, .buf = CH_BUF(BUFFER_MAX), .name = CH_BUF(2 * CH_NAME_MAX)
	};
	int r;

	w.json = ch_json_out(&w.buf, false);
	for (size_t i = 0; i < p->rows.n && !w.buf.err && !ch_out_failed(out); i++)
		put_record(&w, i);
	ch_spill_all(&w.buf, out);
	r = w.buf.err ? w.buf.err : w.name.err;
	ch_buf_done(&w.buf);
	ch_buf_done(&w.name);
	return r < 0 ? ch_fail(err, r, "write records: %m") : 0;
}
