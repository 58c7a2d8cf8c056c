#include "formats/jfr_read.h"
#include "formats/spans.h"

#include <errno.h>
#include <stdio.h>

enum { TIME, DURATION, THREAD, FIRST_LABEL };

/* A field that becomes a label, where the profile wants it. */
struct source {
	const char *field, *label;
};

static const struct source span_labels[] = { { "tag", "span" } };
static const struct source task_labels[] = {
	{ "stage", "stage" },         { "stageAttempt", "stage_attempt" },
	{ "partition", "partition" }, { "attempt", "attempt" },
	{ "taskId", "task" },         { "executor", "executor" },
	{ "sqlExecution", "sql" },    { "jobGroup", "job_group" },
};
/* The label is what `key` says. */
static const struct source pair_labels[] = { { "key", NULL }, { "value", NULL } };

#define SOURCES_MAX    8
#define EVERYWHERE_MAX 16384

struct scan;

static int on_span(struct scan *s, const uint64_t *v);
static int on_labels(struct scan *s, const uint64_t *v);

/* The events that are read for labels, and their fields beside time and thread. */
static const struct kind {
	const char *type;
	int (*run)(struct scan *s, const uint64_t *v);
	const struct source *sources;
	size_t n;
} kinds[] = {
	{ "profiler.Span", on_span, span_labels, CH_LEN(span_labels) },
	{ "charcloth.TaskSpan", on_span, task_labels, CH_LEN(task_labels) },
	{ "charcloth.Labels", on_labels, pair_labels, CH_LEN(pair_labels) },
};

bool ch_rec_wants_spans(const struct ch_profile *p)
{
	static const char *const others[] = { "thread", "tid", "state", "file" };
	bool wanted = p->want.all_labels;

	for (const char **l = p->want.labels; l && *l && !wanted; l++) {
		wanted = true;
		for (size_t i = 0; i < CH_LEN(others); i++)
			wanted &= strcmp(*l, others[i]) != 0;
	}
	return wanted;
}

/* One chunk's events of one type. */
struct scan {
	struct ch_rec *r;
	struct ch_spans *spans;
	const struct ch_jfr_type *type; /* NULL: the chunk has none */
	const struct kind *kind;
	const struct ch_jfr_plan *plan;
	enum ch_rec_text text[SOURCES_MAX];
	bool wanted[SOURCES_MAX];
	struct ch_buf *pairs;
};

static void put_pair(struct ch_buf *b, const char *key, const char *value, size_t n)
{
	ch_buf_put(b, key, strlen(key) + 1);
	ch_buf_put(b, value, n);
	ch_buf_putc(b, 0);
}

static void put_label(struct scan *s, size_t i, uint64_t slot)
{
	char number[24];
	struct ch_span t = { number, 0 };

	if (s->text[i])
		t = ch_rec_text(s->r, s->text[i], slot);
	else if ((int64_t)slot >= 0) /* -1 says that there is none */
		t.n = (size_t)snprintf(number, sizeof(number), "%lld", (long long)slot);
	if (t.n && !memchr(t.s, 0, t.n))
		put_pair(s->pairs, s->kind->sources[i].label, t.s, t.n);
}

static int on_span(struct scan *s, const uint64_t *v)
{
	const struct ch_jfr_header *h = &s->r->chunk.head;
	const struct ch_rec_thread *thread = ch_rec_thread(s->r, v[THREAD]);
	uint64_t identity = thread->identity;
	int64_t start = ch_jfr_ns_at(h, (int64_t)v[TIME]), end = INT64_MAX;
	uint32_t set;

	ch_buf_reset(s->pairs);
	for (size_t i = 0; i < s->kind->n; i++)
		if (s->wanted[i] && s->plan->kept >> (FIRST_LABEL + i) & 1)
			put_label(s, i, v[FIRST_LABEL + i]);
	if (!s->pairs->len || s->pairs->err)
		return 0;
	set = ch_spans_set(s->spans, s->pairs->data, s->pairs->len);
	if (v[DURATION])
		end = ch_sat_add(start, ch_jfr_ns_of(h, (int64_t)v[DURATION]));
	return ch_spans_add(s->spans, identity, start, end, set);
}

static bool has_pair(const struct ch_strtab *sets, uint32_t set, const char *pair, size_t n)
{
	const char *s = sets->text[set], *end = s + sets->len[set];

	while (s < end) {
		const char *next = s + strlen(s) + 1;

		next += strlen(next) + 1;
		if ((size_t)(next - s) == n && !memcmp(s, pair, n))
			return true;
		s = next;
	}
	return false;
}

/* A pair that everything in the file has. */
static int on_labels(struct scan *s, const uint64_t *v)
{
	struct ch_span key = ch_rec_text(s->r, s->text[0], v[FIRST_LABEL]), value;
	struct ch_strtab *sets = &s->spans->sets;
	uint32_t old = s->spans->everywhere;
	char name[128];

	if (!key.n || key.n >= sizeof(name) || memchr(key.s, 0, key.n))
		return 0;
	memcpy(name, key.s, key.n);
	name[key.n] = 0;
	value = ch_rec_text(s->r, s->text[1], v[FIRST_LABEL + 1]);
	if (!ch_profile_wants(s->r->p, name) || !value.n || memchr(value.s, 0, value.n))
		return 0;
	ch_buf_reset(s->pairs);
	put_pair(s->pairs, name, value.s, value.n);
	if (s->pairs->err || has_pair(sets, old, s->pairs->data, s->pairs->len))
		return 0;
	ch_buf_put(s->pairs, sets->text[old], sets->len[old]);
	if (s->pairs->len <= EVERYWHERE_MAX)
		s->spans->everywhere = ch_spans_set(s->spans, s->pairs->data, s->pairs->len);
	return 0;
}

static void plan(struct scan *s)
{
	struct ch_jfr_keep keep[FIRST_LABEL + SOURCES_MAX] = { { "startTime", TIME },
		                                               { "duration", DURATION },
		                                               { "eventThread", THREAD } };
	size_t n = FIRST_LABEL;

	for (size_t i = 0; i < s->kind->n; i++) {
		const struct source *from = &s->kind->sources[i];

		keep[n++] = (struct ch_jfr_keep){ from->field, (unsigned)(FIRST_LABEL + i) };
		s->text[i] = ch_rec_text_of(s->r, s->type, from->field);
		s->wanted[i] = from->label && ch_profile_wants(s->r->p, from->label);
	}
	s->plan = ch_jfr_plan_new(&s->r->types, s->type, keep, n, false);
}

/* Walks the events; `run` false only says whether one of them is of a type that matters. */
static int walk(struct ch_rec *r, struct scan *scans, bool run)
{
	struct ch_cursor c = ch_jfr_events(&r->chunk), body;
	uint64_t id;
	int e = 0;

	while (e >= 0 && ch_jfr_event_next(&c, &id, &body)) {
		ch_rec_touch(r, (size_t)(body.p - r->chunk.data));
		for (size_t i = 0; i < CH_LEN(kinds); i++) {
			uint64_t v[CH_JFR_SLOTS] = { 0 };

			if (!scans[i].type || scans[i].type->id != id)
				continue;
			if (!run)
				return 1;
			if (!scans[i].plan)
				continue;
			ch_jfr_plan_run(scans[i].plan, &body, v);
			if (!body.bad)
				e = kinds[i].run(&scans[i], v);
		}
	}
	return e;
}

int ch_rec_collect(struct ch_rec *r, struct ch_spans *spans)
{
	struct ch_buf pairs = CH_BUF((size_t)1 << 20);
	struct scan scans[CH_LEN(kinds)];
	bool any = false;
	int e = ch_rec_open_types(r, NULL);

	for (size_t i = 0; i < CH_LEN(kinds); i++) {
		scans[i] = (struct scan){ r, spans, .kind = &kinds[i], .pairs = &pairs };
		if (e >= 0)
			scans[i].type = ch_jfr_type_by_name(&r->types, kinds[i].type);
		any |= scans[i].type != NULL;
	}
	/* Asking the events first spares most chunks the reading of their pools. */
	if (any && (e = walk(r, scans, false)) > 0 && (e = ch_rec_open_pools(r, NULL)) >= 0) {
		for (size_t i = 0; i < CH_LEN(kinds); i++)
			if (scans[i].type)
				plan(&scans[i]);
		e = walk(r, scans, true);
	}
	ch_buf_done(&pairs);
	ch_rec_done(r);
	return e;
}
