#include "render/view.h"

const char *ch_view_word(const struct ch_view *v)
{
	const struct ch_profile *p = v->profile;

	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].samples)
			return ch_profile_text(p, p->events[i].word);
	return "samples";
}

void ch_view_title(const struct ch_view *v, struct ch_buf *b)
{
	if (v->title) {
		ch_buf_puts(b, v->title);
		return;
	}
	ch_buf_puts(b, "Flame graph: ");
	ch_buf_puts(b, ch_view_word(v));
	if (v->diff.after)
		ch_buf_puts(b, ", difference");
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
		ch_buf_puts(b, v->sources[i]);
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
