#include "unit.h"
#include "sys/map.h"
#include "sys/out.h"
#include "sys/par.h"
#include "sys/scrap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

/* --- a folder of our own ----------------------------------------------------------------------- */

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/charcloth-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int files_in_folder(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static int remove_folder(void **state)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	(void)state;
	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	return rmdir(folder);
}

/* --- parallel work ----------------------------------------------------------------------------- */

struct sums {
	_Atomic uint64_t total;
	_Atomic unsigned nested_threads;
	unsigned hits[1000];
};

static void nested(void *ctx, unsigned i)
{
	(void)i;
	atomic_fetch_add(&((struct sums *)ctx)->total, 1);
}

static void add_up(void *ctx, unsigned i)
{
	struct sums *s = ctx;

	s->hits[i]++; /* each job has its own place: TSan would tell if two threads met here */
	atomic_fetch_add(&s->total, i);
	if (ch_par_cores() > 1)
		atomic_fetch_add(&s->nested_threads, 1);
	ch_par_run(3, nested, s);
}

static void every_job_runs_once_and_starts_no_threads(void **state)
{
	struct sums s = { 0 };

	(void)state;
	ch_par_run(1000, add_up, &s);
	assert_int_equal(s.total, 999 * 1000 / 2 + 3000);
	assert_int_equal(s.nested_threads, 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(s.hits[i], 1);
	ch_par_run(0, add_up, &s);
	assert_int_equal(s.total, 999 * 1000 / 2 + 3000);
}

static void one_core_is_enough(void **state)
{
	struct sums s = { 0 };

	(void)state;
	ch_par_limit(1);
	assert_int_equal(ch_par_cores(), 1);
	ch_par_run(10, add_up, &s);
	ch_par_limit(0);
	assert_int_equal(s.total, 45 + 30);
}

/* --- output ------------------------------------------------------------------------------------ */

static void output_appears_only_when_committed(void **state)
{
	struct ch_error err;
	struct ch_out *out;
	struct stat st;

	(void)state;
	assert_int_equal(ch_out_open(in_folder("x"), &out, &err), 0);
	for (int i = 0; i < 100000; i++)
		ch_out_i64(out, i);
	assert_int_equal(stat(in_folder("x"), &st), -1);
	assert_int_equal(ch_out_commit(out, &err), 0);
	assert_int_equal(stat(in_folder("x"), &st), 0);
	assert_int_equal(st.st_size, 488890);
	assert_int_equal(files_in_folder(), 1);
}

static void an_aborted_output_leaves_nothing(void **state)
{
	struct ch_error err;
	struct ch_out *out;

	(void)state;
	assert_int_equal(ch_out_open(in_folder("y"), &out, &err), 0);
	ch_out_puts(out, "half");
	ch_out_abort(out);
	assert_int_equal(ch_out_open(in_folder("z"), &out, &err), 0);
	ch_scrap_remove_all_signal_safe();
	assert_int_equal(files_in_folder(), 0);
	ch_out_abort(out);
}

static void a_device_without_space_is_told(void **state)
{
	struct ch_error err;
	struct ch_out *out;

	(void)state;
	assert_int_equal(ch_out_open("/dev/full", &out, &err), 0);
	ch_out_puts(out, "text");
	assert_int_equal(ch_out_commit(out, &err), -ENOSPC);
	assert_string_equal(err.text, "write '/dev/full': No space left on device");
}

/* --- mapping ----------------------------------------------------------------------------------- */

static void a_file_that_shrinks_reads_as_zeros(void **state)
{
	int fd = open(in_folder("m"), O_RDWR | O_CREAT, 0600);
	struct ch_error err;
	struct ch_map m;

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	assert_int_equal(ch_map_fd(fd, "m", &m, &err), 0);
	assert_int_equal(m.size, 1 << 20);
	assert_int_equal(m.data[0], 'x');
	assert_false(ch_map_broken(&m));
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(((volatile const uint8_t *)m.data)[(1 << 20) - 1], 0);
	assert_true(ch_map_broken(&m));
	ch_map_done(&m);
	close(fd);
}

static void an_empty_file_maps_to_nothing(void **state)
{
	int fd = open(in_folder("e"), O_RDWR | O_CREAT, 0600);
	struct ch_error err;
	struct ch_map m;

	(void)state;
	assert_int_equal(ch_map_fd(fd, "e", &m, &err), 0);
	assert_int_equal(m.size, 0);
	assert_non_null(m.data);
	ch_map_done(&m);
	close(fd);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_runs_once_and_starts_no_threads),
		cmocka_unit_test(one_core_is_enough),
		WITH_FOLDER(output_appears_only_when_committed),
		WITH_FOLDER(an_aborted_output_leaves_nothing),
		cmocka_unit_test(a_device_without_space_is_told),
		WITH_FOLDER(a_file_that_shrinks_reads_as_zeros),
		WITH_FOLDER(an_empty_file_maps_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
