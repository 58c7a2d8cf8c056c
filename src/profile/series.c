#include "profile/profile.h"
#include "base/vec.h"

#include <errno.h>

#define SERIES_MAX ((size_t)1024)
#define POINTS_MAX ((size_t)1 << 24)

/* The last ones first: points come file by file. */
static struct ch_series *series(struct ch_profile *p, const char *name, const char *unit)
{
	uint32_t id = ch_profile_strz(p, name);

	for (size_t i = p->n_series; i-- > 0;)
		if (p->series[i].name == id && p->series[i].source == p->source)
			return &p->series[i];
	if (p->n_series >= SERIES_MAX || CH_ROOM(p->series, p->series_cap, p->n_series + 1) < 0)
		return NULL;
	p->series[p->n_series] =
	    (struct ch_series){ .name = id, .unit = ch_profile_strz(p, unit), .source = p->source };
	return &p->series[p->n_series++];
}

void ch_profile_point(struct ch_profile *p, const char *name, const char *unit, int64_t time_ns,
                      double value)
{
	struct ch_series *s;

	if (!p->want.series)
		return;
	s = series(p, name, unit);
	if (!s && p->source && !p->strings.err) {
		ch_profile_note(p, "metrics over time are shown for the first files only");
		return;
	}
	if (!s || s->n >= POINTS_MAX || CH_ROOM(s->time_ns, s->time_cap, s->n + 1) < 0 ||
	    CH_ROOM(s->value, s->value_cap, s->n + 1) < 0) {
		ch_profile_damage(p, "some points of the series '%s' were left out", name);
		return;
	}
	s->time_ns[s->n] = time_ns;
	s->value[s->n++] = value;
}

struct point {
	int64_t time_ns;
	double value;
	size_t at; /* where it stood: equal times keep their order */
};

static int by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int sort_points(struct ch_series *s)
{
	CH_CLEANUP(ch_freep) struct point *points = calloc(s->n + 1, sizeof(*points));

	if (!points)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		points[i] = (struct point){ s->time_ns[i], s->value[i], i };
	qsort(points, s->n, sizeof(*points), by_time);
	for (size_t i = 0; i < s->n; i++) {
		s->time_ns[i] = points[i].time_ns;
		s->value[i] = points[i].value;
	}
	return 0;
}

void ch_profile_sort_series(struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_series; i++)
		if (sort_points(&p->series[i]) < 0 && !p->err)
			p->err = -ENOMEM;
}
