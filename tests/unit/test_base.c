#include "unit.h"
#include "base/buf.h"
#include "base/cursor.h"
#include "base/strtab.h"
#include "base/utf8.h"

#include <errno.h>

static void a_buffer_stops_at_its_limit(void **state)
{
	struct ch_buf b = CH_BUF(10);

	(void)state;
	ch_buf_puts(&b, "12345");
	ch_buf_puts(&b, "67890");
	assert_int_equal(b.err, 0);
	ch_buf_putc(&b, 'x');
	assert_int_equal(b.err, -E2BIG);
	assert_int_equal(b.len, 10);
	ch_buf_done(&b);
}

static void a_cursor_stays_bad_after_the_end(void **state)
{
	struct ch_cursor c = ch_cursor("\x01\x02", 2);

	(void)state;
	assert_int_equal(ch_cursor_be(&c, 2), 0x0102);
	assert_false(c.bad);
	assert_int_equal(ch_cursor_u8(&c), 0);
	assert_true(c.bad);
	assert_null(ch_cursor_take(&c, SIZE_MAX));
	assert_true(ch_cursor_sub(&c, 1).bad);
}

static void a_varint_without_end_is_refused(void **state)
{
	struct ch_cursor c = ch_cursor("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11);

	(void)state;
	ch_cursor_varint(&c);
	assert_true(c.bad);
}

static void equal_strings_have_one_id(void **state)
{
	struct ch_strtab t;
	uint32_t a;

	(void)state;
	ch_strtab_init(&t, 1 << 20);
	a = ch_strtab_id(&t, "alpha", 5);
	assert_int_equal(a, ch_strtab_id(&t, "alpha", 5));
	assert_int_not_equal(a, ch_strtab_id(&t, "alph", 4));
	assert_int_equal(ch_strtab_id(&t, "", 0), 0);
	assert_string_equal(t.text[a], "alpha");
	ch_strtab_done(&t);
}

static void broken_utf8_is_repaired_once(void **state)
{
	struct ch_strtab t;
	uint32_t a;

	(void)state;
	ch_strtab_init(&t, 1 << 20);
	a = ch_strtab_id(&t,
	                 "a\xff"
	                 "b",
	                 3);
	assert_string_equal(t.text[a], "a\xef\xbf\xbd"
	                               "b");
	assert_int_equal(ch_strtab_id(&t,
	                              "a\xff"
	                              "b",
	                              3),
	                 a);
	assert_int_equal(ch_strtab_id(&t,
	                              "a\xef\xbf\xbd"
	                              "b",
	                              5),
	                 a);
	ch_strtab_done(&t);
}

static void utf8_refuses_overlong_and_surrogates(void **state)
{
	(void)state;
	assert_true(ch_utf8_valid("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xa5", 17));
	assert_false(ch_utf8_valid("\xc0\x80", 2));
	assert_false(ch_utf8_valid("\xed\xa0\x80", 3));
	assert_false(ch_utf8_valid("\xf4\x90\x80\x80", 4));
	assert_false(ch_utf8_valid("\xe2\x82", 2));
}

static void pairs_of_surrogates_become_characters(void **state)
{
	static const char java[] = "a\xed\xa0\xbd\xed\xb8\x80z \xed\xa0\xbd!";
	char to[3 * sizeof(java)];
	size_t n = ch_utf8_repair(java, sizeof(java) - 1, to);

	(void)state;
	to[n] = 0;
	assert_string_equal(to, "a\xf0\x9f\x98\x80z \xef\xbf\xbd!");
}

static void many_strings_are_all_found_again(void **state)
{
	struct ch_strtab t;
	char s[32];

	(void)state;
	ch_strtab_init(&t, 16 << 20);
	for (int round = 0; round < 2; round++)
		for (int i = 1; i <= 50000; i++)
			assert_int_equal(
			    ch_strtab_id(&t, s, (size_t)snprintf(s, sizeof(s), "name %d", i)), i);
	ch_strtab_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_buffer_stops_at_its_limit),
		cmocka_unit_test(a_cursor_stays_bad_after_the_end),
		cmocka_unit_test(a_varint_without_end_is_refused),
		cmocka_unit_test(equal_strings_have_one_id),
		cmocka_unit_test(broken_utf8_is_repaired_once),
		cmocka_unit_test(utf8_refuses_overlong_and_surrogates),
		cmocka_unit_test(pairs_of_surrogates_become_characters),
		cmocka_unit_test(many_strings_are_all_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
