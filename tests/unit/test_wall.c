#include "unit.h"
#include "agent/cpu_state.h"

#define MS       1000000u
#define INTERVAL (10 * MS)

/* What a thread counts that answers at these times, in ms, and whose time begins at 0. */
static uint64_t counted_at(const unsigned *answers, size_t n)
{
	uint64_t counted = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t samples = ch_wall_samples(counted, (uint64_t)answers[i] * MS, INTERVAL);

		assert_true(samples >= 1);
		counted += samples * INTERVAL;
		sum += samples;
	}
	return sum;
}

static void an_answer_in_time_counts_one(void **state)
{
	static const unsigned answers[] = { 10, 20, 30, 40, 50 };

	(void)state;
	assert_int_equal(counted_at(answers, 5), 5);
}

static void a_late_answer_counts_what_was_missed(void **state)
{
	static const unsigned answers[] = { 10, 50, 60 };

	(void)state;
	assert_int_equal(counted_at(answers, 3), 6);
}

/* 16 of 10 ms are rounded up to two intervals; the answer behind it is none too many. */
static void what_was_rounded_up_is_made_up_for(void **state)
{
	static const unsigned answers[] = { 16, 20, 36, 40, 56, 60, 76, 80, 96, 100 };

	(void)state;
	assert_in_range(counted_at(answers, 10), 10, 11);
}

static void what_was_rounded_down_is_made_up_for(void **state)
{
	static const unsigned answers[] = { 14, 28, 42, 56, 70, 84, 98, 112, 126, 140 };

	(void)state;
	assert_int_equal(counted_at(answers, 10), 14);
}

/* One that waits is written about and asked in the same round: two answers, one interval. */
static void two_answers_of_a_round_count_once(void **state)
{
	static const unsigned answers[] = { 20, 20, 40, 40, 60, 60, 80, 80, 100, 100 };

	(void)state;
	assert_in_range(counted_at(answers, 10), 10, 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_in_time_counts_one),
		cmocka_unit_test(a_late_answer_counts_what_was_missed),
		cmocka_unit_test(what_was_rounded_up_is_made_up_for),
		cmocka_unit_test(what_was_rounded_down_is_made_up_for),
		cmocka_unit_test(two_answers_of_a_round_count_once),
	};

	return cmocka_run_group_tests_name("wall", tests, NULL, NULL);
}
