#include "profile/rank.h"
#include "base/vec.h"

#include <errno.h>

/*
 * Names are sorted a piece at a time: first all by their first seven bytes, then each run of equals
 * by the next seven. Comparing is then comparing integers, and the shared beginnings of names
 * (java/util/concurrent/…) are read once per name instead of once per comparison.
 */
#define PIECE 7

struct item {
	uint64_t key; /* seven bytes, the first on top; below them how many there are, 8 for more */
	uint32_t frame;
};

struct run {
	size_t start, end, offset;
};

struct runs {
	struct run *items;
	size_t n, cap;
};

static uint64_t key_at(const char *name, size_t len, size_t offset)
{
	size_t left = len - offset, n = left < PIECE ? left : PIECE;
	uint64_t key = 0;

	for (size_t i = 0; i < n; i++)
		key |= (uint64_t)(uint8_t)name[offset + i] << (56 - 8 * i);
	return key | (left > PIECE ? PIECE + 1 : left);
}

static bool goes_on(uint64_t key)
{
	return (key & 0xff) > PIECE;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const struct item *)a)->key, y = ((const struct item *)b)->key;

	return (x > y) - (x < y);
}

/* Frames of one name: what is left to tell them apart fits into one number, but for the id. */
static int by_key_then_id(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int r = by_key(a, b);

	return r ? r : (x->frame > y->frame) - (x->frame < y->frame);
}

static void order_namesakes(const struct ch_profile *p, struct item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct ch_frame *f = &p->frames[items[i].frame];

		items[i].key = (uint64_t)f->kind << 32 | f->line;
	}
	qsort(items, n, sizeof(*items), by_key_then_id);
}

/* Sorts one run by the piece at its offset and queues the runs of equals in it. */
static int sort_run(const struct ch_profile *p, struct item *items, struct run run,
                    struct runs *todo)
{
	for (size_t i = run.start; i < run.end; i++) {
		uint32_t name = p->frames[items[i].frame].name;

		items[i].key = key_at(p->strings.text[name], p->strings.len[name], run.offset);
	}
	qsort(items + run.start, run.end - run.start, sizeof(*items), by_key);
	for (size_t i = run.start, next; i < run.end; i = next) {
		uint64_t key = items[i].key;

		for (next = i + 1; next < run.end && items[next].key == key; next++)
			;
		if (next - i == 1)
			continue;
		if (!goes_on(key)) {
			order_namesakes(p, items + i, next - i);
			continue;
		}
		if (CH_ROOM(todo->items, todo->cap, todo->n + 1) < 0)
			return -ENOMEM;
		todo->items[todo->n++] = (struct run){ i, next, run.offset + PIECE };
	}
	return 0;
}

int ch_rank_frames(const struct ch_profile *p, const uint8_t *used, uint32_t *rank)
{
	struct runs todo = { 0 };
	struct item *items = malloc(p->n_frames * sizeof(*items));
	size_t n = 0;
	int r = items ? 0 : -ENOMEM;

	for (size_t f = 0; !r && f < p->n_frames; f++)
		if (used[f])
			items[n++].frame = (uint32_t)f;
	if (!r && n)
		r = sort_run(p, items, (struct run){ 0, n, 0 }, &todo);
	while (!r && todo.n)
		r = sort_run(p, items, todo.items[--todo.n], &todo);
	for (size_t i = 0; !r && i < n; i++)
		rank[items[i].frame] = (uint32_t)i;
	free(todo.items);
	free(items);
	return r;
}
