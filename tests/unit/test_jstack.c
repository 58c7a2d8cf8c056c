#include "reading.h"

static const char dump[] =
    "2024-01-01 12:00:00\n"
    "Full thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n"
    "\n"
    "\"main\" #1 prio=5 os_prio=0 cpu=64ms elapsed=4s tid=0x00007f11 nid=0x2a03 waiting on "
    "condition  [0x00007f12]\n"
    "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
    "\tat java.lang.Thread.sleep(java.base@17.0.9/Native Method)\n"
    "\t- locked <0x00000000e0> (a java.lang.Object)\n"
    "\tat com.acme.Main.main(Main.java:12)\n"
    "\n"
    "\"GC \"odd\" Thread\" os_prio=0 cpu=0.05ms tid=0x00007f13 nid=0x9f5 runnable\n"
    "\n"
    "\"work\" #9 daemon prio=5 tid=0x00007f14 nid=77 runnable [0x00007f15]\n"
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat com.acme.Job$$Lambda$14/0x0000000800c03000.run(Unknown Source)\n"
    "\tat java.base@17.0.1/java.lang.Thread.run(Thread.java:840)\n"
    "\n"
    "JNI global refs: 15, weak refs: 0\n"
    "\n"
    "Found one Java-level deadlock:\n"
    "\"work\":\n"
    "  waiting to lock monitor 0x00007f (object 0x01, a java.lang.Object)\n"
    "\"work\":\n"
    "\tat com.acme.Job.run(Job.java:3)\n"
    "\n";

static void every_thread_with_frames_counts_once(void **state)
{
	struct ch_profile *p = read_text("jstack", dump);
	size_t row;

	(void)state;
	assert_int_equal(p->rows.n, 2);
	assert_string_equal(ch_profile_text(p, p->events[0].type), "threads");
	row = row_of(p, "com/acme/Main.main;java/lang/Thread.sleep");
	assert_string_equal(label_of(p, row, "thread"), "main");
	assert_string_equal(label_of(p, row, "state"), "TIMED_WAITING");
	assert_string_equal(label_of(p, row, "tid"), "10755");
	row = row_of(p, "java/lang/Thread.run;com/acme/Job$$Lambda$14/0x0000000800c03000.run");
	assert_string_equal(label_of(p, row, "state"), "RUNNABLE");
	assert_string_equal(label_of(p, row, "tid"), "77");
	assert_int_equal(kind_of(p, "java/lang/Thread.run"), CH_KIND_JAVA);
	ch_profile_free(p);
}

static void times_and_lines_are_kept_when_wanted(void **state)
{
	struct ch_profile *p = read_bytes("jstack", dump, strlen(dump),
	                                  &(struct ch_want){ .times = true, .lines = true });
	const struct ch_frame *f;

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->rows.time_ns[0], 1704110400000000000);
	f = &p->frames[p->trie.frame[1]];
	assert_string_equal(ch_profile_text(p, f->file), "Main.java");
	assert_int_equal(f->line, 12);
	ch_profile_free(p);
}

static void many_dumps_in_a_log_add_up(void **state)
{
	char *text;
	struct ch_profile *p;

	(void)state;
	assert_true(
	    asprintf(&text,
	             "INFO start\njava.lang.Error: no thread\n\tat com.acme.Log.log(Log.java:1)\n"
	             "%sINFO between\n%s\tat com.acme.Log.log(Log.java:1)\n",
	             dump, dump) > 0);
	p = read_text("jstack", text);
	assert_int_equal(p->events[0].samples, 4);
	assert_int_equal(samples_of(p, "com/acme/Main.main;java/lang/Thread.sleep"), 2);
	ch_profile_free(p);
	free(text);
}

static void thread_infos_are_read(void **state)
{
	struct ch_profile *p =
	    read_text("jstack", "\"main\" prio=5 Id=1 WAITING on java.lang.Object@1b\n"
	                        "\tat java.base@17/java.lang.Object.wait(Native Method)\n"
	                        "\t-  waiting on java.lang.Object@1b\n"
	                        "\tat app//com.acme.Main.main(Main.java:3)\n"
	                        "\t...\n\n");

	(void)state;
	assert_int_equal(samples_of(p, "com/acme/Main.main;java/lang/Object.wait"), 1);
	assert_string_equal(label_of(p, 0, "state"), "WAITING");
	ch_profile_free(p);
}

static void dumps_to_file_are_read(void **state)
{
	struct ch_profile *p =
	    read_text("jstack", "4711\r\n2024-01-01T12:00:00.5Z\r\n21.0.1+12\r\n\r\n"
	                        "#1 \"main\"\r\n"
	                        "      java.base/java.lang.Thread.sleep0(Native Method)\r\n"
	                        "      com.acme.Main.main(Main.java:3)\r\n\r\n"
	                        "#22 \"\" virtual RUNNABLE 2024-01-01T12:00:00Z\r\n"
	                        "    at com.acme.Task.run(Task.java:3)\r\n");

	(void)state;
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(samples_of(p, "com/acme/Main.main;java/lang/Thread.sleep0"), 1);
	assert_int_equal(samples_of(p, "com/acme/Task.run"), 1);
	assert_string_equal(label_of(p, 1, "state"), "RUNNABLE");
	ch_profile_free(p);
}

static void text_without_threads_is_refused(void **state)
{
	(void)state;
	assert_null(read_bytes("jstack", "hello\n", 6, &(struct ch_want){ 0 }));
	assert_string_equal(reading_err.text, "'input': no thread in it has a stack");
}

static void it_is_known_by_its_content(void **state)
{
	static const char info[] = "\"a\" prio=5 Id=1 RUNNABLE\n\tat a.B.c(B.java:1)\n";

	(void)state;
	assert_string_equal(format_of(dump, strlen(dump)), "jstack");
	assert_string_equal(format_of(info, strlen(info)), "jstack");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_thread_with_frames_counts_once),
		cmocka_unit_test(times_and_lines_are_kept_when_wanted),
		cmocka_unit_test(many_dumps_in_a_log_add_up),
		cmocka_unit_test(thread_infos_are_read),
		cmocka_unit_test(dumps_to_file_are_read),
		cmocka_unit_test(text_without_threads_is_refused),
		cmocka_unit_test(it_is_known_by_its_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
