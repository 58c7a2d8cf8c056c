#include "unit.h"
#include "agent/ids.h"

#include <pthread.h>

#define ENTRIES 1024

static void take_table(struct ch_ids *t)
{
	struct ch_error err;

	*t = (struct ch_ids){ 0 };
	assert_int_equal(ch_ids_init(t, ENTRIES, &err), 0);
}

static void the_same_key_has_the_same_entry(void **state)
{
	struct ch_ids t;

	(void)state;
	take_table(&t);
	for (uint64_t key = 1; key < 300; key++)
		assert_ptr_equal(ch_ids_find(&t, key * 64), ch_ids_find(&t, key * 64));
	assert_ptr_not_equal(ch_ids_find(&t, 64), ch_ids_find(&t, 128));
	assert_int_equal(atomic_load(&t.used), 299);
}

static void a_table_says_when_it_is_crowded_and_full(void **state)
{
	uint64_t key = 0;
	struct ch_ids t;

	(void)state;
	take_table(&t);
	while (!ch_ids_crowded(&t))
		assert_non_null(ch_ids_find(&t, ++key * 8));
	assert_int_equal(key, ENTRIES / 2);
	while (ch_ids_find(&t, ++key * 8))
		assert_true(key <= ENTRIES);
	/* what is in it is still found */
	for (uint64_t k = 1; k < key; k++)
		assert_int_equal(atomic_load(&ch_ids_find(&t, k * 8)->key), k * 8);
}

static void ids_go_on_when_all_is_forgotten(void **state)
{
	struct ch_id_entry *e;
	struct ch_ids t;
	uint32_t first, second;

	(void)state;
	take_table(&t);
	e = ch_ids_find(&t, 4096);
	first = ch_ids_next(&t);
	ch_id_set(e, 4096, first);
	assert_int_equal(ch_id_get(e, 4096), first);
	ch_ids_forget(&t);
	assert_int_equal(atomic_load(&t.used), 0);
	assert_int_equal(ch_id_get(ch_ids_find(&t, 4096), 4096), 0);
	second = ch_ids_next(&t);
	assert_true(second > first);
}

static void an_id_that_is_set_late_is_not_that_of_the_next_key(void **state)
{
	uint64_t other = 0;
	struct ch_id_entry *e;
	struct ch_ids t;

	(void)state;
	take_table(&t);
	e = ch_ids_find(&t, 4096);
	ch_ids_forget(&t);
	ch_id_set(e, 4096, ch_ids_next(&t));
	/* the place is free: some other key gets it */
	while (ch_ids_find(&t, ++other * 8 + 8192) != e)
		;
	assert_int_equal(ch_id_get(e, other * 8 + 8192), 0);
}

#define THREADS 4
#define KEYS    400

static struct ch_ids shared;
static struct ch_id_entry *found[THREADS][KEYS];
static uint32_t ids[THREADS][KEYS];

static void *find_all(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;

	for (uint64_t i = 0; i < KEYS; i++) {
		uint64_t k = me % 2 ? i : KEYS - 1 - i;

		found[me][k] = ch_ids_find(&shared, (k + 1) * 16);
		ids[me][k] = ch_ids_next(&shared);
	}
	return NULL;
}

static void threads_agree(void **state)
{
	static bool seen[THREADS * KEYS + 1];
	pthread_t threads[THREADS];

	(void)state;
	take_table(&shared);
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_all, (void *)i), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned k = 0; k < KEYS; k++)
		for (unsigned i = 0; i < THREADS; i++) {
			assert_non_null(found[i][k]);
			assert_ptr_equal(found[i][k], found[0][k]);
			assert_in_range(ids[i][k], 1, THREADS * KEYS);
			assert_false(seen[ids[i][k]]);
			seen[ids[i][k]] = true;
		}
	assert_int_equal(atomic_load(&shared.used), KEYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_key_has_the_same_entry),
		cmocka_unit_test(a_table_says_when_it_is_crowded_and_full),
		cmocka_unit_test(ids_go_on_when_all_is_forgotten),
		cmocka_unit_test(an_id_that_is_set_late_is_not_that_of_the_next_key),
		cmocka_unit_test(threads_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
