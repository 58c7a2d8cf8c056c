#include "reading.h"
#include "formats/names.h"
#include "formats/writers.h"
#include "sys/par.h"

static void equal_stacks_add_up(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a;b;c 3\na;b 4\nx 1\na;b;c 2\n");

	(void)state;
	assert_int_equal(p->rows.n, 3);
	assert_int_equal(samples_of(p, "a;b;c"), 5);
	assert_int_equal(samples_of(p, "a;b"), 4);
	assert_int_equal(samples_of(p, "x"), 1);
	assert_string_equal(ch_profile_text(p, p->events[0].type), "samples");
	ch_profile_free(p);
}

static void a_stack_is_not_mistaken_for_one_with_the_same_beginning(void **state)
{
	struct ch_profile *p =
	    read_text("collapsed", "a;bc;d 1\na;b 1\na;bc 1\na;b;d 1\na;bcd 1\n");

	(void)state;
	assert_int_equal(p->rows.n, 5);
	assert_int_equal(samples_of(p, "a;b"), 1);
	assert_int_equal(samples_of(p, "a;b;d"), 1);
	assert_int_equal(samples_of(p, "a;bc"), 1);
	assert_int_equal(samples_of(p, "a;bcd"), 1);
	ch_profile_free(p);
}

static void blanks_and_numbers_belong_to_frames(void **state)
{
	struct ch_profile *p =
	    read_text("collapsed", "main loop;foo 12 34\nbar  7\n12 5\na;b c 1\n");

	(void)state;
	assert_int_equal(samples_of(p, "main loop;foo 12"), 34);
	assert_int_equal(samples_of(p, "bar "), 7);
	assert_int_equal(samples_of(p, "12"), 5);
	ch_profile_free(p);
}

static void fractions_are_exact(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a 1\nb 0.1\na 2.5\nc .000001\nb 0.2\n");

	(void)state;
	assert_int_equal(p->events[0].scale, 1000000);
	assert_int_equal(samples_of(p, "a"), 3500000);
	assert_int_equal(samples_of(p, "b"), 300000);
	assert_int_equal(samples_of(p, "c"), 1);
	ch_profile_free(p);
}

static void whole_numbers_with_a_point_need_no_scale(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a 1.0\nb 7.000\n");

	(void)state;
	assert_int_equal(p->events[0].scale, 1);
	assert_int_equal(samples_of(p, "b"), 7);
	ch_profile_free(p);
}

static void two_numbers_on_every_line_are_a_diff(void **state)
{
	struct ch_profile *p = read_text("collapsed", "# before after\na;b 3 4\na 0 1\n");

	(void)state;
	assert_int_equal(p->rows.n, 4);
	assert_string_equal(label_of(p, 0, "side"), "before");
	assert_int_equal(p->rows.samples[0], 3);
	assert_string_equal(label_of(p, 1, "side"), "after");
	assert_int_equal(p->rows.samples[1], 4);
	ch_profile_free(p);
}

static void comments_blank_lines_and_crlf_are_no_damage(void **state)
{
	struct ch_profile *p = read_text("collapsed", "\xef\xbb\xbf# by hand\r\n\r\na;b 1\r\n#\r\n"
	                                              "#<Class:Foo>;x 2");

	(void)state;
	assert_false(p->damaged);
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(samples_of(p, "#<Class:Foo>;x"), 2);
	ch_profile_free(p);
}

static void lines_without_a_count_are_told_with_the_first_line(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a 1\nnonsense\nb -3\nc 1e3\nd 2\n");

	(void)state;
	assert_true(p->damaged);
	assert_string_equal(p->notes[0],
	                    "'input': 3 of 5 lines end in no count, the first is line 2");
	assert_int_equal(p->events[0].samples, 3);
	ch_profile_free(p);
}

static void a_file_without_stacks_is_refused(void **state)
{
	(void)state;
	assert_null(read_bytes("collapsed", "what\n", 5, &(struct ch_want){ 0 }));
	assert_string_equal(reading_err.text, "'input': no line is a stack and a count");
}

static void annotations_become_kinds(void **state)
{
	struct ch_profile *p =
	    read_text("collapsed", "a_[j];b_[i];c_[k];d_[0];e_[1];f_[x];_[j] 1\n");

	(void)state;
	assert_int_equal(samples_of(p, "a;b;c;d;e;f_[x];_[j]"), 1);
	assert_int_equal(kind_of(p, "a"), CH_KIND_JAVA);
	assert_int_equal(kind_of(p, "b"), CH_KIND_INLINED);
	assert_int_equal(kind_of(p, "c"), CH_KIND_KERNEL);
	assert_int_equal(kind_of(p, "d"), CH_KIND_INTERPRETED);
	assert_int_equal(kind_of(p, "e"), CH_KIND_C1);
	assert_int_equal(kind_of(p, "f_[x]"), CH_KIND_OTHER);
	ch_profile_free(p);
}

static void kinds_are_guessed_with_care(void **state)
{
	static const struct {
		const char *name;
		enum ch_kind kind;
	} cases[] = {
		{ "java/lang/Thread.run", CH_KIND_JAVA },
		{ "java.lang.Thread.run", CH_KIND_JAVA },
		{ "org/apache/spark/rdd/RDD.<init>", CH_KIND_JAVA },
		{ "org/apache/spark/sql/package$.foo", CH_KIND_JAVA },
		{ "a/b/C$$Lambda$12/0x0000000800c.run", CH_KIND_JAVA },
		{ "a.b.C$$Lambda$12/0x0000000800c.run", CH_KIND_JAVA },
		{ "net/http.(*conn).serve", CH_KIND_OTHER },
		{ "net/http.serve", CH_KIND_OTHER },
		{ "github.com/acme/Thing.Do", CH_KIND_OTHER },
		{ "/usr/lib/Libc.so", CH_KIND_NATIVE },
		{ "Main.main", CH_KIND_OTHER },
		{ "main", CH_KIND_OTHER },
		{ "", CH_KIND_OTHER },
		{ "....", CH_KIND_OTHER },
		{ "std::vector<int>::push_back", CH_KIND_NATIVE },
		{ "[libc.so.6]", CH_KIND_NATIVE },
		{ "run (job.py:12)", CH_KIND_PYTHON },
		{ "job.py:run:12", CH_KIND_PYTHON },
		{ "<frozen importlib._bootstrap>:241", CH_KIND_PYTHON },
		{ "foo.pyx_helper", CH_KIND_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < CH_LEN(cases); i++) {
		struct ch_span name = { cases[i].name, strlen(cases[i].name) };

		if (ch_name_kind(name) != cases[i].kind)
			fail_msg("%s is taken for kind %d", cases[i].name, (int)ch_name_kind(name));
	}
}

static void only_our_own_escapes_are_undone(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a\\x3bb;C:\\x86\\new;App\\Http\\x 1\n"
	                                              "\\x23 head;\\x5cx3b;nl\\x0a;sp\\x2012 34\n");

	(void)state;
	assert_int_equal(samples_of(p, "a;b;C:\\x86\\new;App\\Http\\x"), 1);
	assert_int_equal(samples_of(p, "# head;\\x3b;nl\n;sp 12"), 34);
	ch_profile_free(p);
}

static void empty_frames_are_frames(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a;;b 1\n;a 2\na; 3\n 4\n");

	(void)state;
	assert_int_equal(p->rows.n, 4);
	assert_int_equal(samples_of(p, "a;;b"), 1);
	assert_int_equal(p->rows.stack[3], 0);
	assert_int_equal(p->rows.samples[3], 4);
	ch_profile_free(p);
}

static void huge_counts_are_capped_and_told(void **state)
{
	struct ch_profile *p =
	    read_text("collapsed", "a 99999999999999999999999\nb 1152921504606846976\n"
	                           "c 0.5\n");

	(void)state;
	assert_true(p->damaged);
	assert_int_equal(samples_of(p, "a"), INT64_MAX);
	assert_int_equal(samples_of(p, "b"), INT64_MAX);
	assert_int_equal(samples_of(p, "c"), 500000);
	ch_profile_free(p);
}

static void nuls_and_broken_utf8_do_no_harm(void **state)
{
	static const char text[] = "a\0b;\xff\xfe;c 5\n\0\0 1\n";
	struct ch_profile *p =
	    read_bytes("collapsed", text, sizeof(text) - 1, &(struct ch_want){ 0 });

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->events[0].samples, 6);
	ch_profile_free(p);
}

static void very_deep_stacks_are_read(void **state)
{
	size_t depth = 100000, n = 0;
	char *text = malloc(depth * 2 + 16);
	struct ch_profile *p;

	(void)state;
	for (size_t i = 0; i < depth; i++) {
		text[n++] = "abc"[i % 3];
		text[n++] = ';';
	}
	memcpy(text + n - 1, " 9\n", 4);
	p = read_bytes("collapsed", text, n + 2, &(struct ch_want){ 0 });
	assert_non_null(p);
	assert_int_equal(p->trie.n, depth + 1);
	assert_int_equal(p->rows.samples[0], 9);
	ch_profile_free(p);
	free(text);
}

static void very_long_names_are_cut(void **state)
{
	size_t n = (size_t)8 << 20;
	char *text = malloc(n + 4);
	struct ch_profile *p;

	(void)state;
	memset(text, 'x', n);
	memcpy(text + n, " 1\n", 4);
	p = read_bytes("collapsed", text, n + 3, &(struct ch_want){ 0 });
	assert_non_null(p);
	assert_true(p->damaged);
	assert_int_equal(p->strings.len[p->frames[1].name], CH_NAME_MAX);
	ch_profile_free(p);
	free(text);
}

/* What the writer makes of a profile; to be freed. */
static char *written(const struct ch_profile *p)
{
	char path[] = "/tmp/charcloth-collapsed-XXXXXX", *text = calloc(1, 1 << 16);
	int fd = mkstemp(path);
	struct ch_out *out;
	struct ch_error err;
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(ch_out_open(path, &out, &err), 0);
	assert_int_equal(ch_collapsed_write(p, CH_METRIC_SAMPLES, out, &err), 0);
	assert_int_equal(ch_out_commit(out, &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	unlink(path);
	return text;
}

static void check_rewritten(const char *from, const char *to)
{
	struct ch_profile *p = read_text("collapsed", from);
	char *text = written(p);

	assert_string_equal(text, to);
	free(text);
	ch_profile_free(p);
}

static void stacks_are_written_sorted_and_summed(void **state)
{
	(void)state;
	check_rewritten("b;x 1\na;y 2\na 3\nb;x 4\na;b 0\n", "a 3\na;y 2\nb;x 5\n");
}

static void fractions_are_written_without_trailing_zeros(void **state)
{
	(void)state;
	check_rewritten("a 1.50\nb 2\nc 0.000001\nd 0.1\n", "a 1.5\nb 2\nc 0.000001\nd 0.1\n");
}

static void a_diff_is_written_with_both_numbers(void **state)
{
	(void)state;
	check_rewritten("a;b 3 4\nc 0 5\nd 6 0\n", "a;b 3 4\nc 0 5\nd 6 0\n");
}

static void every_name_survives_writing_and_reading(void **state)
{
	static const char *const names[] = {
		"plain",    "semi;colon", "new\nline", "\\",       "\\x3b",    "\\x5c",
		"\\x5cx3b", "C:\\x86\\a", "#hash",     " lead",    "trail ",   "a 12",
		"12",       "a 1.5",      "\x7f",      "\t",       "\xc3\xa9", "\\x",
		"\\x3",     "x3b",        "a\\",       "App\\Foo", "\\x3B",    "a 12 ",
	};
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 }), *again;
	uint16_t event = ch_profile_event(p, "samples", "count");
	char *text;

	(void)state;
	for (size_t i = 0; i < CH_LEN(names); i++) {
		struct ch_frame f = { .name = ch_profile_strz(p, names[i]) };
		uint32_t node = ch_profile_push(p, 0, ch_profile_frame(p, f));

		/* As root, as leaf, and below the next one. */
		for (size_t k = 0; k < 2; k++) {
			int64_t n = (int64_t)(i * 2 + k + 1);

			ch_profile_add(p, &(struct ch_sample){ event, node, 0, n, n, CH_NO_TIME });
			f.name = ch_profile_strz(p, names[(i + 1) % CH_LEN(names)]);
			node = ch_profile_push(p, node, ch_profile_frame(p, f));
		}
	}
	text = written(p);
	again = read_text("collapsed", text);
	assert_false(again->damaged);
	assert_int_equal(again->rows.n, p->rows.n);
	for (size_t i = 0; i < p->rows.n; i++) {
		char stack[256] = "";

		put_stack(p, p->rows.stack[i], stack, sizeof(stack));
		assert_int_equal(samples_of(again, stack), p->rows.samples[i]);
	}
	ch_profile_free(p);
	ch_profile_free(again);
	free(text);
}

static void a_lone_name_with_a_number_is_not_read_back_as_a_diff(void **state)
{
	struct ch_profile *p = read_text("collapsed", "a\\x2012 34\n"), *again;
	char *text = written(p);

	(void)state;
	again = read_text("collapsed", text);
	assert_int_equal(samples_of(again, "a 12"), 34);
	ch_profile_free(p);
	ch_profile_free(again);
	free(text);
}

/* Enough text for several pieces, with one bad line in the last. */
static struct ch_profile *read_large(unsigned cores)
{
	size_t lines = 400000, n = 0;
	char *text = malloc(lines * 48);
	struct ch_profile *p;

	for (size_t i = 0; i < lines; i++)
		n += (size_t)sprintf(text + n,
		                     i == lines - 2 ? "bad\n" : "main;work%zu;step%zu;leaf 2\n",
		                     i % 97, i % 1013);
	ch_par_limit(cores);
	p = read_bytes("collapsed", text, n, &(struct ch_want){ 0 });
	ch_par_limit(0);
	free(text);
	assert_non_null(p);
	return p;
}

static void two_cores_read_what_one_reads(void **state)
{
	struct ch_profile *one = read_large(1), *two = read_large(2);

	(void)state;
	assert_int_equal(one->events[0].samples, 2 * 399999);
	assert_int_equal(two->events[0].samples, one->events[0].samples);
	assert_int_equal(two->rows.n, one->rows.n);
	assert_int_equal(two->trie.n, one->trie.n);
	assert_string_equal(two->notes[0], one->notes[0]);
	assert_non_null(strstr(two->notes[0], "line 399999"));
	ch_profile_free(one);
	ch_profile_free(two);
}

static void it_is_known_by_its_content(void **state)
{
	static const char folded[] = "a;b;c 1\na;b 2\n", prose[] = "Call me at 5\nthen rest\n";

	(void)state;
	assert_string_equal(format_of(folded, strlen(folded)), "collapsed");
	assert_string_equal(format_of(prose, strlen(prose)), "none");
	assert_string_equal(format_of("", 0), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_add_up),
		cmocka_unit_test(a_stack_is_not_mistaken_for_one_with_the_same_beginning),
		cmocka_unit_test(blanks_and_numbers_belong_to_frames),
		cmocka_unit_test(fractions_are_exact),
		cmocka_unit_test(whole_numbers_with_a_point_need_no_scale),
		cmocka_unit_test(two_numbers_on_every_line_are_a_diff),
		cmocka_unit_test(comments_blank_lines_and_crlf_are_no_damage),
		cmocka_unit_test(lines_without_a_count_are_told_with_the_first_line),
		cmocka_unit_test(a_file_without_stacks_is_refused),
		cmocka_unit_test(annotations_become_kinds),
		cmocka_unit_test(kinds_are_guessed_with_care),
		cmocka_unit_test(only_our_own_escapes_are_undone),
		cmocka_unit_test(empty_frames_are_frames),
		cmocka_unit_test(huge_counts_are_capped_and_told),
		cmocka_unit_test(nuls_and_broken_utf8_do_no_harm),
		cmocka_unit_test(very_deep_stacks_are_read),
		cmocka_unit_test(very_long_names_are_cut),
		cmocka_unit_test(stacks_are_written_sorted_and_summed),
		cmocka_unit_test(fractions_are_written_without_trailing_zeros),
		cmocka_unit_test(a_diff_is_written_with_both_numbers),
		cmocka_unit_test(every_name_survives_writing_and_reading),
		cmocka_unit_test(a_lone_name_with_a_number_is_not_read_back_as_a_diff),
		cmocka_unit_test(two_cores_read_what_one_reads),
		cmocka_unit_test(it_is_known_by_its_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
