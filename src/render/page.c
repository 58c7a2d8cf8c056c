#include "render/page.h"
#include "profile/events.h"

#include <errno.h>

#define NS_PER_MS   INT64_C(1000000)
#define FLUSH_BYTES ((size_t)64 * 1024)

/* --- events ---------------------------------------------------------------------------------- */

static bool has_word(const struct ch_page *page, uint32_t word)
{
	for (size_t i = 0; i < page->n_events; i++)
		if (page->events[i].word == word)
			return true;
	return false;
}

/*
 * Events of one word that the command line would add together are one event of the page as well;
 * the less exact rivals of a better one stand alone.
 */
static int group_events(struct ch_page *page)
{
	const struct ch_profile *p = page->p;
	CH_CLEANUP(ch_freep) bool *chosen = calloc(p->n_events + 1, sizeof(*chosen));
	CH_CLEANUP(ch_freep) bool *placed = calloc(p->n_events + 1, sizeof(*placed));

	page->events = calloc(p->n_events + 1, sizeof(*page->events));
	page->event_of = calloc(p->n_events + 1, sizeof(*page->event_of));
	if (!chosen || !placed || !page->events || !page->event_of)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_events; i++) {
		uint32_t word = p->events[i].word;

		if (placed[i] || !p->events[i].samples)
			continue;
		if (ch_events_choose(p, ch_profile_text(p, word), chosen, NULL) < 0 || !chosen[i]) {
			memset(chosen, 0, p->n_events * sizeof(*chosen));
			word = p->events[i].type;
		}
		if (has_word(page, word))
			word = p->events[i].type;
		chosen[i] = true;
		for (size_t k = i; k < p->n_events; k++) {
			if (!chosen[k] || placed[k] || p->events[k].unit != p->events[i].unit)
				continue;
			placed[k] = true;
			page->event_of[k] = (uint16_t)page->n_events;
		}
		page->events[page->n_events++] =
		    (struct ch_page_event){ .first = i, .word = word, .scale = 1 };
	}
	return 0;
}

static void scale_events(struct ch_page *page)
{
	const struct ch_profile *p = page->p;

	for (size_t i = 0; i < p->n_events; i++) {
		struct ch_page_event *e = &page->events[page->event_of[i]];

		if (p->events[i].samples)
			e->scale = ch_profile_scale(e->scale, p->events[i].scale);
	}
}

int64_t ch_page_weight(const struct ch_page *page, size_t row, int64_t weight)
{
	uint16_t event = page->p->rows.event[row];
	int64_t scale = page->p->events[event].scale;
	int64_t wanted = page->events[page->event_of[event]].scale;

	if (weight <= 0)
		return 0;
	return scale == wanted ? weight : ch_sat_mul(weight, wanted / scale);
}

/* Rows of events that have no samples in all belong to no event of the page. */
static bool is_shown(const struct ch_page *page, size_t row)
{
	return page->p->events[page->p->rows.event[row]].samples != 0;
}

static void sum_events(struct ch_page *page)
{
	const struct ch_profile *p = page->p;

	for (size_t i = 0; i < page->n_events; i++)
		page->events[i].timed = p->rows.time_ns != NULL;
	for (size_t i = 0; i < p->rows.n; i++) {
		struct ch_page_event *e = &page->events[page->event_of[p->rows.event[i]]];
		int64_t samples = ch_page_weight(page, i, p->rows.samples[i]);
		int64_t value = ch_page_weight(page, i, p->rows.value[i]);

		if (!is_shown(page, i))
			continue;
		e->n_rows++;
		e->samples = ch_sat_add(e->samples, samples);
		e->value = ch_sat_add(e->value, value);
		e->valued |= value != samples;
		e->labelled |= p->rows.labels[i] != 0;
		e->timed &= p->rows.time_ns && p->rows.time_ns[i] != CH_NO_TIME;
		page->had_negatives |= p->rows.samples[i] < 0 || p->rows.value[i] < 0;
	}
}

/* --- time ------------------------------------------------------------------------------------ */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The shortest round length that needs no more buckets than allowed. */
static int64_t round_length(int64_t span_ms)
{
	static const int64_t lengths[] = {
		1,    2,    5,     10,    20,    50,    100,    200,    500,    1000,
		2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 900000,
	};
	int64_t length = 1800000;

	for (size_t i = 0; i < CH_LEN(lengths); i++)
		if (span_ms / lengths[i] + 2 <= CH_PAGE_BUCKETS_MAX)
			return lengths[i];
	while (span_ms / length + 2 > CH_PAGE_BUCKETS_MAX)
		length *= 2;
	return length;
}

static void make_axis(struct ch_page *page)
{
	const struct ch_profile *p = page->p;
	int64_t first = INT64_MAX, last = INT64_MIN, last_start;

	for (size_t i = 0; i < p->rows.n; i++) {
		if (!is_shown(page, i) || !page->events[page->event_of[p->rows.event[i]]].timed)
			continue;
		if (p->rows.time_ns[i] < first)
			first = p->rows.time_ns[i];
		if (p->rows.time_ns[i] > last)
			last = p->rows.time_ns[i];
	}
	if (first > last)
		return;
	first = floor_div(first, NS_PER_MS);
	last = floor_div(last, NS_PER_MS);
	page->bucket_ms = round_length(last - first);
	page->start_ms = floor_div(first, page->bucket_ms) * page->bucket_ms;
	last_start = floor_div(last, page->bucket_ms) * page->bucket_ms;
	page->buckets = (uint32_t)((last_start - page->start_ms) / page->bucket_ms + 1);
}

uint32_t ch_page_bucket(const struct ch_page *page, int64_t time_ns)
{
	return (uint32_t)((floor_div(time_ns, NS_PER_MS) - page->start_ms) / page->bucket_ms);
}

/* --- whole ----------------------------------------------------------------------------------- */

int ch_page_init(struct ch_page *page, const struct ch_profile *p, struct ch_error *err)
{
	*page = (struct ch_page){ .p = p };
	if (group_events(page) < 0) {
		ch_page_done(page);
		return ch_fail(err, -ENOMEM, "page: %m");
	}
	scale_events(page);
	sum_events(page);
	make_axis(page);
	return 0;
}

void ch_page_done(struct ch_page *page)
{
	free(page->events);
	free(page->event_of);
}

void ch_page_flush(struct ch_buf *buf, struct ch_page_sink sink, bool all)
{
	if (!all && buf->len < FLUSH_BYTES)
		return;
	sink.put(sink.ctx, buf->data, buf->len);
	ch_buf_reset(buf);
}
