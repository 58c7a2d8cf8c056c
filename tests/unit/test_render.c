#include "views.h"
#include "render/html.h"
#include "render/json.h"
#include "render/outputs.h"
#include "render/svg.h"
#include "render/text.h"

#include <ctype.h>

static const char hostile[] = "</script><script>alert(1)]]>&\"'\x01\xe2\x80\xae";

static struct ch_profile *small(void)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });

	add_path(p, "main;org/apache/spark/sql/Foo.run;java/util/HashMap.get", 0, 70);
	add_path(p, "main;org/apache/spark/sql/Foo.run", 0, 20);
	add_path(p, "main;gc", 0, 9);
	add_path(p, "main;org/apache/spark/sql/Foo.run;main", 0, 1);
	return p;
}

static struct ch_profile *difference(void)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	uint32_t before = label_set(p, "side", "before"), after = label_set(p, "side", "after");

	add_path(p, "main;gone", before, 10);
	add_path(p, "main;same", before, 10);
	add_path(p, "main;same", after, 20);
	add_path(p, "main;new", after, 20);
	return p;
}

static struct ch_view difference_view(const struct ch_profile *p)
{
	struct ch_view v = CH_VIEW(p);

	v.diff.before = "a.jfr";
	v.diff.after = "b.jfr";
	v.diff.normalized = true;
	return v;
}

/* --- SVG ------------------------------------------------------------------------------------- */

/*
 * Walks the file as an XML parser would: tags nest, attributes are quoted, every `&` is an entity,
 * no bare `<`. Returns how many elements there are.
 */
static size_t assert_well_formed(const char *s)
{
	const char *open[64];
	size_t depth = 0, elements = 0;

	for (; *s; s++) {
		assert_true((unsigned char)*s >= 0x20 || *s == '\n');
		if (*s == '&') {
			s = strchr(s, ';');
			assert_non_null(s);
		} else if (!strncmp(s, "<?", 2)) {
			s = strstr(s, "?>") + 1;
		} else if (!strncmp(s, "<![CDATA[", 9)) {
			s = strstr(s, "]]>") + 2;
		} else if (!strncmp(s, "</", 2)) {
			size_t n = strcspn(s + 2, ">");

			assert_true(depth > 0);
			assert_memory_equal(open[--depth], s + 2, n);
			s += 2 + n;
		} else if (*s == '<') {
			assert_true(isalpha((unsigned char)s[1]));
			assert_true(depth < 64);
			open[depth++] = ++s;
			elements++;
			while (*s != '>') {
				assert_true(*s && *s != '<');
				if (*s == '"') {
					s = strchr(s + 1, '"');
					assert_non_null(s);
				}
				s++;
			}
			depth -= s[-1] == '/';
		}
	}
	assert_int_equal(depth, 0);
	return elements;
}

static void svg_shows_every_frame_with_its_share(void **state)
{
	struct ch_profile *p = small();
	struct ch_view v = CH_VIEW(p);
	char *svg = written(ch_svg_write, &v);

	(void)state;
	assert_well_formed(svg);
	assert_non_null(strstr(svg, "data-total=\"100\""));
	assert_non_null(strstr(svg, "<title>all (100 samples, 100%)</title>"));
	assert_non_null(strstr(svg,
	                       "<g data-x=\"9\" data-w=\"91\" data-d=\"2\">"
	                       "<title>org/apache/spark/sql/Foo.run (91 samples, 91.00%)</title>"
	                       "<rect x=\"9%\""));
	assert_null(strstr(svg, "narrower"));
	free(svg);
	ch_profile_free(p);
}

static void svg_is_well_formed_whatever_the_names(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_view v = CH_VIEW(p);
	char *svg;

	(void)state;
	add_path(p, hostile, 0, 1000000);
	add_path(p, "tiny", 0, 1); /* its share is written with a `<` */
	v.title = hostile;
	v.sources = (const char *const[]){ hostile };
	v.n_sources = 1;
	v.picture.min_width = 0;
	svg = written(ch_svg_write, &v);
	assert_well_formed(svg);
	assert_null(strstr(svg, "<script>alert"));
	assert_null(strchr(svg, '\x01'));
	assert_null(strstr(svg, "\xe2\x80\xae"));
	assert_non_null(strstr(svg, "tiny (1 sample, &lt;0.01%)"));
	free(svg);
	ch_profile_free(p);
}

static void svg_counts_what_is_too_narrow(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_view v = CH_VIEW(p);
	char name[32], *svg;

	(void)state;
	add_path(p, "main;wide", 0, 99000);
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(name, sizeof(name), "main;narrow%d", i);
		add_path(p, name, 0, 1);
	}
	svg = written(ch_svg_write, &v);
	assert_well_formed(svg);
	assert_non_null(strstr(svg, "1,000 frames narrower than 0.1 px (1.00% of all)"));
	assert_non_null(strstr(svg, "<g data-x=\"99000\" data-w=\"1000\" data-d=\"2\">"
	                            "<title>frames too narrow to draw (1.00%)"));
	assert_null(strstr(svg, "narrow17"));
	free(svg);
	v.picture.min_width = 0;
	svg = written(ch_svg_write, &v);
	assert_non_null(strstr(svg, "narrow17"));
	free(svg);
	ch_profile_free(p);
}

static void svg_of_a_difference_shows_both_sides(void **state)
{
	struct ch_profile *p = difference();
	struct ch_view v = difference_view(p);
	char *svg = written(ch_svg_write, &v);

	(void)state;
	assert_well_formed(svg);
	assert_non_null(
	    strstr(svg, "gone (0 samples, 0.00%; before 10 samples, 50.00%; -50.00 pt)"));
	assert_non_null(strstr(svg, "same (20 samples, 50.00%; before 10 samples, 50.00%; 0 pt)"));
	assert_non_null(strstr(svg, "x=\"25%\"")); /* a quarter of the width is gone */
	assert_non_null(strstr(svg, "a.jfr → b.jfr"));
	free(svg);
	ch_profile_free(p);
}

/* --- text ------------------------------------------------------------------------------------ */

static void text_lists_hot_methods_and_the_tree(void **state)
{
	struct ch_profile *p = small();
	struct ch_view v = CH_VIEW(p);
	char *text;

	(void)state;
	v.title = "Small";
	v.sources = (const char *const[]){ "a.folded" };
	v.n_sources = 1;
	v.text.limit = 3;
	v.text.columns = 70;
	text = written(ch_text_write, &v);
	assert_string_equal(
	    text, "Small\n"
	          "a.folded\n"
	          "cpu: 100 samples\n"
	          "\n"
	          "          Self       %         Total       %  Frame\n"
	          "            70  70.00%            70  70.00%  java/util/HashMap.get\n"
	          "            20  20.00%            91  91.00%  org/apache/spark…Foo.run\n"
	          "             9   9.00%             9   9.00%  gc\n"
	          "… 1 more\n"
	          "\n"
	          "         Total       %  Self %  Call tree\n"
	          "           100    100%   0.00%  all\n"
	          "           100    100%   0.00%    main\n"
	          "            91  91.00%  20.00%      org/apache/spark/sql/Foo.run\n"
	          "            70  70.00%  70.00%        java/util/HashMap.get\n"
	          "             1   1.00%   1.00%        main\n"
	          "             9   9.00%   9.00%      gc\n");
	free(text);
	ch_profile_free(p);
}

static void text_of_a_difference_starts_with_the_largest_change(void **state)
{
	struct ch_profile *p = difference();
	struct ch_view v = difference_view(p);
	char *text = written(ch_text_write, &v);

	(void)state;
	assert_string_equal(
	    text,
	    "a.jfr → b.jfr\n"
	    "cpu: 20 samples before, 40 samples after; changes are between shares of each side\n"
	    "\n"
	    "          Self: before                 after    change Total: change  Frame\n"
	    "             0   0.00%            20  50.00% +50.00 pt     +50.00 pt  new\n"
	    "            10  50.00%             0   0.00% -50.00 pt     -50.00 pt  gone\n"
	    "            10  50.00%            20  50.00%      0 pt          0 pt  same\n"
	    "             0   0.00%             0   0.00%      0 pt          0 pt  main\n"
	    "\n"
	    "  Before   After    Change  Call tree\n"
	    "    100%    100%      0 pt  all\n"
	    "    100%    100%      0 pt    main\n"
	    "  50.00%   0.00% -50.00 pt      gone\n"
	    "   0.00%  50.00% +50.00 pt      new\n"
	    "  50.00%  50.00%      0 pt      same\n");
	free(text);
	ch_profile_free(p);
}

static void text_sums_up_light_frames(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_view v = CH_VIEW(p);
	char *text;

	(void)state;
	add_path(p, "heavy", 0, 998);
	add_path(p, "light;deep", 0, 1);
	add_path(p, "\x1b[31mred", 0, 1);
	text = written(ch_text_tree_write, &v);
	assert_non_null(strstr(text, "             2   0.20%            … 3 more frames\n"));
	assert_null(strchr(text, '\x1b'));
	free(text);
	text = written(ch_text_top_write, &v);
	assert_non_null(strstr(text, "⟨U+001B⟩[31mred"));
	assert_null(strchr(text, '\x1b'));
	free(text);
	v.text.color = true;
	text = written(ch_text_top_write, &v);
	assert_non_null(strstr(text, "\x1b[1m"));
	free(text);
	ch_profile_free(p);
}

static void text_shows_as_many_callees_as_asked_for(void **state)
{
	struct ch_profile *p = small();
	struct ch_view v = CH_VIEW(p);
	char *text;

	(void)state;
	v.text.limit = 1;
	text = written(ch_text_tree_write, &v);
	assert_non_null(strstr(text, "             1   1.00%                … 1 more frame\n"));
	assert_non_null(strstr(text, "             9   9.00%              … 1 more frame\n"));
	assert_non_null(strstr(text, "HashMap.get"));
	assert_null(strstr(text, "gc"));
	free(text);
	ch_profile_free(p);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void json_holds_the_whole_tree(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_view v = CH_VIEW(p);
	char *json;

	(void)state;
	add_path(p, "main;\"quoted\"\n", 0, 2);
	add_path(p, "main", 0, 1);
	json = written(ch_json_write, &v);
	assert_string_equal(
	    json, "{\"version\":\"" CH_VERSION "\",\"source\":[],\"event\":\"cpu\","
	          "\"unit\":\"samples\",\"scale\":1,\"total\":3,\"notes\":[],\"tree\":"
	          "{\"name\":\"all\",\"kind\":\"other\",\"self\":0,\"total\":3,\"children\":["
	          "{\"name\":\"main\",\"kind\":\"other\",\"self\":1,\"total\":3,\"children\":["
	          "{\"name\":\"\\\"quoted\\\"\\n\",\"kind\":\"other\",\"self\":2,\"total\":2,"
	          "\"children\":[]}]}]}}\n");
	free(json);
	ch_profile_free(p);
}

static void json_of_a_difference_has_both_sides(void **state)
{
	struct ch_profile *p = difference();
	struct ch_view v = difference_view(p);
	char *json = written(ch_json_write, &v);

	(void)state;
	assert_non_null(strstr(json, "\"total\":40,\"total_before\":20,\"before\":\"a.jfr\","
	                             "\"after\":\"b.jfr\",\"normalized\":true"));
	assert_non_null(strstr(json, "{\"name\":\"gone\",\"kind\":\"other\","
	                             "\"before\":{\"self\":10,\"total\":10},"
	                             "\"after\":{\"self\":0,\"total\":0},\"children\":[]}"));
	free(json);
	ch_profile_free(p);
}

static void json_lists_hot_methods(void **state)
{
	struct ch_profile *p = small();
	struct ch_view v = CH_VIEW(p);
	char *json;

	(void)state;
	v.text.limit = 1;
	json = written(ch_json_top_write, &v);
	assert_non_null(strstr(json, "\"total\":100,\"notes\":[],\"left_out\":3,\"top\":[{\"name\":"
	                             "\"java/util/HashMap.get\",\"self\":70,\"total\":70}]}\n"));
	free(json);
	ch_profile_free(p);
	p = difference();
	v = difference_view(p);
	json = written(ch_json_top_write, &v);
	assert_non_null(strstr(json, "{\"name\":\"gone\",\"before\":{\"self\":10,\"total\":10},"
	                             "\"after\":{\"self\":0,\"total\":0}}"));
	free(json);
	ch_profile_free(p);
}

/* --- all ------------------------------------------------------------------------------------- */

static void the_page_holds_no_markup_of_the_profile(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	struct ch_view v = CH_VIEW(p);
	char *html;

	(void)state;
	add_path(p, hostile, label_set(p, hostile, hostile), 1);
	ch_profile_note(p, "%s", hostile);
	v.title = hostile;
	v.sources = (const char *const[]){ hostile };
	v.n_sources = 1;
	html = written(ch_html_write, &v);
	assert_null(strstr(html, "<script>alert"));
	assert_non_null(strstr(html, "\\u003c/script>\\u003cscript>alert(1)]]>&\\\"'\\u0001"));
	assert_non_null(strstr(html, "<title>&lt;/script&gt;"));
	assert_null(strstr(html, "@@"));
	free(html);
	ch_profile_free(p);
}

static void deep_stacks_work_in_every_output(void **state)
{
	enum { DEEP = 100000 };
	static write_fn *const writers[] = { ch_svg_write, ch_html_write, ch_text_write,
		                             ch_json_write };
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_view v = CH_VIEW(p);
	uint32_t frame, at = 0;

	(void)state;
	frame = ch_profile_frame(p, (struct ch_frame){ .name = ch_profile_strz(p, "again") });
	for (int i = 0; i < DEEP; i++)
		at = ch_profile_push(p, at, frame);
	ch_profile_event(p, "samples", "count");
	ch_profile_add(p, &(struct ch_sample){ .stack = at, .samples = 1, .value = 1 });
	for (size_t i = 0; i < CH_LEN(writers); i++)
		free(written(writers[i], &v));
	ch_profile_free(p);
}

static void weights_at_the_border_work_in_every_output(void **state)
{
	static write_fn *const writers[] = { ch_svg_write, ch_html_write, ch_text_write,
		                             ch_json_write };
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	struct ch_view v = CH_VIEW(p);

	(void)state;
	for (int i = 0; i < 9; i++) {
		static const int64_t weights[] = { INT64_MAX, INT64_MIN, 1 };

		ch_profile_event(p, "samples", "bytes");
		ch_profile_add(p, &(struct ch_sample){
		                      .stack = push_path(p, (const char[]){ (char)('a' + i), 0 }),
		                      .labels = label_set(p, "side", i % 2 ? "before" : "after"),
		                      .samples = weights[i % 3],
		                      .value = weights[(i + 1) % 3] });
	}
	for (size_t i = 0; i < CH_LEN(writers); i++) {
		v.metric = CH_METRIC_SAMPLES;
		free(written(writers[i], &v));
		v.metric = CH_METRIC_VALUE;
		free(written(writers[i], &v));
	}
	ch_profile_free(p);
}

static void empty_profiles_work_in_every_output(void **state)
{
	static write_fn *const writers[] = { ch_svg_write, ch_html_write, ch_text_write,
		                             ch_json_write };
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_view v = CH_VIEW(p);

	(void)state;
	for (size_t i = 0; i < CH_LEN(writers); i++)
		free(written(writers[i], &v));
	ch_profile_free(p);
}

static void formats_are_found_by_extension_or_name(void **state)
{
	static const char *const cases[][2] = {
		{ "a.html", "html" },
		{ "A.SVG", "svg" },
		{ "x/y.folded", "collapsed" },
		{ "a.pb.gz", "pprof" },
		{ "a.jfr", "jfr" },
		{ "a.speedscope.json", "speedscope" },
		{ "a.uber.json", "uber" },
		{ "a.json", "json" },
		{ "a.tree.txt", "tree" },
		{ "a.b.txt", "text" },
		{ "-", "collapsed" },
	};
	const struct ch_output *o = NULL;
	struct ch_error err;

	(void)state;
	for (size_t i = 0; i < CH_LEN(cases); i++) {
		assert_int_equal(ch_output_find(cases[i][0], NULL, &o, &err), 0);
		assert_string_equal(o->name, cases[i][1]);
	}
	assert_int_equal(ch_output_find("a.svg", "top", &o, &err), 0);
	assert_string_equal(o->name, "top");
	assert_true(ch_output_find("a.xyz", NULL, &o, &err) < 0);
	assert_non_null(strstr(err.text, "'a.xyz'"));
	assert_non_null(strstr(err.text, ".speedscope.json"));
	assert_true(ch_output_find(".svg", NULL, &o, &err) < 0);
	assert_true(ch_output_find("-", "picture", &o, &err) < 0);
	assert_string_equal(err.text,
	                    "unknown format 'picture'; known are html, svg, collapsed, "
	                    "pprof, speedscope, jfr, text, top, tree, json, top-json, uber");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(svg_shows_every_frame_with_its_share),
		cmocka_unit_test(svg_is_well_formed_whatever_the_names),
		cmocka_unit_test(svg_counts_what_is_too_narrow),
		cmocka_unit_test(svg_of_a_difference_shows_both_sides),
		cmocka_unit_test(text_lists_hot_methods_and_the_tree),
		cmocka_unit_test(text_of_a_difference_starts_with_the_largest_change),
		cmocka_unit_test(text_sums_up_light_frames),
		cmocka_unit_test(text_shows_as_many_callees_as_asked_for),
		cmocka_unit_test(json_holds_the_whole_tree),
		cmocka_unit_test(json_of_a_difference_has_both_sides),
		cmocka_unit_test(json_lists_hot_methods),
		cmocka_unit_test(the_page_holds_no_markup_of_the_profile),
		cmocka_unit_test(deep_stacks_work_in_every_output),
		cmocka_unit_test(weights_at_the_border_work_in_every_output),
		cmocka_unit_test(empty_profiles_work_in_every_output),
		cmocka_unit_test(formats_are_found_by_extension_or_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
