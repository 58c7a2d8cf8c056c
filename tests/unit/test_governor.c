#include "unit.h"
#include "agent/governor.h"

#define SECOND 1000000000u

/* So many seconds at that percentage of a busy process. */
static unsigned seconds(struct ch_governor *g, unsigned n, double percent)
{
	unsigned stretch = g->stretch;

	while (n--)
		stretch = ch_governor_decide(g, (uint64_t)(percent * SECOND / 100), SECOND, 2);
	return stretch;
}

static void three_seconds_above_the_limit_double_the_interval(void **state)
{
	struct ch_governor g = { .stretch = 1 };

	(void)state;
	assert_int_equal(seconds(&g, 2, 2.5), 1);
	assert_int_equal(seconds(&g, 1, 2.5), 2);
	assert_int_equal(seconds(&g, 2, 2.5), 2);
	assert_int_equal(seconds(&g, 1, 2.5), 4);
}

static void a_second_below_begins_anew(void **state)
{
	struct ch_governor g = { .stretch = 1 };

	(void)state;
	assert_int_equal(seconds(&g, 2, 9), 1);
	assert_int_equal(seconds(&g, 1, 2), 1); /* the limit itself is allowed */
	assert_int_equal(seconds(&g, 2, 9), 1);
	assert_int_equal(seconds(&g, 1, 9), 2);
}

static void the_interval_grows_to_64_times_and_no_further(void **state)
{
	struct ch_governor g = { .stretch = 1 };

	(void)state;
	assert_int_equal(seconds(&g, 1000, 50), 64);
}

static void ten_seconds_below_a_quarter_halve_it_again(void **state)
{
	struct ch_governor g = { .stretch = 8 };

	(void)state;
	assert_int_equal(seconds(&g, 9, 0.49), 8);
	assert_int_equal(seconds(&g, 1, 0.49), 4);
	assert_int_equal(seconds(&g, 9, 0.49), 4);
	assert_int_equal(seconds(&g, 1, 0.51), 4); /* not far below */
	assert_int_equal(seconds(&g, 9, 0.49), 4);
	assert_int_equal(seconds(&g, 1, 0.49), 2);
}

static void never_more_often_than_was_asked_for(void **state)
{
	struct ch_governor g = { .stretch = 2 };

	(void)state;
	assert_int_equal(seconds(&g, 100, 0), 1);
}

static void between_a_quarter_and_the_limit_all_stays(void **state)
{
	struct ch_governor g = { .stretch = 4 };

	(void)state;
	assert_int_equal(seconds(&g, 1000, 1), 4);
}

static void an_idle_process_says_nothing(void **state)
{
	struct ch_governor g = { .stretch = 4 };

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(ch_governor_decide(&g, 10000000, 10000000, 2), 4);
}

static void a_recording_begins_with_what_a_signal_allows(void **state)
{
	(void)state;
	/* With 12 µs for the sample, of the 16 µs in each ms that 2 % allow with headroom. */
	assert_int_equal(ch_governor_begin(3000, 1000000, 2), 1);
	assert_int_equal(ch_governor_begin(10000, 1000000, 2), 2);
	assert_int_equal(ch_governor_begin(25000, 1000000, 2), 3);
	assert_int_equal(ch_governor_begin(40000, 1000000, 2), 4);
	assert_int_equal(ch_governor_begin(40000, 1000000, 100), 1);
	assert_int_equal(ch_governor_begin(40000, 100000, 0.1), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_seconds_above_the_limit_double_the_interval),
		cmocka_unit_test(a_second_below_begins_anew),
		cmocka_unit_test(the_interval_grows_to_64_times_and_no_further),
		cmocka_unit_test(ten_seconds_below_a_quarter_halve_it_again),
		cmocka_unit_test(never_more_often_than_was_asked_for),
		cmocka_unit_test(between_a_quarter_and_the_limit_all_stays),
		cmocka_unit_test(an_idle_process_says_nothing),
		cmocka_unit_test(a_recording_begins_with_what_a_signal_allows),
	};

	return cmocka_run_group_tests_name("governor", tests, NULL, NULL);
}
