#include "render/view.h"

const char *ch_view_word(const struct ch_view *v)
{
	const struct ch_profile *p = v->profile;

	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].samples)
			return ch_profile_text(p, p->events[i].word);
	return "samples";
}

/* What stands behind the last slash that has something behind it. */
static const char *base_name(const char *path)
{
	const char *base = path;

	for (const char *p = path; *p; p++)
		if (*p == '/' && p[1] && p[1] != '/')
			base = p + 1;
	return base;
}

const char *ch_view_source(const struct ch_view *v, size_t i)
{
	return strcmp(v->sources[i], "-") != 0 ? v->sources[i] : "stdin";
}

void ch_view_title(const struct ch_view *v, struct ch_buf *b)
{
	if (v->title) {
		ch_buf_puts(b, v->title);
		return;
	}
	if (v->diff.after) {
		ch_buf_puts(b, base_name(v->diff.before ? v->diff.before : ""));
		ch_buf_puts(b, " → ");
		ch_buf_puts(b, base_name(v->diff.after));
	} else if (v->n_sources) {
		ch_buf_puts(b, base_name(ch_view_source(v, 0)));
		if (v->n_sources > 1)
			ch_buf_printf(b, " and %zu more", v->n_sources - 1);
	} else {
		ch_buf_puts(b, "Flame graph");
	}
}

void ch_view_sources(const struct ch_view *v, struct ch_buf *b)
{
	if (v->diff.after) {
		ch_buf_puts(b, v->diff.before ? v->diff.before : "");
		ch_buf_puts(b, " → ");
		ch_buf_puts(b, v->diff.after);
		return;
	}
	for (size_t i = 0; i < v->n_sources; i++) {
		ch_buf_puts(b, i ? ", " : "");
		ch_buf_puts(b, ch_view_source(v, i));
	}
}

struct ch_compare ch_view_compare(const struct ch_view *v, const struct ch_tree *t)
{
	struct ch_compare c = { 1, 1, 1, v->diff.normalized };

	if (t->total[0] > 0)
		c.after = (double)t->total[0];
	if (t->total_before && t->total_before[0] > 0)
		c.before = (double)t->total_before[0];
	if (c.normalized && t->total_before && t->total_before[0] > 0 && t->total[0] > 0)
		c.factor = c.after / c.before;
	return c;
}

double ch_compare_change(const struct ch_compare *c, int64_t before, int64_t after)
{
	if (c->normalized)
		return (double)after / c->after - (double)before / c->before;
	return ((double)after - (double)before) / (c->after > c->before ? c->after : c->before);
}
