#include "unit.h"
#include "jfr/idmap.h"
#include "jfr/plan.h"
#include "jfr/writer.h"

#include <stdlib.h>

/* --- values ---------------------------------------------------------------------------------- */

static void varints_read_back(void **state)
{
	static const uint64_t values[] = { 0,
		                           1,
		                           127,
		                           128,
		                           16383,
		                           16384,
		                           UINT32_MAX,
		                           (UINT64_C(1) << 56) - 1,
		                           UINT64_C(1) << 56,
		                           UINT64_C(1) << 63,
		                           UINT64_MAX };
	struct ch_buf b = CH_BUF(4096);
	struct ch_cursor c;

	(void)state;
	for (size_t i = 0; i < CH_LEN(values); i++)
		ch_jfr_put_int(&b, values[i]);
	c = ch_cursor(b.data, b.len);
	for (size_t i = 0; i < CH_LEN(values); i++)
		assert_int_equal(ch_jfr_varint(&c), values[i]);
	assert_int_equal(ch_cursor_left(&c), 0);
	assert_false(c.bad);
	ch_buf_done(&b);
}

static void skipping_lands_where_reading_does(void **state)
{
	struct ch_buf b = CH_BUF(1 << 16);
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		ch_jfr_put_int(&b, seed >> (seed & 63));
	}
	for (size_t n = 0; n <= 1000; n += 37) {
		struct ch_cursor read = ch_cursor(b.data, b.len), skip = read;

		for (size_t i = 0; i < n; i++)
			(void)ch_jfr_varint(&read);
		ch_jfr_skip_varints(&skip, n);
		assert_ptr_equal(read.p, skip.p);
		assert_false(skip.bad);
	}
	ch_buf_done(&b);
}

static void a_varint_cut_short_is_bad(void **state)
{
	uint8_t bytes[] = { 0xff, 0xff };
	struct ch_cursor c = ch_cursor(bytes, sizeof(bytes));

	(void)state;
	(void)ch_jfr_varint(&c);
	assert_true(c.bad);
	c = ch_cursor(bytes, sizeof(bytes));
	ch_jfr_skip_varints(&c, UINT64_MAX);
	assert_true(c.bad);
}

static void maps_hold_dense_and_sparse_ids(void **state)
{
	struct ch_jfr_idmap m = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(ch_jfr_idmap_put(&m, i, i + 1), 0);
		assert_int_equal(ch_jfr_idmap_put(&m, i << 40, i + 1), 0);
	}
	for (uint64_t i = 1; i < 5000; i++) {
		assert_int_equal(*ch_jfr_idmap_find(&m, i), i + 1);
		assert_int_equal(*ch_jfr_idmap_find(&m, i << 40), i + 1);
	}
	assert_null(ch_jfr_idmap_find(&m, 5000));
	assert_true(m.hashed);
	ch_jfr_idmap_done(&m);
}

/* Eight levels of sixty-four fields each are more than anyone can count. */
static void types_that_multiply_are_given_up(void **state)
{
	struct ch_jfr_field_def fields[8][64];
	struct ch_jfr_type_def made_up[9] = { { "int" } };
	char names[9][16] = { "int" };
	struct ch_buf b = CH_BUF(1 << 20);
	struct ch_cursor c, body;
	struct ch_jfr_types read;
	uint64_t id;

	(void)state;
	for (int level = 0; level < 8; level++) {
		(void)snprintf(names[level + 1], sizeof(names[0]), "T%d", level);
		for (int i = 0; i < 64; i++)
			fields[level][i] = (struct ch_jfr_field_def){ "f", names[level] };
		made_up[level + 1] =
		    (struct ch_jfr_type_def){ names[level + 1], .fields = fields[level],
			                      .n_fields = 64 };
	}
	ch_jfr_put_types(&b, made_up, CH_LEN(made_up), 0);
	c = ch_cursor(b.data, b.len);
	assert_true(ch_jfr_event_next(&c, &id, &body));
	assert_int_equal(ch_jfr_types_read(&read, body), 0);
	assert_non_null(ch_jfr_plan_new(&read, ch_jfr_type_by_name(&read, "T0"), NULL, 0, true));
	assert_null(ch_jfr_plan_new(&read, ch_jfr_type_by_name(&read, "T7"), NULL, 0, true));
	ch_jfr_types_done(&read);
	ch_buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_read_back),
		cmocka_unit_test(skipping_lands_where_reading_does),
		cmocka_unit_test(a_varint_cut_short_is_bad),
		cmocka_unit_test(maps_hold_dense_and_sparse_ids),
		cmocka_unit_test(types_that_multiply_are_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
