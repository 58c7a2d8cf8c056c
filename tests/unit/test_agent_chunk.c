#include "unit.h"
#include "agent/chunk.h"
#include "agent/emit.h"
#include "agent/sampler.h"
#include "recording.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLASS  "a/B"
#define METHOD "run"

static struct ch_error err;
static struct ch_vm vm;
static char path[64];

static int make_file(void **state)
{
	int fd;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/charcloth-unit-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	return close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path) < 0 && errno != ENOENT ? -1 : 0;
}

/* --- records by hand ------------------------------------------------------------------------- */

static void define_method(struct ch_intern *in, uint64_t id, const char *name)
{
	union {
		struct ch_rec_method m;
		char room[256];
	} u = { .m = { .id = id, .copy = { .class_len = 3, .sig_len = 3 } } };

	u.m.copy.name_len = (uint16_t)strlen(name);
	(void)snprintf(u.m.copy.bytes, 100, CLASS "%s()V", name);
	ch_intern_define_method(in, &u.m);
}

static void define_thread(struct ch_intern *in, uint32_t id, const char *name)
{
	union {
		struct ch_rec_thread t;
		char room[256];
	} u = { .t = { .id = id, .tid = 7, .java_id = 9, .len = (uint32_t)strlen(name) } };

	memcpy(u.t.name, name, strlen(name));
	ch_intern_define_thread(in, &u.t);
}

static void put_sample(struct ch_chunk *c, struct ch_intern *in, uint32_t thread, uint64_t method)
{
	union {
		struct ch_rec_sample s;
		char room[256];
	} u = { .s = { .weight = 1, .event = CH_EV_CPU, .name = thread, .n_frames = 1 } };

	u.s.time_ns = ch_now_ns();
	u.s.frames[0] = ch_frame_java(CH_FRAME_COMPILED, method, CH_FRAME_BCI_NONE);
	ch_emit_sample(c, in, &u.s, CH_EV_CPU);
}

static int64_t samples_in_file(void)
{
	return recording_samples(path, NULL);
}

static size_t file_size(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (size_t)st.st_size;
}

/* A recording with one thread and one method. */
static struct ch_intern *begin(struct ch_chunk *c)
{
	struct ch_intern *in;

	assert_int_equal(ch_chunk_open(c, path, &err), 0);
	in = ch_intern_new(c, &vm, NULL, NULL, NULL);
	assert_non_null(in);
	define_thread(in, 1, "main");
	define_method(in, 1, METHOD);
	return in;
}

static void end(struct ch_chunk *c, struct ch_intern *in)
{
	assert_int_equal(ch_chunk_close(c, &err), 0);
	ch_intern_free(in);
}

/* --- what is there at every moment ----------------------------------------------------------- */

static void the_file_is_whole_after_every_flush(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;

	(void)state;
	in = begin(&c);
	assert_int_equal(samples_in_file(), 0);
	for (int64_t i = 1; i <= 5; i++) {
		put_sample(&c, in, 1, 1);
		assert_int_equal(samples_in_file(), i - 1); /* gathered, not written */
		assert_int_equal(ch_chunk_flush(&c, &err), 0);
		assert_int_equal(samples_in_file(), i);
	}
	end(&c, in);
	assert_int_equal(samples_in_file(), 5);
}

static void a_stack_is_written_once(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;
	size_t one, many;

	(void)state;
	in = begin(&c);
	put_sample(&c, in, 1, 1);
	one = c.events.len;
	for (int i = 0; i < 1000; i++)
		put_sample(&c, in, 1, 1);
	many = c.events.len - one;
	assert_int_equal(c.pools[CH_T_STACK].n, 1);
	assert_int_equal(c.pools[CH_T_THREAD].n, 1);
	assert_true(many / 1000 <= 40);
	end(&c, in);
}

static void names_are_told_again_in_the_next_chunk(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;

	(void)state;
	in = begin(&c);
	put_sample(&c, in, 1, 1);
	assert_int_equal(ch_chunk_next(&c, &err), 0);
	ch_intern_forget(in, NULL, 0);
	/* still under way under the ids of the chunk before */
	put_sample(&c, in, 1, 1);
	define_thread(in, 2, "other");
	define_method(in, 2, "walk");
	put_sample(&c, in, 2, 2);
	end(&c, in);
	assert_int_equal(recording_samples(path, "a/B.run"), 2);
	assert_int_equal(recording_samples(path, "a/B.walk"), 1);
}

static void what_was_never_defined_is_said_to_be_unknown(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;

	(void)state;
	in = begin(&c);
	put_sample(&c, in, 1, 77);
	end(&c, in);
	assert_int_equal(recording_samples(path, "[unknown method]"), 1);
}

static void ids_may_come_out_of_order(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;

	(void)state;
	in = begin(&c);
	ch_intern_forget(in, NULL, 0);
	ch_intern_forget(in, NULL, 0);
	define_thread(in, 1000, "main");
	define_method(in, 5000, "late");
	define_method(in, 4990, "early");
	/* the next ring holds what was defined long before all that was in the first */
	define_method(in, 700, "first");
	define_thread(in, 1, "other");
	put_sample(&c, in, 1000, 5000);
	put_sample(&c, in, 1000, 4990);
	put_sample(&c, in, 1, 700);
	assert_int_equal(ch_intern_error(in), 0);
	end(&c, in);
	assert_int_equal(recording_samples(path, "a/B.late"), 1);
	assert_int_equal(recording_samples(path, "a/B.early"), 1);
	assert_int_equal(recording_samples(path, "a/B.first"), 1);
}

/* --- no room --------------------------------------------------------------------------------- */

static void limit_files(size_t bytes)
{
	struct rlimit limit;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_flush_that_fails_leaves_the_file_as_it_was(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;
	size_t before;
	int r;

	(void)state;
	in = begin(&c);
	put_sample(&c, in, 1, 1);
	assert_int_equal(ch_chunk_flush(&c, &err), 0);
	before = file_size();
	define_method(in, 2, "walk");
	put_sample(&c, in, 1, 2);
	limit_files(before + 10);
	r = ch_chunk_flush(&c, &err);
	limit_files(0);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(file_size(), before);
	assert_int_equal(samples_in_file(), 1);
	/* with room again, what had gathered is written once */
	assert_int_equal(ch_chunk_flush(&c, &err), 0);
	assert_int_equal(samples_in_file(), 2);
	end(&c, in);
	assert_int_equal(samples_in_file(), 2);
}

static void a_chunk_that_cannot_begin_leaves_those_before(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;
	size_t before;
	int r;

	(void)state;
	in = begin(&c);
	put_sample(&c, in, 1, 1);
	assert_int_equal(ch_chunk_flush(&c, &err), 0);
	before = file_size();
	limit_files(before + 100);
	r = ch_chunk_next(&c, &err);
	limit_files(0);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(file_size(), before);
	/* what comes now has no chunk to be in */
	put_sample(&c, in, 1, 1);
	assert_int_equal(ch_chunk_flush(&c, &err), -EIO);
	assert_int_equal(file_size(), before);
	(void)ch_chunk_close(&c, &err);
	ch_intern_free(in);
	assert_int_equal(file_size(), before);
	assert_int_equal(samples_in_file(), 1);
}

static void a_file_that_cannot_be_begun_is_not_left_behind(void **state)
{
	struct ch_chunk c;
	int r;

	(void)state;
	limit_files(50);
	r = ch_chunk_open(&c, path, &err);
	limit_files(0);
	assert_int_equal(r, -EFBIG);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(ch_chunk_open(&c, "/nowhere/at/all.jfr", &err), -ENOENT);
	assert_string_equal(err.text, "create '/nowhere/at/all.jfr': No such file or directory");
}

static void a_pipe_is_refused_and_stays(void **state)
{
	struct ch_chunk c;

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(ch_chunk_open(&c, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is no regular file"));
	assert_int_equal(access(path, F_OK), 0);
}

static void a_file_that_is_removed_is_noticed(void **state)
{
	struct ch_intern *in;
	struct ch_chunk c;

	(void)state;
	in = begin(&c);
	assert_int_equal(ch_chunk_flush(&c, &err), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ch_chunk_flush(&c, &err), -ENOENT);
	assert_non_null(strstr(err.text, "was removed while it was written"));
	(void)ch_chunk_close(&c, &err);
	ch_intern_free(in);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_file_is_whole_after_every_flush),
		TEST(a_stack_is_written_once),
		TEST(names_are_told_again_in_the_next_chunk),
		TEST(what_was_never_defined_is_said_to_be_unknown),
		TEST(ids_may_come_out_of_order),
		TEST(a_flush_that_fails_leaves_the_file_as_it_was),
		TEST(a_chunk_that_cannot_begin_leaves_those_before),
		TEST(a_file_that_cannot_be_begun_is_not_left_behind),
		TEST(a_pipe_is_refused_and_stays),
		TEST(a_file_that_is_removed_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
