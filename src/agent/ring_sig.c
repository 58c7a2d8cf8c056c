#include "agent/ring.h"

#include <sched.h>

#include "agent/record.h"

struct ch_stripe *ch_stripe_take(struct ch_rings *r)
{
	int cpu = sched_getcpu();
	unsigned first = cpu < 0 ? 0 : (unsigned)cpu % r->n;

	for (unsigned i = 0; i < r->n; i++) {
		struct ch_stripe *s = &r->stripe[(first + i) % r->n];

		if (!atomic_exchange_explicit(&s->taken, 1, memory_order_acquire))
			return s;
	}
	return NULL;
}

void ch_stripe_release(struct ch_stripe *s)
{
	atomic_store_explicit(&s->taken, 0, memory_order_release);
}

const void *ch_ring_next_place(const struct ch_ring *r)
{
	return r->data + (atomic_load_explicit(&r->head, memory_order_relaxed) & (r->cap - 1));
}

static void put_skip(struct ch_ring *r, uint64_t head, size_t n)
{
	struct ch_rec *skip = (struct ch_rec *)(r->data + (head & (r->cap - 1)));

	*skip = (struct ch_rec){ (uint32_t)n, CH_REC_SKIP };
	atomic_store_explicit(&r->head, head + n, memory_order_release);
}

void *ch_ring_reserve(struct ch_ring *r, size_t max)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	size_t to_end = r->cap - (head & (r->cap - 1));

	max = (max + 7) & ~(size_t)7;
	if (to_end < max) {
		if (r->cap - (head - tail) < to_end + max)
			return NULL;
		put_skip(r, head, to_end);
		head += to_end;
	}
	return r->cap - (head - tail) < max ? NULL : r->data + (head & (r->cap - 1));
}

void ch_ring_commit(struct ch_ring *r, void *record, size_t used)
{
	struct ch_rec *rec = record;
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	rec->size = (uint32_t)((used + 7) & ~(size_t)7);
	atomic_store_explicit(&r->head, head + rec->size, memory_order_release);
}

bool ch_ring_crowded(const struct ch_ring *r)
{
	return atomic_load_explicit(&r->head, memory_order_relaxed) -
	           atomic_load_explicit(&r->tail, memory_order_relaxed) >
	       r->cap / 2;
}
