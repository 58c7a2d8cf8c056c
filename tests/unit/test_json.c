#include "unit.h"
#include "codec/json.h"
#include "codec/json_out.h"

#include <errno.h>
#include <math.h>

static struct ch_buf scratch;

static struct ch_json reading(const char *text)
{
	scratch = CH_BUF(1 << 20);
	return ch_json(text, strlen(text), &scratch);
}

static int done(struct ch_json *j)
{
	int r = ch_json_end(j);

	ch_buf_done(&scratch);
	return r;
}

static void an_object_is_pulled_in_order(void **state)
{
	struct ch_json j = reading(" {\"name\": \"a\", \"n\" : [1, 2 ,-3], \"x\": {\"y\": []}} ");
	struct ch_span key, name;
	int64_t sum = 0, v;

	(void)state;
	assert_true(ch_json_object(&j));
	assert_true(ch_json_key(&j, &key));
	assert_true(ch_span_is(key, "name"));
	assert_true(ch_json_text(&j, &name));
	assert_true(ch_span_is(name, "a"));
	assert_true(ch_json_key(&j, &key));
	assert_true(ch_json_array(&j));
	while (ch_json_item(&j))
		if (ch_json_i64(&j, &v))
			sum += v;
	assert_int_equal(sum, 0);
	assert_true(ch_json_key(&j, &key));
	ch_json_skip(&j);
	assert_false(ch_json_key(&j, &key));
	assert_int_equal(done(&j), 0);
}

static void a_value_of_another_type_is_skipped(void **state)
{
	struct ch_json j = reading("[\"NaN\", {\"a\": [1]}, null, 1.5, 7]");
	int64_t v = -1;

	(void)state;
	assert_true(ch_json_array(&j));
	for (int i = 0; i < 4; i++) {
		assert_true(ch_json_item(&j));
		assert_false(ch_json_i64(&j, &v));
		assert_int_equal(v, -1);
	}
	assert_true(ch_json_item(&j));
	assert_true(ch_json_i64(&j, &v));
	assert_int_equal(v, 7);
	assert_false(ch_json_item(&j));
	assert_int_equal(done(&j), 0);
}

static void check_text(const char *json, const char *expected, size_t n)
{
	struct ch_json j = reading(json);
	struct ch_span t;

	assert_true(ch_json_text(&j, &t));
	assert_int_equal(t.n, n);
	assert_memory_equal(t.s, expected, n);
	assert_int_equal(done(&j), 0);
}

static void strings_are_unescaped(void **state)
{
	(void)state;
	check_text("\"\"", "", 0);
	check_text("\"plain, longer than eight bytes\"", "plain, longer than eight bytes", 30);
	check_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	check_text("\"a\\u0000b\"", "a\0b", 3);
	check_text("\"\\u00e9\\u20AC\"", "\xc3\xa9\xe2\x82\xac", 5);
	check_text("\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!", 5);
	/* Halves of pairs, alone or twice. */
	check_text("\"\\ud83dx\"", "\xef\xbf\xbdx", 4);
	check_text("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
	check_text("\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 4);
}

static void skipping_leaves_a_text_alone(void **state)
{
	struct ch_json j = reading("[\"a\\tb\", \"c\\td\\u0041\"]");
	struct ch_span t = { 0 };

	(void)state;
	assert_true(ch_json_array(&j) && ch_json_item(&j) && ch_json_text(&j, &t));
	assert_true(ch_json_item(&j));
	ch_json_skip(&j);
	assert_true(ch_span_is(t, "a\tb"));
	assert_false(ch_json_item(&j));
	assert_int_equal(done(&j), 0);
}

static struct ch_json_number number(const char *text)
{
	struct ch_json j = reading(text);
	struct ch_json_number n = { .i = -99 };

	assert_true(ch_json_number(&j, &n));
	assert_int_equal(done(&j), 0);
	return n;
}

static void numbers_are_exact_where_they_can_be(void **state)
{
	(void)state;
	assert_true(number("0").whole);
	assert_int_equal(number("9223372036854775807").i, INT64_MAX);
	assert_int_equal(number("-9223372036854775808").i, INT64_MIN);
	assert_false(number("9223372036854775808").whole);
	assert_true(number("9223372036854775808").d == 0x1p63);
	assert_int_equal(number("1.2735288E7").i, 12735288);
	assert_int_equal(number("-12.0").i, -12);
	assert_false(number("0.1").whole);
	assert_true(number("0.1").d == 0.1);
	assert_true(number("1e400").d == INFINITY);
	assert_false(number("1e400").whole);
	assert_int_equal(number("-0").i, 0);
}

static void expect_error(const char *json, const char *what, size_t line)
{
	struct ch_json j = reading(json);

	ch_json_skip(&j);
	assert_int_equal(ch_json_end(&j), -EBADMSG);
	assert_string_equal(j.error, what);
	assert_int_equal(ch_json_line(&j), line);
	ch_buf_done(&scratch);
}

static void bad_syntax_is_named(void **state)
{
	(void)state;
	expect_error("", "the text ends too early", 1);
	expect_error("[1\n,2\n", "the text ends too early", 3);
	expect_error("[1 2]", "a comma or closing bracket is missing", 1);
	expect_error("[1,]", "a value is missing", 1);
	expect_error("[,1]", "a value is missing", 1);
	expect_error("{\"a\" 1}", "a colon is missing", 1);
	expect_error("{a: 1}", "a name in quotes is missing", 1);
	expect_error("{\"a\":1,}", "a name in quotes is missing", 1);
	expect_error("[1}", "a comma or closing bracket is missing", 1);
	expect_error("\"abc", "a string does not end", 1);
	expect_error("\"abc\\", "a string does not end", 1);
	expect_error("\"a\nb\"", "a string holds a control character", 1);
	expect_error("\"\\x\"", "an escape in a string is unknown", 1);
	expect_error("\"\\u12g4\"", "\\u lacks its four digits", 1);
	expect_error("01", "a number is malformed", 1);
	expect_error("1.", "a number is malformed", 1);
	expect_error("-", "a number is malformed", 1);
	expect_error("1e", "a number is malformed", 1);
	expect_error("nul", "a value is missing", 1);
	expect_error("NaN", "a value is missing", 1);
	expect_error("1 2", "something follows the value", 1);
}

static void deep_nesting_ends_at_a_limit(void **state)
{
	char deep[100000];
	struct ch_json j;

	(void)state;
	memset(deep, '[', sizeof(deep));
	scratch = CH_BUF(64);
	j = ch_json(deep, sizeof(deep), &scratch);
	ch_json_skip(&j);
	assert_string_equal(j.error, "too many nested brackets");
	assert_int_equal(ch_json_offset(&j), CH_JSON_DEPTH);
}

static void a_long_string_spoils_only_itself(void **state)
{
	static const char json[] = "[\"\\n234567890123456789\"]";
	struct ch_json j;
	struct ch_span t;

	(void)state;
	scratch = CH_BUF(8);
	j = ch_json(json, sizeof(json) - 1, &scratch);
	assert_true(ch_json_array(&j) && ch_json_item(&j));
	assert_false(ch_json_text(&j, &t));
	assert_string_equal(j.error, "a string is too long");
	j = ch_json("\"\\n\"", 4, &scratch);
	assert_true(ch_json_text(&j, &t));
	assert_int_equal(done(&j), 0);
}

static void check_written(struct ch_buf *b, const char *expected)
{
	assert_int_equal(b->err, 0);
	ch_buf_putc(b, 0);
	assert_string_equal(b->data, expected);
	ch_buf_done(b);
}

static void values_are_written_with_their_commas(void **state)
{
	struct ch_buf b = CH_BUF(1 << 16);
	struct ch_json_out w = ch_json_out(&b, false);

	(void)state;
	ch_json_open(&w, '{');
	ch_json_put_key(&w, "a");
	ch_json_open(&w, '[');
	ch_json_put_i64(&w, INT64_MIN);
	ch_json_put_double(&w, 0.1);
	ch_json_put_double(&w, NAN);
	ch_json_put_double(&w, 1e300);
	ch_json_open(&w, '{');
	ch_json_close(&w, '}');
	ch_json_close(&w, ']');
	ch_json_put_key(&w, "b");
	ch_json_put_bool(&w, true);
	ch_json_put_key(&w, "c");
	ch_json_put_str(&w, "x");
	ch_json_close(&w, '}');
	ch_json_put_newline(&w);
	ch_json_put_null(&w);
	check_written(&b, "{\"a\":[-9223372036854775808,0.1,null,1e+300,{}],\"b\":true,"
	                  "\"c\":\"x\"}\nnull");
}

static void written_strings_are_safe_everywhere(void **state)
{
	struct ch_buf b = CH_BUF(1 << 16);

	(void)state;
	ch_json_escape(&b, "a\"\\\n\x01\x7f/", 7, false);
	check_written(&b, "a\\\"\\\\\\n\\u0001\\u007f/");
	ch_json_escape(&b, "</script>\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", 18, true);
	check_written(&b, "\\u003c/script>\\u2028\\u2029\xe2\x80\xaa");
	ch_json_escape(&b, "</\xe2\x80\xa8", 5, false);
	check_written(&b, "</\xe2\x80\xa8");
	ch_json_escape(&b, "\xff\xc3\xa9\xe2\x82", 5, false);
	check_written(&b, "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
	ch_json_escape(&b, "\0", 1, false);
	check_written(&b, "\\u0000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_is_pulled_in_order),
		cmocka_unit_test(a_value_of_another_type_is_skipped),
		cmocka_unit_test(strings_are_unescaped),
		cmocka_unit_test(skipping_leaves_a_text_alone),
		cmocka_unit_test(numbers_are_exact_where_they_can_be),
		cmocka_unit_test(bad_syntax_is_named),
		cmocka_unit_test(deep_nesting_ends_at_a_limit),
		cmocka_unit_test(a_long_string_spoils_only_itself),
		cmocka_unit_test(values_are_written_with_their_commas),
		cmocka_unit_test(written_strings_are_safe_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
