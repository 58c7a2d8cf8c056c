#include "unit.h"
#include "agent/ring.h"

#include <pthread.h>
#include <stdlib.h>

#include "agent/record.h"

/* A record with something to check in it. */
struct note {
	struct ch_rec rec;
	uint64_t writer, number, check;
	uint64_t fill[];
};

static uint64_t check_of(const struct note *n)
{
	return n->writer * 1000003 + n->number;
}

static bool put_note(struct ch_ring *r, uint64_t writer, uint64_t number, size_t fill)
{
	size_t size = sizeof(struct note) + fill * sizeof(uint64_t);
	struct note *n = ch_ring_reserve(r, size);

	if (!n)
		return false;
	n->rec.type = CH_REC_SAMPLE;
	n->writer = writer;
	n->number = number;
	n->check = check_of(n);
	for (size_t i = 0; i < fill; i++)
		n->fill[i] = number;
	ch_ring_commit(r, n, size);
	return true;
}

static const struct note *get_note(struct ch_ring *r, uint64_t *at, uint64_t upto)
{
	return (const struct note *)ch_ring_next(r, at, upto);
}

/* Reads all that is there; how many, with the numbers rising from `first` on. */
static uint64_t read_all(struct ch_ring *r, uint64_t first)
{
	uint64_t at = atomic_load(&r->tail), upto = atomic_load(&r->head), n = 0;
	const struct note *p;

	while ((p = get_note(r, &at, upto))) {
		assert_int_equal(p->number, first + n);
		assert_int_equal(p->check, check_of(p));
		n++;
	}
	atomic_store(&r->tail, at);
	return n;
}

static void what_was_written_is_read_in_order(void **state)
{
	struct ch_rings rings;
	struct ch_error err;
	struct ch_ring *r;

	(void)state;
	assert_int_equal(ch_rings_init(&rings, &err), 0);
	r = &rings.stripe[0].samples;
	assert_int_equal(read_all(r, 0), 0);
	for (uint64_t i = 0; i < 100; i++)
		assert_true(put_note(r, 1, i, i % 7));
	assert_int_equal(read_all(r, 0), 100);
	ch_rings_done(&rings);
}

/* Round and round: records never straddle the end, and their place is used again once read. */
static void a_ring_goes_round(void **state)
{
	struct ch_rings rings;
	struct ch_error err;
	struct ch_ring *r;
	uint64_t written = 0, read = 0;

	(void)state;
	assert_int_equal(ch_rings_init(&rings, &err), 0);
	r = &rings.stripe[0].defs;
	while (atomic_load(&r->tail) < 10 * r->cap) {
		for (unsigned i = 0; i < 5; i++)
			if (put_note(r, 2, written, (written * 37) % 900))
				written++;
		read += read_all(r, read);
	}
	assert_int_equal(read, written);
	ch_rings_done(&rings);
}

static void a_full_ring_refuses_and_keeps_what_it_has(void **state)
{
	struct ch_rings rings;
	struct ch_error err;
	struct ch_ring *r;
	uint64_t n = 0;

	(void)state;
	assert_int_equal(ch_rings_init(&rings, &err), 0);
	r = &rings.stripe[0].samples;
	assert_false(ch_ring_crowded(r));
	while (put_note(r, 3, n, 20))
		n++;
	assert_true(ch_ring_crowded(r));
	assert_in_range(n * (sizeof(struct note) + 160), r->cap - 400, r->cap);
	assert_null(ch_ring_reserve(r, r->cap + 8));
	assert_int_equal(read_all(r, 0), n);
	assert_false(ch_ring_crowded(r));
	assert_true(put_note(r, 3, n, 20));
	ch_rings_done(&rings);
}

/* Room is asked for what may come; only what came is taken. */
static void less_may_be_committed_than_was_reserved(void **state)
{
	struct ch_rings rings;
	struct ch_error err;
	struct ch_ring *r;
	struct note *n;

	(void)state;
	assert_int_equal(ch_rings_init(&rings, &err), 0);
	r = &rings.stripe[0].samples;
	n = ch_ring_reserve(r, 16384);
	assert_non_null(n);
	assert_int_equal(atomic_load(&r->head), 0); /* given up without a trace */
	n = ch_ring_reserve(r, 16384);
	n->rec.type = CH_REC_SAMPLE;
	n->writer = n->number = 0;
	n->check = check_of(n);
	ch_ring_commit(r, n, sizeof(*n) + 3);
	assert_int_equal(atomic_load(&r->head), sizeof(*n) + 8);
	assert_int_equal(read_all(r, 0), 1);
	ch_rings_done(&rings);
}

static void stripes_are_given_once(void **state)
{
	struct ch_stripe *taken[CH_STRIPES_MAX];
	struct ch_rings rings;
	struct ch_error err;

	(void)state;
	assert_int_equal(ch_rings_init(&rings, &err), 0);
	for (unsigned i = 0; i < rings.n; i++) {
		taken[i] = ch_stripe_take(&rings);
		assert_non_null(taken[i]);
		for (unsigned j = 0; j < i; j++)
			assert_ptr_not_equal(taken[i], taken[j]);
	}
	assert_null(ch_stripe_take(&rings));
	ch_stripe_release(taken[3]);
	assert_ptr_equal(ch_stripe_take(&rings), taken[3]);
	ch_rings_done(&rings);
}

/* --- threads --------------------------------------------------------------------------------- */

#define WRITERS 6
#define EACH    20000

struct shared {
	struct ch_rings rings;
	atomic_uint done, next;
	_Atomic uint64_t written[WRITERS], refused;
};

static void *write_many(void *arg)
{
	struct shared *s = arg;
	unsigned me = atomic_fetch_add(&s->next, 1);

	for (uint64_t i = 0; i < EACH; i++) {
		struct ch_stripe *t = ch_stripe_take(&s->rings);
		bool put = t && put_note(&t->samples, me, i, i % 50);

		if (t)
			ch_stripe_release(t);
		atomic_fetch_add(put ? &s->written[me] : &s->refused, 1);
	}
	atomic_fetch_add(&s->done, 1);
	return NULL;
}

/* One round of the reader: every record is whole, and those of a writer in a stripe go up. */
static void drain(struct shared *s, uint64_t read[WRITERS])
{
	for (unsigned i = 0; i < s->rings.n; i++) {
		struct ch_ring *r = &s->rings.stripe[i].samples;
		uint64_t at = atomic_load_explicit(&r->tail, memory_order_relaxed);
		uint64_t upto = atomic_load_explicit(&r->head, memory_order_acquire);
		uint64_t last[WRITERS] = { 0 };
		const struct note *n;

		while ((n = get_note(r, &at, upto))) {
			assert_in_range(n->writer, 0, WRITERS - 1);
			assert_int_equal(n->check, check_of(n));
			assert_int_equal(n->rec.size, sizeof(*n) + n->number % 50 * 8);
			for (size_t k = 0; k < n->number % 50; k++)
				assert_int_equal(n->fill[k], n->number);
			assert_true(n->number + 1 > last[n->writer]);
			last[n->writer] = n->number + 1;
			read[n->writer]++;
			atomic_store_explicit(&r->tail, at, memory_order_release);
		}
		atomic_store_explicit(&r->tail, at, memory_order_release);
	}
}

static void nothing_is_lost_between_threads(void **state)
{
	struct shared *s = calloc(1, sizeof(*s));
	uint64_t read[WRITERS] = { 0 }, sum = 0;
	pthread_t threads[WRITERS];
	struct ch_error err;

	(void)state;
	assert_non_null(s);
	assert_int_equal(ch_rings_init(&s->rings, &err), 0);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, s), 0);
	while (atomic_load(&s->done) < WRITERS)
		drain(s, read);
	drain(s, read);
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(read[i], atomic_load(&s->written[i]));
		sum += read[i];
	}
	assert_int_equal(sum + atomic_load(&s->refused), WRITERS * EACH);
	assert_true(sum > 0);
	ch_rings_done(&s->rings);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_in_order),
		cmocka_unit_test(a_ring_goes_round),
		cmocka_unit_test(a_full_ring_refuses_and_keeps_what_it_has),
		cmocka_unit_test(less_may_be_committed_than_was_reserved),
		cmocka_unit_test(stripes_are_given_once),
		cmocka_unit_test(nothing_is_lost_between_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
