#include "profile/profile.h"
#include "base/vec.h"

#include <errno.h>

#define SERIES_MAX ((size_t)1024)
#define POINTS_MAX ((size_t)1 << 24)

/* NULL when there is no room. The last ones first: points come file by file. */
static struct ch_series *series(struct ch_profile *p, uint32_t process, const char *name,
                                const char *unit)
{
	uint32_t id = ch_profile_strz(p, name);

	for (size_t i = p->n_series; i-- > 0;)
		if (p->series[i].name == id && p->series[i].process == process)
			return &p->series[i];
	if (p->n_series >= SERIES_MAX || CH_ROOM(p->series, p->series_cap, p->n_series + 1) < 0)
		return NULL;
	p->series[p->n_series] =
	    (struct ch_series){ .name = id, .unit = ch_profile_strz(p, unit), .process = process };
	return &p->series[p->n_series++];
}

static bool has_room(struct ch_series *s, size_t more)
{
	return s && more <= POINTS_MAX - s->n &&
	       CH_ROOM(s->time_ns, s->time_cap, s->n + more) >= 0 &&
	       CH_ROOM(s->value, s->value_cap, s->n + more) >= 0;
}

static void left_out(struct ch_profile *p, const char *name)
{
	ch_profile_damage(p, "some points of the series '%s' were left out", name);
}

void ch_profile_point(struct ch_profile *p, const char *name, const char *unit, int64_t time_ns,
                      double value)
{
	struct ch_series *s;

	if (!p->want.series)
		return;
	s = series(p, 0, name, unit);
	if (!has_room(s, 1)) {
		left_out(p, name);
		return;
	}
	s->time_ns[s->n] = time_ns;
	s->value[s->n++] = value;
}

void ch_profile_name_process(struct ch_profile *p, const char *otherwise)
{
	uint32_t process = p->process ? p->process : ch_profile_strz(p, otherwise);

	for (size_t i = 0; i < p->n_series; i++)
		if (!p->series[i].process)
			p->series[i].process = process;
}

static void merge_one(struct ch_profile *to, const struct ch_profile *from,
                      const struct ch_series *s)
{
	const char *name = ch_profile_text(from, s->name);
	uint32_t process = s->process ? ch_profile_strz(to, ch_profile_text(from, s->process)) : 0;
	struct ch_series *into = series(to, process, name, ch_profile_text(from, s->unit));

	if (!into && to->n_series >= SERIES_MAX) {
		ch_profile_note(to, "metrics over time are shown for the first processes only");
		return;
	}
	if (!has_room(into, s->n)) {
		left_out(to, name);
		return;
	}
	memcpy(into->time_ns + into->n, s->time_ns, s->n * sizeof(*s->time_ns));
	memcpy(into->value + into->n, s->value, s->n * sizeof(*s->value));
	into->n += s->n;
}

void ch_profile_merge_series(struct ch_profile *to, const struct ch_profile *from)
{
	if (!to->want.series)
		return;
	if (from->process && !to->process)
		to->process = ch_profile_strz(to, ch_profile_text(from, from->process));
	for (size_t i = 0; i < from->n_series; i++)
		if (from->series[i].n)
			merge_one(to, from, &from->series[i]);
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
