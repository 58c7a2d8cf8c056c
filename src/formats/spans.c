#include "formats/spans.h"
#include "base/vec.h"

#include <errno.h>

#define SETS_MAX_BYTES ((size_t)1 << 30)
#define SPANS_MAX      ((size_t)1 << 27)

void ch_spans_init(struct ch_spans *s)
{
	*s = (struct ch_spans){ 0 };
	ch_strtab_init(&s->sets, SETS_MAX_BYTES);
}

void ch_spans_done(struct ch_spans *s)
{
	ch_strtab_done(&s->sets);
	free(s->items);
	free(s->pieces);
	ch_jfr_idmap_done(&s->by_thread);
}

uint32_t ch_spans_set(struct ch_spans *s, const char *pairs, size_t n)
{
	return ch_strtab_id(&s->sets, pairs, n);
}

int ch_spans_add(struct ch_spans *s, uint64_t thread, int64_t start, int64_t end, uint32_t set)
{
	if (s->n >= SPANS_MAX || CH_ROOM(s->items, s->cap, s->n + 1) < 0)
		return -ENOMEM;
	s->items[s->n] = (struct ch_spans_item){ thread, start, end, set, (uint32_t)s->n };
	s->n++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct ch_spans_item *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int add_piece(struct ch_spans *s, size_t first, int64_t start, uint32_t set)
{
	/* A piece of no length gives way to the next. */
	if (s->n_pieces > first && s->pieces[s->n_pieces - 1].start == start)
		s->n_pieces--;
	if (CH_ROOM(s->pieces, s->pieces_cap, s->n_pieces + 1) < 0)
		return -ENOMEM;
	s->pieces[s->n_pieces++] = (struct ch_spans_piece){ start, set };
	return 0;
}

/* A span without an end lasts until its thread's next one, also when that is the same span. */
static void close_open_spans(struct ch_spans_item *items, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (items[i].end == INT64_MAX)
			items[i].end = items[i + 1].start;
}

/* The spans of one thread, sorted by start: a sweep with a stack of those that are open. */
static int cut(struct ch_spans *s, struct ch_spans_item *items, size_t n, size_t *open)
{
	size_t first = s->n_pieces, depth = 0;
	int e = 0;

	close_open_spans(items, n);
	for (size_t i = 0; i <= n && e >= 0; i++) {
		int64_t now = i < n ? items[i].start : INT64_MAX;

		while (depth && e >= 0 && items[open[depth - 1]].end <= now) {
			int64_t end = items[open[--depth]].end;

			while (depth && items[open[depth - 1]].end <= end)
				depth--;
			e = add_piece(s, first, end, depth ? items[open[depth - 1]].set : 0);
		}
		if (i < n && e >= 0 && items[i].end > now) {
			e = add_piece(s, first, now, items[i].set);
			open[depth++] = i;
		}
	}
	if (e < 0 || s->n_pieces == first)
		return e;
	return ch_jfr_idmap_put(&s->by_thread, items[0].thread,
	                        (uint64_t)(s->n_pieces - first) << 32 | (first + 1));
}

int ch_spans_ready(struct ch_spans *s)
{
	size_t *open = malloc((s->n + 1) * sizeof(*open));
	int e = open ? 0 : -ENOMEM;

	if (s->n)
		qsort(s->items, s->n, sizeof(*s->items), compare);
	for (size_t i = 0, next; i < s->n && e >= 0; i = next) {
		for (next = i + 1; next < s->n && s->items[next].thread == s->items[i].thread;)
			next++;
		e = cut(s, s->items + i, next - i, open);
	}
	free(open);
	free(s->items);
	s->items = NULL;
	s->n = s->cap = 0;
	return e;
}

uint32_t ch_spans_at(const struct ch_spans *s, uint64_t thread, int64_t time)
{
	const uint64_t *at = ch_jfr_idmap_find(&s->by_thread, thread);
	size_t low, high;

	if (!at)
		return 0;
	low = (uint32_t)*at - 1;
	high = low + (*at >> 32);
	if (time < s->pieces[low].start)
		return 0;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (s->pieces[mid].start > time)
			high = mid;
		else
			low = mid;
	}
	return s->pieces[low].set;
}
