#include "profile/diff.h"

static uint32_t side(struct ch_profile *p, const char *value)
{
	return ch_profile_label(p, 0, ch_profile_strz(p, "side"), ch_profile_strz(p, value));
}

struct ch_profile *ch_diff_join(const struct ch_profile *before, const struct ch_profile *after)
{
	struct ch_want want = after->want;
	struct ch_profile *p;

	want.times = want.series = false; /* two recordings share no clock */
	want.all_labels = true;
	p = ch_profile_new(&want);
	if (!p)
		return NULL;
	ch_profile_merge(p, before, side(p, "before"));
	ch_profile_merge(p, after, side(p, "after"));
	p->start_ns = p->end_ns = CH_NO_TIME;
	return p;
}

struct totals {
	int64_t samples, value;
};

static struct totals sum(const struct ch_profile *p, uint32_t key, uint32_t value)
{
	struct totals t = { 0 };

	for (size_t i = 0; i < p->rows.n; i++) {
		if (ch_profile_label_of(p, p->rows.labels[i], key) != value)
			continue;
		t.samples = ch_sat_add(t.samples, p->rows.samples[i]);
		t.value = ch_sat_add(t.value, p->rows.value[i]);
	}
	return t;
}

static int64_t stretch(int64_t v, int64_t from, int64_t to)
{
	return from ? ch_sat_round((double)v * ((double)to / (double)from)) : v;
}

static void sum_events(struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_events; i++)
		p->events[i].samples = p->events[i].value = 0;
	for (size_t i = 0; i < p->rows.n; i++) {
		struct ch_event *e = &p->events[p->rows.event[i]];

		e->samples = ch_sat_add(e->samples, p->rows.samples[i]);
		e->value = ch_sat_add(e->value, p->rows.value[i]);
	}
}

void ch_diff_normalize(struct ch_profile *p)
{
	uint32_t key = ch_profile_strz(p, "side"), first = ch_profile_strz(p, "before");
	struct totals before, after;

	/* Single samples must not round to nothing; millionths do, where there is room for them. */
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].value < INT64_MAX / 4000000 && p->events[i].scale == 1)
			ch_profile_rescale(p, (uint16_t)i, 1000000);
	before = sum(p, key, first);
	after = sum(p, key, ch_profile_strz(p, "after"));
	if (!after.samples)
		return;
	for (size_t i = 0; i < p->rows.n; i++) {
		if (ch_profile_label_of(p, p->rows.labels[i], key) != first)
			continue;
		p->rows.samples[i] = stretch(p->rows.samples[i], before.samples, after.samples);
		p->rows.value[i] = stretch(p->rows.value[i], before.value, after.value);
	}
	sum_events(p);
}
