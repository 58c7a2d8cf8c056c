#include "formats/jfr_read.h"
#include "formats/spans.h"
#include "formats/spark_thread.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>

void ch_rec_labels_init(struct ch_rec *r)
{
	r->want_thread = ch_profile_wants(r->p, "thread");
	r->want_tid = ch_profile_wants(r->p, "tid");
	r->want_state = ch_profile_wants(r->p, "state");
	r->want_task = ch_spark_thread_wanted(r->p);
	/* A recording of our own may hold any label there, also the state of a foreign event. */
	r->want_labels = r->p->want.all_labels || (r->p->want.labels && *r->p->want.labels);
}

void ch_rec_labels_done(struct ch_rec *r)
{
	ch_jfr_idmap_done(&r->threads_seen);
	ch_jfr_idmap_done(&r->states_seen);
	ch_jfr_idmap_done(&r->spans_seen);
	ch_jfr_idmap_done(&r->labels_seen);
	free(r->threads);
}

/* --- threads --------------------------------------------------------------------------------- */

static uint32_t number_label(struct ch_profile *p, uint32_t set, const char *key, uint64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%lld", (long long)value);

	return ch_profile_label(p, set, ch_profile_strz(p, key),
	                        ch_profile_str(p, text, (size_t)n));
}

/* Virtual threads have no thread of the system: told apart by the sign. */
static uint64_t identity(const uint64_t *v)
{
	return v[CH_REC_THREAD_OS_ID] ? v[CH_REC_THREAD_OS_ID] : ~v[CH_REC_THREAD_JAVA_ID];
}

static struct ch_rec_thread new_thread(struct ch_rec *r, uint64_t key)
{
	uint64_t v[CH_JFR_SLOTS] = { 0 };
	const enum ch_rec_text *where = r->layout[CH_REC_THREADS].text;
	struct ch_rec_thread t = { 0 };
	struct ch_span name;

	if (!ch_rec_value(r, CH_REC_THREADS, key, v))
		return t;
	t.identity = identity(v);
	name = ch_rec_text(r, where[CH_REC_THREAD_JAVA_NAME], v[CH_REC_THREAD_JAVA_NAME]);
	if (!name.n)
		name = ch_rec_text(r, where[CH_REC_THREAD_OS_NAME], v[CH_REC_THREAD_OS_NAME]);
	if (r->want_task)
		t.labels = ch_spark_thread_labels(r->p, t.labels, name.s, name.n);
	if (r->want_thread && name.n)
		t.labels = ch_profile_label(r->p, t.labels, ch_profile_strz(r->p, "thread"),
		                            ch_profile_str(r->p, name.s, name.n));
	if (r->want_tid && v[CH_REC_THREAD_OS_ID])
		t.labels = number_label(r->p, t.labels, "tid", v[CH_REC_THREAD_OS_ID]);
	return t;
}

const struct ch_rec_thread *ch_rec_thread(struct ch_rec *r, uint64_t key)
{
	static const struct ch_rec_thread none;
	uint64_t *at = ch_jfr_idmap_find(&r->threads_seen, key);

	if (at)
		return &r->threads[*at - 1];
	if (CH_ROOM(r->threads, r->threads_cap, r->n_threads + 1) < 0 ||
	    ch_jfr_idmap_put(&r->threads_seen, key, r->n_threads + 1) < 0) {
		ch_profile_fail(r->p, -ENOMEM);
		return &none;
	}
	r->threads[r->n_threads] = new_thread(r, key);
	return &r->threads[r->n_threads++];
}

/* --- states, spans, own labels --------------------------------------------------------------- */

static uint32_t state_set(struct ch_rec *r, uint64_t key)
{
	static const char prefix[] = "STATE_";
	uint64_t v[CH_JFR_SLOTS] = { 0 };
	struct ch_span t;

	if (!ch_rec_value(r, CH_REC_STATES, key, v))
		return 0;
	t = ch_rec_text(r, r->layout[CH_REC_STATES].text[0], v[0]);
	if (t.n > strlen(prefix) && !memcmp(t.s, prefix, strlen(prefix)))
		t = (struct ch_span){ t.s + strlen(prefix), t.n - strlen(prefix) };
	return ch_profile_label(r->p, 0, ch_profile_strz(r->p, "state"),
	                        ch_profile_str(r->p, t.s, t.n));
}

static uint32_t span_set(struct ch_rec *r, uint64_t span)
{
	const struct ch_strtab *sets = &r->spans->sets;
	const char *s = sets->text[span], *end = s + sets->len[span];
	uint32_t set = 0;

	while (s < end) {
		const char *value = s + strlen(s) + 1;

		set = ch_profile_label(r->p, set, ch_profile_strz(r->p, s),
		                       ch_profile_strz(r->p, value));
		s = value + strlen(value) + 1;
	}
	return set;
}

/* Text up to `stop`, which is stepped over, without its backslashes; as a string of the profile. */
static uint32_t unescaped(struct ch_rec *r, struct ch_span *t, char stop)
{
	ch_buf_reset(&r->name);
	for (; t->n; t->s++, t->n--) {
		char c = *t->s;

		if (c == stop)
			break;
		if (c == '\\' && t->n > 1) {
			c = *++t->s;
			t->n--;
		}
		ch_buf_putc(&r->name, c);
	}
	if (t->n) {
		t->s++;
		t->n--;
	}
	return r->name.len || r->name.err ? ch_profile_buf(r->p, &r->name) : 0;
}

/* Pairs of a Charcloth recording: stage=3,task=17 */
static uint32_t pairs_set(struct ch_rec *r, uint64_t key)
{
	uint64_t v[CH_JFR_SLOTS] = { 0 };
	struct ch_span t;
	uint32_t set = 0;

	if (!ch_rec_value(r, CH_REC_LABELS, key, v))
		return 0;
	t = ch_rec_text(r, r->layout[CH_REC_LABELS].text[0], v[0]);
	while (t.n) {
		uint32_t name = unescaped(r, &t, '='), value = unescaped(r, &t, ',');

		if (name && ch_profile_wants(r->p, ch_profile_text(r->p, name)))
			set = ch_profile_label(r->p, set, name, value);
	}
	return set;
}

/* Each key is read once, however many samples have it. */
static uint32_t seen(struct ch_rec *r, struct ch_jfr_idmap *m, uint64_t key,
                     uint32_t (*read)(struct ch_rec *r, uint64_t key))
{
	const uint64_t *at = ch_jfr_idmap_find(m, key);
	uint32_t set;

	if (at)
		return (uint32_t)(*at - 1);
	set = read(r, key);
	(void)ch_jfr_idmap_put(m, key, (uint64_t)set + 1);
	return set;
}

uint32_t ch_rec_labels(struct ch_rec *r, const struct ch_rec_group *g)
{
	struct ch_profile *p = r->p;
	uint32_t set = 0;

	if (g->thread)
		set = ch_rec_thread(r, g->thread)->labels;
	if (r->want_state)
		set = ch_profile_labels_join(p, set, seen(r, &r->states_seen, g->state, state_set));
	if (r->spans) {
		set = ch_profile_labels_join(
		    p, set, seen(r, &r->spans_seen, r->spans->everywhere, span_set));
		set = ch_profile_labels_join(p, set, seen(r, &r->spans_seen, g->span, span_set));
	}
	if (g->labels)
		set =
		    ch_profile_labels_join(p, set, seen(r, &r->labels_seen, g->labels, pairs_set));
	return set;
}
