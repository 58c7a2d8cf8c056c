#include "unit.h"
#include "hotspot/jvm.h"
#include "spark/role.h"
#include "sys/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static void ignore(int sig)
{
	(void)sig;
}

static void we_are_told_about_ourselves(void **state)
{
	struct ch_proc p;
	struct ch_error err;

	(void)state;
	signal(SIGUSR2, SIG_DFL);
	signal(SIGUSR1, ignore);
	assert_int_equal(ch_proc_read(getpid(), &p, &err), 0);
	assert_int_equal(p.tgid, getpid());
	assert_int_equal(p.parent, getppid());
	assert_int_equal(p.euid, geteuid());
	assert_int_equal(p.egid, getegid());
	assert_int_equal(p.state, 'R');
	assert_true(p.nspid > 0);
	assert_true(ch_proc_catches(&p, SIGUSR1));
	assert_false(ch_proc_catches(&p, SIGUSR2));
	assert_true(ch_proc_shares_files(getpid()));
}

static void nobody_has_such_a_pid(void **state)
{
	static const pid_t none[] = { 0, -1, INT32_MAX };
	struct ch_proc p;
	struct ch_error err;

	(void)state;
	for (size_t i = 0; i < CH_LEN(none); i++)
		assert_int_equal(ch_proc_read(none[i], &p, &err), -ESRCH);
	assert_string_equal(err.text, "there is no process 2147483647");
}

static int is_libc(void *ctx, const char *path)
{
	(void)ctx;
	return strstr(path, "/libc.so") ? 7 : 0;
}

static void mapped_files_are_walked_until_told_to_stop(void **state)
{
	(void)state;
	assert_int_equal(ch_proc_each_mapped(getpid(), is_libc, NULL), 7);
	assert_int_equal(ch_proc_each_mapped(INT32_MAX, is_libc, NULL), -ESRCH);
}

static void a_thread_is_found_by_its_whole_name(void **state)
{
	char before[16];

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, before), 0);
	assert_int_equal(prctl(PR_SET_NAME, "named for this"), 0);
	assert_true(ch_proc_has_thread(getpid(), "named for this"));
	assert_false(ch_proc_has_thread(getpid(), "named for"));
	assert_false(ch_proc_has_thread(getpid(), "named for this1"));
	assert_false(ch_proc_has_thread(INT32_MAX, "named for this"));
	assert_int_equal(prctl(PR_SET_NAME, before), 0);
}

static void the_environment_is_looked_up_by_whole_names(void **state)
{
	static const char texts[] = "PATHS=no\0PATH=/bin:/usr/bin\0EMPTY=\0LAST=x";
	struct ch_buf b = CH_BUF(1024);

	(void)state;
	ch_buf_put(&b, texts, sizeof(texts));
	assert_string_equal(ch_proc_getenv(&b, "PATH"), "/bin:/usr/bin");
	assert_string_equal(ch_proc_getenv(&b, "EMPTY"), "");
	assert_string_equal(ch_proc_getenv(&b, "LAST"), "x");
	assert_null(ch_proc_getenv(&b, "PAT"));
	ch_buf_done(&b);
}

static void links_of_a_process_stay_in_its_root(void **state)
{
	char folder[] = "/tmp/charcloth-test-XXXXXX", link[64], up[64];
	struct stat a, b;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink("/../../../../tmp", link), 0);
	fd = ch_proc_open_file(getpid(), link, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(stat("/tmp", &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	close(fd);
	(void)snprintf(up, sizeof(up), "%s/none", folder);
	assert_int_equal(ch_proc_open_file(getpid(), up, O_RDONLY), -ENOENT);
	unlink(link);
	rmdir(folder);
}

static void the_main_class_stands_behind_the_options(void **state)
{
	static const struct {
		const char *args;
		size_t n;
		const char *main;
	} lines[] = {
#define LINE(args, main) { args, sizeof(args), main }
		LINE("java\0Main\0-x", "Main"),
		LINE("java\0-Xmx1g\0-cp\0a:b\0Main", "Main"),
		LINE("/opt/jdk/bin/java\0-jar\0app.jar\0--add-opens", "app.jar"),
		LINE("java\0--add-opens\0java.base/java.lang=ALL-UNNAMED\0-m\0mod/Main",
		     "mod/Main"),
		LINE("java\0@options\0-ea\0Main", "Main"),
		LINE("java\0-version", ""),
#undef LINE
	};

	(void)state;
	for (size_t i = 0; i < CH_LEN(lines); i++) {
		struct ch_buf b = CH_BUF(1024);
		const char *main;

		ch_buf_put(&b, lines[i].args, lines[i].n);
		main = ch_jvm_main(&b);
		if (lines[i].main[0])
			assert_string_equal(main, lines[i].main);
		else
			assert_ptr_equal(main, b.data + b.len);
		ch_buf_done(&b);
	}
}

#define TEXTS(t) ((struct ch_texts){ (t), (t) + sizeof(t) })

static void an_executor_says_which_it_is(void **state)
{
	static const char args[] = "org.apache.spark.executor.CoarseGrainedExecutorBackend\0"
	                           "--driver-url\0spark://x\0--executor-id\0"
	                           "3\0--app-id\0"
	                           "app-2024-0001";
	static const char yarn[] = "org.apache.spark.executor.YarnCoarseGrainedExecutorBackend\0"
	                           "--executor-id\0"
	                           "12";
	static const char container[] = "CONTAINER_ID=container_e17_1700000000000_0042_01_000002";
	struct ch_spark_role r;

	(void)state;
	ch_spark_role(TEXTS(args), TEXTS(""), &r);
	assert_string_equal(r.role, "executor");
	assert_true(ch_span_is(r.executor, "3"));
	assert_true(ch_span_is(r.app, "app-2024-0001"));
	ch_spark_role(TEXTS(yarn), TEXTS(container), &r);
	assert_true(ch_span_is(r.executor, "12"));
	assert_true(ch_span_is(r.app, "application_1700000000000_0042"));
}

static void a_driver_says_what_it_runs(void **state)
{
	static const char class[] =
	    "org.apache.spark.deploy.SparkSubmit\0--master\0local\0--class\0"
	    "com.example.Job\0job.jar";
	static const char script[] = "org.apache.spark.deploy.SparkSubmit\0--verbose\0--conf\0a=b\0"
	                             "job.py\0--class\0no";
	static const char worker[] = "python3\0-m\0pyspark.daemon\0pyspark.worker";
	static const char other[] = "com.example.Main\0--app-id\0x";
	struct ch_spark_role r;

	(void)state;
	ch_spark_role(TEXTS(class), TEXTS(""), &r);
	assert_string_equal(r.role, "driver");
	assert_true(ch_span_is(r.what, "com.example.Job"));
	ch_spark_role(TEXTS(script), TEXTS(""), &r);
	assert_true(ch_span_is(r.what, "job.py"));
	ch_spark_role(TEXTS(worker), TEXTS("SPARK_EXECUTOR_ID=4"), &r);
	assert_string_equal(r.role, "python worker");
	assert_true(ch_span_is(r.executor, "4"));
	ch_spark_role(TEXTS(other), TEXTS(""), &r);
	assert_null(r.role);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(we_are_told_about_ourselves),
		cmocka_unit_test(nobody_has_such_a_pid),
		cmocka_unit_test(mapped_files_are_walked_until_told_to_stop),
		cmocka_unit_test(a_thread_is_found_by_its_whole_name),
		cmocka_unit_test(the_environment_is_looked_up_by_whole_names),
		cmocka_unit_test(links_of_a_process_stay_in_its_root),
		cmocka_unit_test(the_main_class_stands_behind_the_options),
		cmocka_unit_test(an_executor_says_which_it_is),
		cmocka_unit_test(a_driver_says_what_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
