#include "unit.h"
#include "render/colors.h"
#include "render/names.h"
#include "render/units.h"
#include "render/xml.h"

/* Runs a statement that puts text into `b`, and compares it. */
#define ASSERT_PUTS(statement, want)                                                               \
	do {                                                                                       \
		struct ch_buf b = CH_BUF(1 << 20);                                                 \
		statement;                                                                         \
		ch_buf_putc(&b, 0);                                                                \
		assert_int_equal(b.err, 0);                                                        \
		assert_string_equal(b.data, want);                                                 \
		ch_buf_done(&b);                                                                   \
	} while (0)

#define SHOWN(s)     ch_name_show(&b, s, sizeof(s) - 1)
#define XML(s)       ch_xml_put(&b, s, sizeof(s) - 1)
#define CUT(s, room) ch_name_cut(&b, s, sizeof(s) - 1, room)

static void numbers_are_grouped(void **state)
{
	(void)state;
	ASSERT_PUTS(ch_put_grouped(&b, 0), "0");
	ASSERT_PUTS(ch_put_grouped(&b, 999), "999");
	ASSERT_PUTS(ch_put_grouped(&b, 1000), "1,000");
	ASSERT_PUTS(ch_put_grouped(&b, -1234567), "-1,234,567");
	ASSERT_PUTS(ch_put_grouped(&b, INT64_MIN), "-9,223,372,036,854,775,808");
	ASSERT_PUTS(ch_put_fixed(&b, 1234.5678, 2), "1,234.57");
	ASSERT_PUTS(ch_put_fixed(&b, -0.001, 2), "0.00");
	ASSERT_PUTS(ch_put_fixed(&b, 9.999, 2), "10.00");
	ASSERT_PUTS(ch_put_fixed(&b, 1e300, 2), "1e+300");
	ASSERT_PUTS(ch_put_count(&b, 1500, 1000), "1.50");
	ASSERT_PUTS(ch_put_count(&b, 3000, 1000), "3");
}

static void quantities_move_to_the_unit_that_fits(void **state)
{
	(void)state;
	ASSERT_PUTS(ch_put_quantity(&b, 1, 1, "samples"), "1 sample");
	ASSERT_PUTS(ch_put_quantity(&b, 1234, 1, "samples"), "1,234 samples");
	ASSERT_PUTS(ch_put_quantity(&b, 0, 1, "ns"), "0 ns");
	ASSERT_PUTS(ch_put_quantity(&b, 1500, 1, "ns"), "1.50 µs");
	ASSERT_PUTS(ch_put_quantity(&b, 12340000000, 1, "ns"), "12.3 s");
	ASSERT_PUTS(ch_put_quantity(&b, 90000000000, 1, "ns"), "90.0 s");
	ASSERT_PUTS(ch_put_quantity(&b, 900000000000, 1, "ns"), "15.0 min");
	ASSERT_PUTS(ch_put_quantity(&b, 3 << 19, 1, "bytes"), "1.50 MiB");
	ASSERT_PUTS(ch_put_quantity(&b, 1023, 1, "bytes"), "1,023 B");
	ASSERT_PUTS(ch_put_quantity(&b, INT64_MAX, 1, "bytes"), "8,192 PiB");
	ASSERT_PUTS(ch_put_quantity(&b, 42, 1, "count"), "42");
	ASSERT_PUTS(ch_put_quantity(&b, 42, 1, "faults"), "42 faults");
}

static void shares_say_when_they_are_too_small_to_say(void **state)
{
	(void)state;
	ASSERT_PUTS(ch_put_percent(&b, 1, 3), "33.33%");
	ASSERT_PUTS(ch_put_percent(&b, 0, 3), "0.00%");
	ASSERT_PUTS(ch_put_percent(&b, 3, 3), "100%");
	ASSERT_PUTS(ch_put_percent(&b, 1, 1000000), "<0.01%");
	ASSERT_PUTS(ch_put_percent(&b, 1, 0), "–");
	ASSERT_PUTS(ch_put_points(&b, 0.0125), "+1.25 pt");
	ASSERT_PUTS(ch_put_points(&b, -0.5), "-50.00 pt");
	ASSERT_PUTS(ch_put_points(&b, 0), "0 pt");
	ASSERT_PUTS(ch_put_points(&b, -1e-9), ">-0.01 pt");
}

static void hidden_characters_are_spelled_out(void **state)
{
	(void)state;
	ASSERT_PUTS(SHOWN("plain é 日本"), "plain é 日本");
	ASSERT_PUTS(SHOWN("a\x01"
	                  "b\x1b[31m\x7f"),
	            "a⟨U+0001⟩b⟨U+001B⟩[31m⟨U+007F⟩");
	ASSERT_PUTS(SHOWN("\xe2\x80\xae"
	                  "evil"),
	            "⟨U+202E⟩evil");
	ASSERT_PUTS(SHOWN("\xc2\x85|\xef\xbb\xbf|\xff"), "⟨U+0085⟩|⟨U+FEFF⟩|\xef\xbf\xbd");
	ASSERT_PUTS(XML("</script>]]>&\"'"), "&lt;/script&gt;]]&gt;&amp;&quot;&#39;");
	ASSERT_PUTS(XML("a\0b\n"), "a⟨U+0000⟩b⟨U+000A⟩");
}

static void the_package_gives_way_first(void **state)
{
	(void)state;
	assert_int_equal(ch_name_package("org/apache/Foo.bar", 18), 10);
	assert_int_equal(ch_name_package("java.lang.Thread.run", 20), 9);
	assert_int_equal(ch_name_package("std::vector<int>::push", 22), 3);
	assert_int_equal(ch_name_package("libc.so.6`read", 14), 9);
	assert_int_equal(ch_name_package("main", 4), 0);
	assert_int_equal(ch_name_package("", 0), 0);
	ASSERT_PUTS(CUT("org/apache/Foo.bar", 18), "org/apache/Foo.bar");
	ASSERT_PUTS(CUT("org/apache/Foo.bar", 12), "org/…Foo.bar");
	ASSERT_PUTS(CUT("org/apache/Foo.bar", 7), "Foo.bar");
	ASSERT_PUTS(CUT("org/apache/Foo.bar", 6), "Fo…bar");
	ASSERT_PUTS(CUT("org/apache/Foo.bar", 1), "");
	ASSERT_PUTS(CUT("日本語日本語日本語", 5), "日本…本語");
	assert_int_equal(ch_name_chars("日本", 6), 2);
}

static void colours_follow_kind_and_package_and_nothing_else(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_palette c;
	uint32_t java, sibling, kernel;

	(void)state;
	ch_palette_init(&c);
	java = ch_profile_frame(
	    p, (struct ch_frame){ .name = ch_profile_strz(p, "a/b/C.d"), .kind = CH_KIND_JAVA });
	sibling = ch_profile_frame(
	    p, (struct ch_frame){ .name = ch_profile_strz(p, "a/b/E.f"), .kind = CH_KIND_JAVA });
	kernel = ch_profile_frame(
	    p, (struct ch_frame){ .name = ch_profile_strz(p, "a/b/C.d"), .kind = CH_KIND_KERNEL });
	assert_string_equal(ch_palette_frame(&c, CH_COLORS_KIND, p, java),
	                    ch_palette_frame(&c, CH_COLORS_KIND, p, sibling));
	assert_string_not_equal(ch_palette_frame(&c, CH_COLORS_KIND, p, java),
	                        ch_palette_frame(&c, CH_COLORS_KIND, p, kernel));
	assert_string_equal(ch_palette_frame(&c, CH_COLORS_PACKAGE, p, java),
	                    ch_palette_frame(&c, CH_COLORS_PACKAGE, p, kernel));
	assert_string_equal(ch_palette_change(&c, 0, 0.02), c.change[CH_COLOR_STEPS]);
	assert_string_equal(ch_palette_change(&c, 1, 0.02), c.change[2 * CH_COLOR_STEPS]);
	assert_string_equal(ch_palette_change(&c, -1, 0.02), c.change[0]);
	ch_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_grouped),
		cmocka_unit_test(quantities_move_to_the_unit_that_fits),
		cmocka_unit_test(shares_say_when_they_are_too_small_to_say),
		cmocka_unit_test(hidden_characters_are_spelled_out),
		cmocka_unit_test(the_package_gives_way_first),
		cmocka_unit_test(colours_follow_kind_and_package_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
