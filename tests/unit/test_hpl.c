#include "reading.h"
#include "base/buf.h"

/* A log in the making. */
static struct ch_buf log_;

static void put_be(uint64_t v, unsigned bytes)
{
	while (bytes--)
		ch_buf_putc(&log_, (char)(v >> (bytes * 8)));
}

static void put_string(const char *s)
{
	put_be(strlen(s), 4);
	ch_buf_puts(&log_, s);
}

static void put_trace(int frames, uint64_t thread, int64_t seconds)
{
	put_be(seconds ? 11 : 1, 1);
	put_be((uint64_t)(int64_t)frames, 4);
	put_be(thread, 8);
	if (seconds) {
		put_be((uint64_t)seconds, 8);
		put_be(5, 8);
	}
}

static void put_frame(uint64_t method, unsigned line)
{
	put_be(line ? 21 : 2, 1);
	put_be(1, 4);
	if (line)
		put_be(line, 4);
	put_be(method, 8);
}

static void put_method(uint64_t id, const char *class, const char *name, bool with_signature)
{
	put_be(with_signature ? 31 : 3, 1);
	put_be(id, 8);
	put_string("File.java");
	put_string(class);
	if (with_signature)
		put_string("");
	put_string(name);
	if (with_signature) {
		put_string("()V");
		put_string("");
	}
}

static struct ch_profile *read_log(void)
{
	struct ch_profile *p = read_bytes("hpl", log_.data, log_.len,
	                                  &(struct ch_want){ .all_labels = true, .lines = true });

	return p;
}

static int start(void **state)
{
	(void)state;
	log_ = CH_BUF(1 << 20);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ch_buf_done(&log_);
	return 0;
}

static void methods_may_follow_the_traces_that_use_them(void **state)
{
	struct ch_profile *p;

	(void)state;
	put_trace(2, 5, 0);
	put_frame(1, 0);
	put_method(1, "Ljava/io/PrintStream;", "printf", false);
	put_frame(2, 42);
	put_trace(1, 5, 0);
	put_frame(2, 42);
	put_method(2, "Lcom/acme/Main;", "main", true);
	p = read_log();
	assert_non_null(p);
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(samples_of(p, "com/acme/Main.main;java/io/PrintStream.printf"), 1);
	assert_int_equal(samples_of(p, "com/acme/Main.main"), 1);
	assert_int_equal(p->frames[p->trie.frame[1]].line, 42);
	assert_string_equal(ch_profile_text(p, p->events[0].type), "honest-profiler");
	assert_string_equal(format_of(log_.data, log_.len), "hpl");
	ch_profile_free(p);
}

static void threads_and_times_are_kept(void **state)
{
	struct ch_profile *p;

	(void)state;
	put_be(4, 1);
	put_be(5, 8);
	put_string("worker");
	put_trace(1, 5, 1700000000);
	put_frame(1, 0);
	put_trace(1, 6, 1700000001);
	put_frame(1, 0);
	put_method(1, "LA;", "b", true);
	p = read_bytes("hpl", log_.data, log_.len,
	               &(struct ch_want){ .all_labels = true, .times = true });
	assert_non_null(p);
	assert_string_equal(label_of(p, 0, "thread"), "worker");
	assert_string_equal(label_of(p, 0, "tid"), "5");
	assert_string_equal(label_of(p, 1, "thread"), "6");
	assert_int_equal(p->rows.time_ns[0], 1700000000000000005);
	ch_profile_free(p);
}

static void failed_traces_are_shown_by_their_reason(void **state)
{
	struct ch_profile *p;

	(void)state;
	put_trace(0, 1, 0);
	put_trace(-2, 1, 0);
	put_trace(-99, 1, 0);
	p = read_log();
	assert_non_null(p);
	assert_int_equal(samples_of(p, "[no_Java_frame]"), 1);
	assert_int_equal(samples_of(p, "[GC_active]"), 1);
	assert_int_equal(samples_of(p, "[unknown_error]"), 1);
	ch_profile_free(p);
}

static void a_cut_log_gives_what_is_complete(void **state)
{
	struct ch_profile *p;

	(void)state;
	put_method(1, "LA;", "b", false);
	put_trace(1, 1, 0);
	put_frame(1, 0);
	put_trace(2, 1, 0);
	put_frame(1, 0);
	put_frame(1, 0);
	log_.len -= 3;
	p = read_log();
	assert_non_null(p);
	assert_true(p->damaged);
	assert_int_equal(p->events[0].samples, 1);
	assert_string_equal(p->notes[0],
	                    "'input': no record starts at byte 86, the rest was not read");
	ch_profile_free(p);
}

static void a_preallocated_tail_is_no_damage(void **state)
{
	struct ch_profile *p;

	(void)state;
	put_method(1, "LA;", "b", false);
	put_trace(1, 1, 0);
	put_frame(1, 0);
	put_be(0, 8);
	p = read_log();
	assert_non_null(p);
	assert_false(p->damaged);
	ch_profile_free(p);
}

static void hostile_lengths_are_refused(void **state)
{
	(void)state;
	put_be(3, 1);
	put_be(1, 8);
	put_be(UINT32_MAX, 4);
	assert_null(read_log());
	log_.len = 0;
	put_trace(INT32_MAX, 1, 0);
	put_frame(1, 0);
	assert_null(read_log());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(methods_may_follow_the_traces_that_use_them, start,
		                                end),
		cmocka_unit_test_setup_teardown(threads_and_times_are_kept, start, end),
		cmocka_unit_test_setup_teardown(failed_traces_are_shown_by_their_reason, start,
		                                end),
		cmocka_unit_test_setup_teardown(a_cut_log_gives_what_is_complete, start, end),
		cmocka_unit_test_setup_teardown(a_preallocated_tail_is_no_damage, start, end),
		cmocka_unit_test_setup_teardown(hostile_lengths_are_refused, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
