#include "unit.h"

#include "agent/defs.h"

static void define(struct ch_defs *d, uint32_t id)
{
	union {
		struct ch_rec_class rec;
		char room[64];
	} c = { .rec = { .id = id } };

	c.rec.len = (uint32_t)snprintf(c.rec.name, 16, "c%u", id);
	assert_int_equal(ch_defs_add_class(d, &c.rec), 0);
}

static void assert_defined(struct ch_defs *d, uint32_t id)
{
	struct ch_def_class *c = ch_defs_class(d, id);
	char want[16];

	assert_non_null(c);
	snprintf(want, sizeof(want), "c%u", id);
	assert_int_equal(c->len, strlen(want));
	assert_memory_equal(c->name, want, c->len);
}

/* Stripes are read one after the other: the smallest ids may come last. */
static void ids_come_in_any_order(void **state)
{
	static const uint32_t ids[] = { 5000, 5001, 4000, 3, 9000, 1, 4500, 2 };
	struct ch_defs d;

	(void)state;
	ch_defs_init(&d);
	for (size_t i = 0; i < CH_LEN(ids); i++)
		define(&d, ids[i]);
	for (size_t i = 0; i < CH_LEN(ids); i++)
		assert_defined(&d, ids[i]);
	assert_null(ch_defs_class(&d, 4001));
	assert_null(ch_defs_class(&d, 0));
	assert_null(ch_defs_class(&d, 9001));
	ch_defs_done(&d);
}

static void ids_too_far_apart_are_refused(void **state)
{
	struct ch_rec_class c = { .id = UINT32_MAX };
	struct ch_defs d;

	(void)state;
	ch_defs_init(&d);
	define(&d, 7);
	assert_true(ch_defs_add_class(&d, &c) < 0);
	assert_defined(&d, 7);
	ch_defs_done(&d);
}

static struct ch_def_thread *define_thread(struct ch_defs *d, uint32_t id)
{
	union {
		struct ch_rec_thread rec;
		char room[64];
	} t = { .rec = { .id = id, .len = 1 } };

	t.rec.name[0] = 't';
	assert_int_equal(ch_defs_add_thread(d, &t.rec), 0);
	return ch_defs_thread(d, id);
}

/* Thousands of threads may wait, each below a thousand frames. */
static void the_last_stacks_of_threads_count_as_memory(void **state)
{
	static const uint64_t frames[1000] = { 1, 2, 3 };
	struct ch_def_thread *t;
	struct ch_defs d;
	size_t before;

	(void)state;
	ch_defs_init(&d);
	define_thread(&d, 2);
	t = define_thread(&d, 1);
	before = ch_defs_memory(&d);
	ch_defs_keep_wall(&d, t, frames, 1000, 0);
	assert_in_range(ch_defs_memory(&d) - before, sizeof(frames), sizeof(frames) + 64);
	ch_defs_keep_wall(&d, t, frames, 3, 0);
	assert_in_range(ch_defs_memory(&d) - before, 3 * sizeof(frames[0]),
	                3 * sizeof(frames[0]) + 64);
	assert_int_equal(t->wall_n, 3);
	assert_memory_equal(t->wall_frames, frames, 3 * sizeof(frames[0]));
	ch_defs_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_come_in_any_order),
		cmocka_unit_test(ids_too_far_apart_are_refused),
		cmocka_unit_test(the_last_stacks_of_threads_count_as_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
