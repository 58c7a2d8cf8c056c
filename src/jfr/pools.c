#include "jfr/pools.h"
#include "base/vec.h"

#include <errno.h>

/* What to do with the values of each type, made when the first pool of it is met. */
struct kind {
	const struct ch_jfr_plan *plan;
	struct ch_jfr_pool *keep; /* NULL: step over them */
	bool known;
};

struct reader {
	const struct ch_jfr_chunk *chunk;
	struct ch_jfr_types *types;
	struct ch_jfr_pool *pools;
	size_t n_pools;
	struct kind *kinds; /* beside types->items */
	size_t *at;         /* of the checkpoints, from the start of the chunk */
	size_t n, cap;
};

static int note_checkpoint(struct reader *r, size_t at)
{
	if (CH_ROOM(r->at, r->cap, r->n + 1) < 0)
		return -ENOMEM;
	r->at[r->n++] = at;
	return 0;
}

/* The body of the checkpoint at an offset; false when there is none. */
static bool checkpoint_at(const struct reader *r, uint64_t at, struct ch_cursor *ret)
{
	struct ch_cursor c;
	uint64_t type;

	if (at < CH_JFR_HEADER_SIZE || at >= r->chunk->size)
		return false;
	c = ch_jfr_value(r->chunk, at);
	return ch_jfr_event_next(&c, &type, ret) && type == CH_JFR_TYPE_CHECKPOINT;
}

/* Each checkpoint says how far back the one before it lies; 0 ends the chain. */
static int follow_chain(struct reader *r)
{
	const uint8_t *later = r->chunk->data + r->chunk->size;
	uint64_t at = r->chunk->head.pools_at;

	for (;;) {
		struct ch_cursor body;
		int64_t delta;
		int e;

		/* Only backwards and never overlapping: the work is bounded by the bytes. */
		if (!checkpoint_at(r, at, &body) || body.end > later)
			return -EBADMSG;
		later = r->chunk->data + at;
		e = note_checkpoint(r, at);
		if (e < 0)
			return e;
		ch_jfr_skip_varints(&body, 2); /* start, duration */
		delta = (int64_t)ch_jfr_varint(&body);
		if (!delta && !body.bad)
			return 0;
		if (body.bad || delta > 0 || delta < -(int64_t)at)
			return -EBADMSG;
		at -= (uint64_t)-delta;
	}
}

static int find_all(struct reader *r)
{
	struct ch_cursor c = ch_jfr_events(r->chunk), body;
	uint64_t type;
	int e = 0;

	r->n = 0;
	for (const uint8_t *start = c.p; e >= 0 && ch_jfr_event_next(&c, &type, &body); start = c.p)
		if (type == CH_JFR_TYPE_CHECKPOINT)
			e = note_checkpoint(r, (size_t)(start - r->chunk->data));
	return e;
}

static int compare_offsets(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static const struct kind *kind_of(struct reader *r, uint64_t type_id)
{
	const struct ch_jfr_type *type = ch_jfr_type_by_id(r->types, type_id);
	struct kind *k;

	if (!type)
		return NULL;
	k = &r->kinds[type - r->types->items];
	if (!k->known) {
		k->known = true;
		k->plan = ch_jfr_plan_new(r->types, type, NULL, 0, true);
		for (size_t i = 0; i < r->n_pools; i++)
			if (ch_span_is(type->name, r->pools[i].type))
				k->keep = &r->pools[i];
	}
	return k->plan ? k : NULL;
}

static int read_pool(struct reader *r, struct ch_cursor *c)
{
	const struct kind *k = kind_of(r, ch_jfr_varint(c));
	uint64_t n = ch_jfr_varint(c);

	if (!k || n > ch_cursor_left(c))
		return -EBADMSG;
	for (; n && !c->bad; n--) {
		uint64_t key = ch_jfr_varint(c), at = (uint64_t)(c->p - r->chunk->data);

		ch_jfr_plan_skip(k->plan, c, 1);
		if (k->keep && !c->bad && ch_jfr_idmap_put(&k->keep->map, key, at) < 0)
			return -ENOMEM;
	}
	return c->bad ? -EBADMSG : 0;
}

static int read_checkpoint(struct reader *r, size_t at)
{
	struct ch_cursor c;
	uint64_t n;
	int e = 0;

	if (!checkpoint_at(r, at, &c))
		return -EBADMSG;
	ch_jfr_skip_varints(&c, 3); /* start, duration, delta */
	(void)ch_cursor_u8(&c);     /* what the checkpoint is for */
	n = ch_jfr_varint(&c);
	for (; n && e >= 0; n--)
		e = read_pool(r, &c);
	return e;
}

static int read_all(struct reader *r)
{
	int result = 0;

	if (r->chunk->finished)
		result = follow_chain(r);
	/* A chain that leads nowhere is damage, but no reason to lose what lies beside it. */
	if ((!r->chunk->finished || result == -EBADMSG) && find_all(r) < 0)
		result = -ENOMEM;
	if (r->n)
		qsort(r->at, r->n, sizeof(*r->at), compare_offsets);
	for (size_t i = 0; i < r->n && result != -ENOMEM; i++) {
		int e = read_checkpoint(r, r->at[i]);

		if (e < 0)
			result = e;
	}
	return result;
}

int ch_jfr_pools_read(const struct ch_jfr_chunk *chunk, struct ch_jfr_types *types,
                      struct ch_jfr_pool *pools, size_t n)
{
	struct reader r = {
		.chunk = chunk,
		.types = types,
		.pools = pools,
		.n_pools = n,
		.kinds = calloc(types->n + 1, sizeof(*r.kinds)),
	};
	int e = r.kinds ? read_all(&r) : -ENOMEM;

	free(r.kinds);
	free(r.at);
	return e;
}

void ch_jfr_pools_done(struct ch_jfr_pool *pools, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ch_jfr_idmap_done(&pools[i].map);
}
