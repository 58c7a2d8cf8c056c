#include "render/json.h"
#include "codec/json_out.h"
#include "profile/kinds.h"
#include "render/top.h"
#include "sys/spill.h"

#include <errno.h>

#define BUF_MAX ((size_t)1 << 30)

static void put_side(struct ch_json_out *w, const char *key, int64_t self, int64_t total)
{
	ch_json_field_open(w, key, '{');
	ch_json_field_i64(w, "self", self);
	ch_json_field_i64(w, "total", total);
	ch_json_close(w, '}');
}

static void put_header(struct ch_json_out *w, const struct ch_view *v, const struct ch_tree *t)
{
	ch_json_field_str(w, "version", CH_VERSION);
	if (v->title)
		ch_json_field_str(w, "title", v->title);
	ch_json_field_open(w, "source", '[');
	for (size_t i = 0; i < v->n_sources; i++)
		ch_json_put_str(w, ch_view_source(v, i));
	ch_json_close(w, ']');
	ch_json_field_str(w, "event", ch_view_word(v));
	ch_json_field_str(w, "unit", t->unit);
	ch_json_field_i64(w, "scale", t->scale);
	ch_json_field_i64(w, "total", t->total[0]);
	if (t->total_before) {
		ch_json_field_i64(w, "total_before", t->total_before[0]);
		ch_json_field_str(w, "before", v->diff.before ? v->diff.before : "");
		ch_json_field_str(w, "after", v->diff.after ? v->diff.after : "");
		ch_json_field_bool(w, "normalized", v->diff.normalized);
	}
	ch_json_field_open(w, "notes", '[');
	for (size_t i = 0; i < v->profile->n_notes; i++)
		ch_json_put_str(w, v->profile->notes[i]);
	ch_json_close(w, ']');
}

/* Self and total, of both sides where there are two. */
static void put_weights(struct ch_json_out *w, const struct ch_top_row *row, bool diff)
{
	if (diff) {
		put_side(w, "before", row->self_before, row->total_before);
		put_side(w, "after", row->self, row->total);
	} else {
		ch_json_field_i64(w, "self", row->self);
		ch_json_field_i64(w, "total", row->total);
	}
}

static struct ch_top_row weights_of(const struct ch_tree *t, size_t i)
{
	struct ch_top_row row = { .self = t->self[i], .total = t->total[i] };

	if (t->total_before) {
		row.self_before = t->self_before[i];
		row.total_before = t->total_before[i];
	}
	return row;
}

/* Opens a node up to and including the bracket of its children. */
static void open_node(struct ch_json_out *w, const struct ch_profile *p, const struct ch_tree *t,
                      size_t i)
{
	const struct ch_frame *f = &p->frames[t->frame[i]];
	struct ch_top_row row = weights_of(t, i);

	ch_json_open(w, '{');
	ch_json_put_key(w, "name");
	if (i)
		ch_json_put_text(w, p->strings.text[f->name], p->strings.len[f->name]);
	else
		ch_json_put_str(w, "all");
	ch_json_field_str(w, "kind", ch_kinds[i ? f->kind : CH_KIND_OTHER]);
	put_weights(w, &row, t->total_before);
	ch_json_field_open(w, "children", '[');
}

static void close_nodes(struct ch_json_out *w, uint32_t n)
{
	while (n--) {
		ch_json_close(w, ']');
		ch_json_close(w, '}');
	}
}

int ch_json_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	CH_CLEANUP(ch_tree_freep) struct ch_tree *t = NULL;
	struct ch_buf buf = CH_BUF(BUF_MAX);
	struct ch_json_out w = ch_json_out(&buf, false);
	uint32_t height = 0;
	int r = ch_tree_new(v->profile, v->metric, &t, err);

	if (r < 0)
		return r;
	ch_json_open(&w, '{');
	put_header(&w, v, t);
	ch_json_put_key(&w, "tree");
	for (size_t i = 0; i < t->n && !ch_out_failed(out); i++) {
		close_nodes(&w, height - t->depth[i]);
		open_node(&w, v->profile, t, i);
		height = t->depth[i] + 1;
		ch_spill(&buf, out);
	}
	close_nodes(&w, height);
	ch_json_close(&w, '}');
	ch_json_put_newline(&w);
	ch_spill_all(&buf, out);
	if (buf.err)
		r = ch_fail(err, buf.err, "json: %m");
	ch_buf_done(&buf);
	return r;
}

/* A group's labels, outermost first, and its weight; its list follows. */
static void open_group(struct ch_json_out *w, const struct ch_profile *p, const struct ch_tree *t,
                       uint32_t at)
{
	struct ch_top_row row = weights_of(t, at);
	uint32_t path[CH_LABEL_LEVELS_MAX];
	size_t n = 0;

	ch_json_open(w, '{');
	ch_json_field_open(w, "labels", '[');
	for (; at && n < CH_LEN(path); at = t->parent[at])
		path[n++] = at;
	while (n--)
		ch_json_put_str(w, ch_tree_name(t, p, path[n]));
	ch_json_close(w, ']');
	put_weights(w, &row, t->total_before);
}

static void put_rows(struct ch_json_out *w, const struct ch_view *v, const struct ch_tree *t,
                     const struct ch_top_row *rows, size_t n, struct ch_out *out)
{
	const struct ch_strtab *strings = &v->profile->strings;
	size_t shown = v->text.limit && v->text.limit < n ? v->text.limit : n;

	ch_json_field_i64(w, "left_out", (int64_t)(n - shown));
	ch_json_field_open(w, "top", '[');
	for (size_t i = 0; i < shown && !ch_out_failed(out); i++) {
		ch_json_open(w, '{');
		ch_json_field_text(w, "name", strings->text[rows[i].name],
		                   strings->len[rows[i].name]);
		put_weights(w, &rows[i], t->total_before);
		ch_json_close(w, '}');
		ch_spill(w->buf, out);
	}
	ch_json_close(w, ']');
}

static int put_lists(struct ch_json_out *w, const struct ch_view *v, const struct ch_tree *t,
                     struct ch_out *out)
{
	CH_CLEANUP(ch_freep) uint32_t *groups = NULL;
	size_t n_groups, n;
	int r = ch_top_groups(v, t, &groups, &n_groups);

	if (r < 0)
		return r;
	if (v->label_levels) {
		ch_json_field_open(w, "groups", '[');
	}
	for (size_t i = 0; r >= 0 && i < n_groups; i++) {
		CH_CLEANUP(ch_freep) struct ch_top_row *rows = NULL;

		r = ch_top_new(v, t, groups[i], &rows, &n);
		if (r < 0)
			break;
		if (v->label_levels)
			open_group(w, v->profile, t, groups[i]);
		put_rows(w, v, t, rows, n, out);
		if (v->label_levels)
			ch_json_close(w, '}');
	}
	if (v->label_levels)
		ch_json_close(w, ']');
	return r;
}

int ch_json_top_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	CH_CLEANUP(ch_tree_freep) struct ch_tree *t = NULL;
	CH_CLEANUP(ch_buf_done) struct ch_buf buf = CH_BUF(BUF_MAX);
	struct ch_json_out w = ch_json_out(&buf, false);
	int r = ch_tree_new(v->profile, v->metric, &t, err);

	if (r < 0)
		return r;
	ch_json_open(&w, '{');
	put_header(&w, v, t);
	r = put_lists(&w, v, t, out);
	ch_json_close(&w, '}');
	ch_json_put_newline(&w);
	ch_spill_all(&buf, out);
	if (r >= 0)
		r = buf.err;
	return r < 0 ? ch_fail(err, r, "json: %m") : 0;
}
