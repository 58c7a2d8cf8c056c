#include "render/html.h"
#include "codec/base64.h"
#include "codec/json_out.h"
#include "codec/pack.h"
#include "profile/events.h"
#include "render/assets.h"
#include "render/page.h"
#include "render/xml.h"
#include "sys/spill.h"

#include <errno.h>
#include <time.h>

#define BUF_MAX    ((size_t)1 << 28)
#define PACK_LEVEL 4 /* beyond it time grows faster than the file shrinks */
#define MIN_WIDTH  0.5

/* --- header ---------------------------------------------------------------------------------- */

/* Types of all recorded events that were added together. */
static void put_types(struct ch_json_out *w, const struct ch_page *page, size_t event)
{
	struct ch_buf types = CH_BUF(BUF_MAX);

	for (size_t i = 0; i < page->p->n_events; i++) {
		if (page->event_of[i] != event || !page->p->events[i].samples)
			continue;
		ch_buf_puts(&types, types.len ? ", " : "");
		ch_buf_puts(&types, ch_profile_text(page->p, page->p->events[i].type));
	}
	ch_json_field_text(w, "type", types.data, types.len);
	ch_buf_done(&types);
}

/* What one sample stands for, where samples are counted only and the recorder said it; else 0. */
static int64_t time_per_sample(const struct ch_page *page, const struct ch_page_event *e)
{
	const struct ch_event *first = &page->p->events[e->first];

	if (e->valued || strcmp(ch_profile_text(page->p, first->unit), "count") != 0)
		return 0;
	return first->interval_ns;
}

static void put_events(struct ch_json_out *w, const struct ch_page *page)
{
	const struct ch_profile *p = page->p;

	ch_json_field_open(w, "events", '[');
	for (size_t i = 0; i < page->n_events; i++) {
		const struct ch_page_event *e = &page->events[i];
		int64_t per_sample = time_per_sample(page, e);

		ch_json_open(w, '{');
		ch_json_field_str(w, "word", ch_profile_text(p, e->word));
		put_types(w, page, i);
		ch_json_field_str(w, "unit",
		                  per_sample ? "ns" : ch_profile_text(p, p->events[e->first].unit));
		ch_json_field_i64(w, "scale", e->scale);
		ch_json_field_i64(w, "samples", e->samples);
		ch_json_field_i64(w, "total",
		                  per_sample ? ch_sat_mul(e->samples, per_sample) : e->value);
		if (per_sample)
			ch_json_field_i64(w, "per_sample", per_sample);
		ch_json_close(w, '}');
	}
	ch_json_close(w, ']');
}

/* The page event that is shown first. */
static size_t first_event(const struct ch_page *page)
{
	CH_CLEANUP(ch_freep) bool *chosen = calloc(page->p->n_events + 1, sizeof(*chosen));

	if (!chosen || ch_events_choose(page->p, NULL, chosen, NULL) < 0)
		return 0;
	for (size_t i = 0; i < page->p->n_events; i++)
		if (chosen[i])
			return page->event_of[i];
	return 0;
}

static void put_series(struct ch_json_out *w, const struct ch_profile *p)
{
	ch_json_field_open(w, "series", '[');
	for (size_t i = 0; i < p->n_series; i++) {
		const struct ch_series *s = &p->series[i];

		ch_json_open(w, '{');
		ch_json_field_str(w, "name", ch_profile_text(p, s->name));
		ch_json_field_str(w, "unit", ch_profile_text(p, s->unit));
		ch_json_field_open(w, "t_ms", '[');
		for (size_t k = 0; k < s->n; k++)
			ch_json_put_i64(w, s->time_ns[k] / 1000000);
		ch_json_close(w, ']');
		ch_json_field_open(w, "v", '[');
		for (size_t k = 0; k < s->n; k++)
			ch_json_put_double(w, s->value[k]);
		ch_json_close(w, ']');
		ch_json_close(w, '}');
	}
	ch_json_close(w, ']');
}

static void put_notes(struct ch_json_out *w, const struct ch_page *page)
{
	ch_json_field_open(w, "notes", '[');
	for (size_t i = 0; i < page->p->n_notes; i++)
		ch_json_put_str(w, page->p->notes[i]);
	if (page->had_negatives)
		ch_json_put_str(w, "weights below zero have no width and are left out");
	ch_json_close(w, ']');
}

static void put_generated(struct ch_json_out *w, int64_t at_s)
{
	time_t when = (time_t)at_s;
	struct tm utc;
	char text[32] = "";

	if (at_s && gmtime_r(&when, &utc) && !strftime(text, sizeof(text), "%FT%TZ", &utc))
		text[0] = 0;
	ch_json_field_str(w, "generated", text);
}

static void put_meta(struct ch_json_out *w, const struct ch_view *v, const struct ch_page *page,
                     const char *title)
{
	ch_json_open(w, '{');
	ch_json_field_str(w, "version", CH_VERSION);
	ch_json_field_str(w, "title", title);
	ch_json_field_open(w, "source", '[');
	for (size_t i = 0; i < v->n_sources; i++)
		ch_json_put_str(w, ch_view_source(v, i));
	ch_json_close(w, ']');
	put_generated(w, v->generated_s);
	put_events(w, page);
	ch_json_field_i64(w, "event", (int64_t)first_event(page));
	ch_json_field_str(w, "metric", v->metric == CH_METRIC_VALUE ? "total" : "samples");
	if (page->buckets) {
		ch_json_field_open(w, "time", '{');
		ch_json_field_i64(w, "start_ms", page->start_ms);
		ch_json_field_i64(w, "bucket_ms", page->bucket_ms);
		ch_json_field_i64(w, "buckets", page->buckets);
		ch_json_close(w, '}');
	}
	put_series(w, page->p);
	if (v->diff.after) {
		ch_json_field_open(w, "diff", '{');
		ch_json_field_str(w, "before", v->diff.before ? v->diff.before : "");
		ch_json_field_str(w, "after", v->diff.after);
		ch_json_field_bool(w, "normalized", v->diff.normalized);
		ch_json_close(w, '}');
	}
	ch_json_field_open(w, "view", '{');
	ch_json_field_bool(w, "inverted", v->picture.inverted);
	ch_json_field_bool(w, "reverse", v->picture.reverse);
	ch_json_put_key(w, "minwidth");
	ch_json_put_double(w, v->picture.min_width < 0 ? MIN_WIDTH : v->picture.min_width);
	ch_json_close(w, '}');
	put_notes(w, page);
	ch_json_close(w, '}');
}

/* --- body: varints → deflate → base64 → file ------------------------------------------------- */

struct encoder {
	struct ch_out *out;
	struct ch_base64 base64;
	struct ch_buf text;
};

static int to_base64(void *ctx, const uint8_t *data, size_t n)
{
	struct encoder *e = ctx;

	ch_base64_put(&e->base64, &e->text, data, n);
	ch_spill_all(&e->text, e->out);
	return e->text.err;
}

static void to_packer(void *ctx, const void *data, size_t n)
{
	ch_packer_put(ctx, data, n);
}

static int write_body(const struct ch_page *page, struct ch_out *out, struct ch_error *err)
{
	struct encoder e = { .out = out, .text = CH_BUF(BUF_MAX) };
	struct ch_packer *packer = ch_packer_new(CH_PACK_ZLIB, PACK_LEVEL, to_base64, &e);
	int r, packed;

	if (!packer)
		return ch_fail(err, -ENOMEM, "page: %m");
	r = ch_page_body(page, (struct ch_page_sink){ to_packer, packer }, err);
	packed = ch_packer_finish(packer);
	if (!r && packed < 0)
		r = ch_fail(err, packed, "page: %m");
	ch_packer_free(packer);
	ch_base64_finish(&e.base64, &e.text);
	ch_spill_all(&e.text, out);
	if (!r && e.text.err)
		r = ch_fail(err, e.text.err, "page: %m");
	ch_buf_done(&e.text);
	return r;
}

/* --- page ------------------------------------------------------------------------------------ */

/* Writes the template from *at up to a marker and moves *at behind it. */
static int write_up_to(const char **at, const char *marker, struct ch_out *out,
                       struct ch_error *err)
{
	size_t left = (size_t)(ch_page_html_end - *at);
	const char *found = memmem(*at, left, marker, strlen(marker));

	if (!found)
		return ch_fail(err, -EINVAL, "the page built into this program has no %s", marker);
	ch_out_write(out, *at, (size_t)(found - *at));
	*at = found + strlen(marker);
	return 0;
}

static int write_page(const struct ch_view *v, const struct ch_page *page, struct ch_buf *title,
                      struct ch_buf *meta, struct ch_out *out, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf plain = CH_BUF(BUF_MAX);
	struct ch_json_out json = ch_json_out(meta, true);
	const char *at = ch_page_html_start;
	int r;

	ch_view_title(v, &plain);
	ch_buf_putc(&plain, 0);
	if (plain.err)
		return ch_fail(err, plain.err, "page: %m");
	ch_xml_puts(title, plain.data);
	put_meta(&json, v, page, plain.data);
	if (title->err || meta->err)
		return ch_fail(err, title->err ? title->err : meta->err, "page: %m");
	if ((r = write_up_to(&at, "@@TITLE@@", out, err)) < 0)
		return r;
	ch_out_write(out, title->data, title->len);
	if ((r = write_up_to(&at, "@@META@@", out, err)) < 0)
		return r;
	ch_out_write(out, meta->data, meta->len);
	if ((r = write_up_to(&at, "@@BODY@@", out, err)) < 0 ||
	    (r = write_body(page, out, err)) < 0)
		return r;
	ch_out_write(out, at, (size_t)(ch_page_html_end - at));
	return 0;
}

int ch_html_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err)
{
	struct ch_buf title = CH_BUF(BUF_MAX), meta = CH_BUF(BUF_MAX);
	struct ch_page page;
	int r = ch_page_init(&page, v->profile, err);

	if (r < 0)
		return r;
	r = write_page(v, &page, &title, &meta, out, err);
	ch_buf_done(&title);
	ch_buf_done(&meta);
	ch_page_done(&page);
	return r;
}
