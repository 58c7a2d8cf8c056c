#include "profiles.h"
#include "formats/uber.h"

#include <errno.h>

#define RECORD(stack, rest) "{\"stacktrace\":[" stack "],\"count\":" rest "}"
#define JVM(count)                                                                                 \
	"{\"stacktrace\":[\"a.b.C$D.m\",\"java.lang.Thread.run\"],\"endEpoch\":1550400755483,"     \
	"\"appId\":null,\"host\":\"h\",\"name\":\"8094@h\",\"processUuid\":\"2c2c\","              \
	"\"threadState\":\"WAITING\",\"count\":" count ",\"startEpoch\":1550400754659,"            \
	"\"threadName\":\"Finalizer\",\"role\":\"driver\",\"tag\":\"t\"}\n"

static void records_become_samples(void **state)
{
	struct ch_profile *p = read_text(NULL, JVM("2") JVM("3"));

	(void)state;
	assert_int_equal(p->n_notes, 0);
	assert_int_equal(p->rows.n, 1);
	assert_int_equal(p->events[0].samples, 5);
	assert_string_equal(ch_profile_text(p, p->events[0].type), "Stacktrace");
	assert_string_equal(stack_text(p, p->rows.stack[0]), "java/lang/Thread.run;a/b/C$D.m");
	assert_int_equal(leaf(p, 0)->kind, CH_KIND_JAVA);
	assert_string_equal(label_of(p, 0, "thread"), "Finalizer");
	assert_string_equal(label_of(p, 0, "state"), "WAITING");
	assert_string_equal(label_of(p, 0, "process"), "8094@h");
	assert_string_equal(label_of(p, 0, "role"), "driver");
	assert_string_equal(label_of(p, 0, "tag"), "t");
	assert_string_equal(label_of(p, 0, "app"), "");
	assert_true(p->start_ns == INT64_C(1550400754659000000));
	assert_true(p->end_ns == INT64_C(1550400755483000000));
	ch_profile_free(p);
}

static void an_empty_stack_counts(void **state)
{
	struct ch_profile *p = read_text("uber", "{\"stacktrace\":[],\"count\":4}\n");

	(void)state;
	assert_int_equal(p->rows.stack[0], 0);
	assert_int_equal(p->events[0].samples, 4);
	ch_profile_free(p);
}

static void records_are_found_in_console_output(void **state)
{
	struct ch_profile *p = read_text(
	    NULL,
	    "19/02/17 10:00 INFO Starting {task}\n"
	    "{\"level\":\"INFO\",\"stacktrace\":\"text\"}\n"
	    "ConsoleOutputReporter - ProcessInfo: {\"name\":\"1@h\",\"processUuid\":\"u\"}\r\n"
	    "out ConsoleOutputReporter - Stacktrace: " JVM(
	        "1") "ConsoleOutputReporter - Stacktrace: {\"stacktrace\":[],\"count\":2} "
	             "ConsoleOutputReporter - Stacktrace: {\"stacktrace\":[],\"count\":4} tail\n"
	             "{ not json\n");

	(void)state;
	assert_int_equal(p->n_notes, 0);
	assert_int_equal(p->events[0].samples, 7);
	ch_profile_free(p);
}

static void pyspark_records_keep_their_lines(void **state)
{
	struct ch_profile *p = read_text(
	    NULL,
	    RECORD("\"/a/b.py:f:20\",\"/a/b.py:main:3\"", "1008,\"i_d\":\"1_id\"") "\n" RECORD(
	        "\"/a/b.py:f:19\",\"/a/b.py:main:3\"", "448,\"i_d\":\"1_id\"") "\n");

	(void)state;
	assert_int_equal(p->rows.n, 2);
	assert_string_equal(ch_profile_text(p, p->events[0].type), "pyspark-stack");
	assert_string_equal(stack_text(p, p->rows.stack[0]), "/a/b.py:main:3;/a/b.py:f:20");
	assert_int_equal(leaf(p, 0)->kind, CH_KIND_PYTHON);
	assert_string_equal(label_of(p, 0, "rdd"), "1");
	ch_profile_free(p);
}

static void unescaped_names_are_saved(void **state)
{
	struct ch_profile *p = read_text(
	    NULL, RECORD("\"C:\\temp\\new.py:f:1\",\"x\"", "3,\"i_d\":\"1_id\"") "\n" RECORD(
	              "\"C:\\users\\a.py:<lambda \"q\">:1\",\"x\"", "5,\"i_d\":\"1_id\"") "\n");

	(void)state;
	assert_false(p->damaged);
	assert_int_equal(p->n_notes, 1);
	assert_non_null(strstr(p->notes[0], "repaired 2 records"));
	assert_int_equal(p->events[0].samples, 8);
	assert_string_equal(stack_text(p, p->rows.stack[0]), "x;C:\\temp\\new.py:f:1");
	assert_string_equal(stack_text(p, p->rows.stack[1]), "x;C:\\users\\a.py:<lambda \"q\">:1");
	ch_profile_free(p);
}

static void one_bad_line_spoils_nothing_else(void **state)
{
	struct ch_error err = { 0 };
	struct ch_profile *p =
	    read_text("uber", JVM("1") "{\"stacktrace\":[\"a\n" JVM(
	                          "1") "{\"stacktrace\":[],\"count\":-1}\n"
	                               "{\"stacktrace\":[]}\n"
	                               "{\"stacktrace\":[],\"count\":1e300}\n" JVM("1"));

	(void)state;
	assert_true(p->damaged);
	assert_int_equal(p->n_notes, 1);
	assert_non_null(strstr(p->notes[0], "left out 4 malformed records, first on line 2: a "
	                                    "string does not end"));
	assert_int_equal(p->events[0].samples, 3);
	ch_profile_free(p);
	assert_null(read_bytes("uber", "{\"stacktrace\":[x", 16, &want_all, &err));
	assert_non_null(strstr(err.text, "line 1: a value is missing"));
	assert_null(read_bytes("uber", "hello\n", 6, &want_all, &err));
	assert_non_null(strstr(err.text, "no records"));
}

static void metrics_become_series(void **state)
{
	struct ch_profile *p = read_text(
	    NULL, "{\"processUuid\":\"u\",\"epochMillis\":1550400755468,\"processCpuLoad\":0.5,"
	          "\"systemCpuLoad\":\"NaN\",\"heapMemoryTotalUsed\":1.2735288E7,\"vmRSS\":42}\n");

	(void)state;
	assert_int_equal(p->n_series, 3);
	assert_string_equal(ch_profile_text(p, p->series[0].name), "CPU of the JVM");
	assert_true(p->series[0].value[0] == 50);
	assert_true(p->series[0].time_ns[0] == INT64_C(1550400755468000000));
	assert_string_equal(ch_profile_text(p, p->series[1].name), "heap used");
	assert_true(p->series[1].value[0] == 12735288);
	ch_profile_free(p);
}

static void check_name(const char *dots, const char *slashes, bool java)
{
	struct ch_buf b = CH_BUF(1000);

	assert_int_equal(ch_uber_to_slash(&b, dots, strlen(dots)), java);
	assert_int_equal(b.len, strlen(slashes));
	assert_memory_equal(b.data, slashes, b.len);
	ch_buf_reset(&b);
	if (java) {
		ch_uber_to_dot(&b, slashes, strlen(slashes));
		assert_memory_equal(b.data, dots, b.len);
	}
	ch_buf_done(&b);
}

static void names_change_style_and_back(void **state)
{
	(void)state;
	check_name("java.lang.Object.wait", "java/lang/Object.wait", true);
	check_name("a.b.C$D.<init>", "a/b/C$D.<init>", true);
	check_name("Main.main", "Main.main", true);
	check_name("a.b.C$$Lambda$7/1023.apply", "a/b/C$$Lambda$7/1023.apply", true);
	check_name("[libc.so.6]", "[libc.so.6]", false);
	check_name("nodots", "nodots", false);
}

static void what_is_written_is_read_back(void **state)
{
	struct ch_profile *p =
	    read_text(NULL, JVM("2") RECORD("\"C:\\temp.py:f:1\",\"g\"",
	                                    "3,\"i_d\":\"7_id\"") "\n" RECORD("", "1.5") "\n");
	struct ch_profile *q;
	struct ch_error e = { 0 };
	struct ch_buf text;

	(void)state;
	WRITTEN(text, ch_uber_write(p, out, &err));
	q = read_bytes(NULL, text.data, text.len, &want_all, &e);
	assert_non_null(q);
	assert_int_equal(q->n_notes, 0);
	assert_int_equal(q->rows.n, p->rows.n);
	for (size_t i = 0; i < p->rows.n; i++) {
		char expected[4096];

		(void)snprintf(expected, sizeof(expected), "%s", stack_text(p, p->rows.stack[i]));
		assert_string_equal(stack_text(q, q->rows.stack[i]), expected);
		assert_string_equal(label_of(q, i, "thread"), label_of(p, i, "thread"));
		assert_string_equal(label_of(q, i, "rdd"), label_of(p, i, "rdd"));
		assert_int_equal(q->rows.samples[i], p->rows.samples[i]);
	}
	assert_int_equal(q->events[0].scale, 1000000);
	ch_buf_done(&text);
	ch_profile_free(p);
	ch_profile_free(q);
}

static void files_of_other_tools_add_up(void **state)
{
	(void)state;
	check_file("uber/Stacktrace.json", "Stacktrace", 7, 7);
	check_file("uber/console.log", "Stacktrace", 3, 3);
	check_file("uber/s_1_stack.json", "pyspark-stack", 1456, 1456);
	check_file("uber/s_2_stack.json", "pyspark-stack", 1459, 1459);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_become_samples),
		cmocka_unit_test(an_empty_stack_counts),
		cmocka_unit_test(records_are_found_in_console_output),
		cmocka_unit_test(pyspark_records_keep_their_lines),
		cmocka_unit_test(unescaped_names_are_saved),
		cmocka_unit_test(one_bad_line_spoils_nothing_else),
		cmocka_unit_test(metrics_become_series),
		cmocka_unit_test(names_change_style_and_back),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(files_of_other_tools_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
