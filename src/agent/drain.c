#include "agent/drain.h"

/* Where the reader is in one stripe's samples. */
struct at {
	struct ch_ring *ring;
	uint64_t next, upto;
	const struct ch_rec *rec; /* the record in hand, NULL behind the last */
};

static uint64_t time_of(const struct ch_rec *r)
{
	return r->type == CH_REC_SPAN ? ((const struct ch_rec_span *)r)->start_ns
	                              : ((const struct ch_rec_sample *)r)->time_ns;
}

static void drain_defs(struct ch_ring *r, struct ch_intern *in)
{
	uint64_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t upto = atomic_load_explicit(&r->head, memory_order_acquire);
	const struct ch_rec *p;

	while ((p = ch_ring_next(r, &at, upto))) {
		if (p->type == CH_REC_METHOD)
			ch_intern_define_method(in, (const struct ch_rec_method *)p);
		else if (p->type == CH_REC_THREAD)
			ch_intern_define_thread(in, (const struct ch_rec_thread *)p);
		else if (p->type == CH_REC_CLASS)
			ch_intern_define_class(in, (const struct ch_rec_class *)p);
	}
	atomic_store_explicit(&r->tail, at, memory_order_release);
}

/* The stripe's next record; what lies before it may be written over. */
static void advance(struct at *a)
{
	uint64_t done = a->next;

	a->rec = ch_ring_next(a->ring, &a->next, a->upto);
	atomic_store_explicit(&a->ring->tail, a->rec ? done : a->next, memory_order_release);
}

static size_t look(struct ch_rings *rings, struct at *at)
{
	size_t n = 0;

	for (unsigned i = 0; i < rings->n; i++) {
		struct ch_ring *r = &rings->stripe[i].samples;

		at[n] = (struct at){ r, atomic_load_explicit(&r->tail, memory_order_relaxed),
			             atomic_load_explicit(&r->head, memory_order_acquire), NULL };
		n += at[n].next < at[n].upto;
	}
	return n;
}

/* The stripe whose record is the oldest. Few stripes ever have one. */
static struct at *oldest(struct at *at, size_t n)
{
	struct at *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (at[i].rec && (!best || time_of(at[i].rec) < time_of(best->rec)))
			best = &at[i];
	return best;
}

void ch_drain(struct ch_rings *rings, struct ch_intern *in, ch_drain_fn *take, void *arg)
{
	struct at at[CH_STRIPES_MAX], *next;
	/* First how far samples go, then all definitions: see record.h. */
	size_t n = look(rings, at);

	for (unsigned i = 0; i < rings->n; i++)
		drain_defs(&rings->stripe[i].defs, in);
	for (size_t i = 0; i < n; i++)
		advance(&at[i]);
	while ((next = oldest(at, n))) {
		take(arg, next->rec);
		advance(next);
	}
}
