#include "profile/weigh.h"

#include <errno.h>

/* Rows of several events can meet in one view; their numbers are brought to the widest scale. */
static int64_t common_scale(const struct ch_profile *p, enum ch_metric metric)
{
	int64_t scale = 1;

	for (size_t i = 0; metric != CH_METRIC_ROWS && i < p->n_events; i++)
		if (p->events[i].samples)
			scale = ch_profile_scale(scale, p->events[i].scale);
	return scale;
}

/* Finds out whether this is a difference, and which label sets belong to the side before. */
static int find_sides(struct ch_weigh *w)
{
	const struct ch_profile *p = w->p;
	uint32_t side = ch_strtab_find(&p->strings, "side", 4);
	uint32_t before = ch_strtab_find(&p->strings, "before", 6);
	uint32_t after = ch_strtab_find(&p->strings, "after", 5);
	bool any = false;

	if (!side || w->metric == CH_METRIC_ROWS)
		return 0;
	w->is_before = calloc(p->n_sets, 1);
	if (!w->is_before)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_sets; i++) {
		uint32_t value = ch_profile_label_of(p, (uint32_t)i, side);

		w->is_before[i] = value && value == before;
		any |= value && (value == before || value == after);
	}
	if (!any)
		ch_weigh_done(w);
	return 0;
}

int ch_weigh_init(struct ch_weigh *w, const struct ch_profile *p, enum ch_metric metric)
{
	*w = (struct ch_weigh){ .p = p, .metric = metric, .scale = common_scale(p, metric) };
	return find_sides(w);
}

void ch_weigh_done(struct ch_weigh *w)
{
	free(w->is_before);
	w->is_before = NULL;
}

static int64_t weight(const struct ch_weigh *w, size_t row)
{
	const struct ch_profile *p = w->p;
	int64_t scale = p->events[p->rows.event[row]].scale, v;

	if (w->metric == CH_METRIC_ROWS)
		return 1;
	v = w->metric == CH_METRIC_VALUE ? p->rows.value[row] : p->rows.samples[row];
	return CH_LIKELY(scale == w->scale) ? v : ch_sat_mul(v, w->scale / scale);
}

void ch_weigh_add(const struct ch_weigh *w, size_t row, int64_t *after, int64_t *before, size_t at)
{
	int64_t *sum = before && w->is_before[w->p->rows.labels[row]] ? before + at : after + at;

	*sum = ch_sat_add(*sum, weight(w, row));
}
