#include "unit.h"
#include "agent/args.h"

#include <stdlib.h>
#include <unistd.h>

static struct ch_args args;
static struct ch_error err;

static void parse(const char *text)
{
	err = (struct ch_error){ 0 };
	if (ch_args_parse(text, &args, &err) < 0)
		fail_msg("'%s': %s", text ? text : "", err.text);
}

static void refuse(const char *text, const char *why)
{
	err = (struct ch_error){ 0 };
	assert_true(ch_args_parse(text, &args, &err) < 0);
	if (!strstr(err.text, why))
		fail_msg("'%s' says '%s', not '%s'", text, err.text, why);
}

static void nothing_means_cpu_every_10_ms(void **state)
{
	(void)state;
	assert_int_equal(ch_args_parse(NULL, &args, &err), 0);
	assert_int_equal(args.command, CH_CMD_NONE);
	parse("start");
	assert_int_equal(args.command, CH_CMD_START);
	assert_true(args.cpu);
	assert_false(args.wall || args.alloc || args.live || args.lock || args.itimer);
	assert_int_equal(args.interval_ns, 10000000);
	assert_int_equal(args.depth, 2048);
	assert_true(args.max_overhead == 2);
}

static void the_options_of_async_profiler_mean_the_same(void **state)
{
	(void)state;
	parse("start,event=wall,interval=10ms,alloc=2m,lock=10ms,chunktime=300s,jfr,file=x.jfr");
	assert_true(args.wall && args.alloc && args.lock);
	assert_false(args.cpu);
	assert_int_equal(args.wall_ns, 10000000);
	assert_int_equal(args.alloc_bytes, 2 << 20);
	assert_int_equal(args.lock_ns, 10000000);
	assert_int_equal(args.chunk_ns, 300000000000);
	assert_string_equal(args.file, "x.jfr");
	parse("start,event=cpu,interval=5000000,wall=50ms,chunksize=10m,jstackdepth=50,loop=1h");
	assert_true(args.cpu && args.wall);
	assert_int_equal(args.interval_ns, 5000000);
	assert_int_equal(args.wall_ns, 50000000);
	assert_int_equal(args.chunk_bytes, 10 << 20);
	assert_int_equal(args.depth, 50);
	assert_int_equal(args.loop_ns, 3600000000000);
}

static void several_events_may_be_asked_for(void **state)
{
	(void)state;
	parse("start,event=cpu,event=alloc,event=page-faults,live,lock");
	assert_true(args.cpu && args.alloc && args.live && args.lock);
	assert_int_equal(args.n_perf, 1);
	assert_string_equal(args.perf[0], "page-faults");
}

static void times_have_units(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} rows[] = { { "7", 7 },
		     { "7ns", 7 },
		     { "7us", 7000 },
		     { "1.5ms", 1500000 },
		     { "2s", 2000000000 },
		     { "1m", 60000000000 },
		     { "2H", 7200000000000 },
		     { "1d", 86400000000000 } };
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < CH_LEN(rows); i++) {
		assert_int_equal(ch_args_time(rows[i].text, 1, &ns, &err), 0);
		assert_int_equal(ns, rows[i].ns);
	}
	assert_int_equal(ch_args_time("3", 1000000000, &ns, &err), 0);
	assert_int_equal(ns, 3000000000);
	assert_true(ch_args_time("-1ms", 1, &ns, &err) < 0);
	assert_true(ch_args_time("ms", 1, &ns, &err) < 0);
	assert_true(ch_args_time("nan", 1, &ns, &err) < 0);
	assert_true(ch_args_time("1e30d", 1, &ns, &err) < 0);
	assert_true(ch_args_time("1e18", 1000000000, &ns, &err) < 0);
}

static void sizes_have_units(void **state)
{
	int64_t n;

	(void)state;
	assert_int_equal(ch_args_size("512k", &n, &err), 0);
	assert_int_equal(n, 512 << 10);
	assert_int_equal(ch_args_size("2MB", &n, &err), 0);
	assert_int_equal(n, 2 << 20);
	assert_int_equal(ch_args_size("3g", &n, &err), 0);
	assert_int_equal(n, 3LL << 30);
	assert_true(ch_args_size("2x", &n, &err) < 0);
	assert_true(ch_args_size("", &n, &err) < 0);
}

static void what_is_wrong_is_told(void **state)
{
	char many[400] = "start";
	char longer[5000];

	(void)state;
	refuse("start,sauce=hot", "there is no option 'sauce'; the options are: event interval");
	refuse("start,interval=5parsecs", "'5parsecs' is no time");
	refuse("start,alloc=lots", "'lots' is no size");
	refuse("start,event=", "event= wants a name");
	refuse("start,file=", "file wants a value");
	refuse("start,live=false", "live takes no value: leave it out to have it off");
	refuse("start,jstackdepth=0", "is no positive number");
	refuse("start,jstackdepth=20x", "jstackdepth=20x is no positive number");
	refuse("start,maxoverhead=lots", "maxoverhead=lots is no percentage above 0");
	refuse("start,maxoverhead=0", "is no percentage above 0");
	refuse("start,maxoverhead=101", "is no percentage above 0");
	refuse("start,maxoverhead=nan", "is no percentage above 0");
	refuse("start,jstackdepth=20000", "jstackdepth goes up to");
	refuse("start,interval=10", "interval is at least 10 us");
	refuse("start,wall=50", "wall is at least 100 us");
	refuse("start,loop=1h,file=x.jfr", "loop needs %n or %t in file=");
	for (int i = 0; i <= CH_ARGS_PERF_MAX; i++)
		strcat(many, ",event=page-faults");
	refuse(many, "perf events at once");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	refuse(longer, "too long");
}

static void the_log_is_known_even_when_the_rest_is_wrong(void **state)
{
	(void)state;
	refuse("start,log=/x/y,sauce=hot", "sauce");
	assert_string_equal(args.log, "/x/y");
}

static void names_of_files_are_filled_in(void **state)
{
	char to[256], want[256];

	(void)state;
	setenv("CH_TEST_ARGS", "driver", 1);
	unsetenv("CH_TEST_ARGS_NONE");
	assert_int_equal(ch_args_file("/x/%p-%n%%-%{CH_TEST_ARGS}%{CH_TEST_ARGS_NONE}.jfr", 3, to,
	                              sizeof(to), &err),
	                 0);
	(void)snprintf(want, sizeof(want), "/x/%d-3%%-driver.jfr", (int)getpid());
	assert_string_equal(to, want);
	assert_int_equal(ch_args_file("%t", 0, to, sizeof(to), &err), 0);
	assert_int_equal(strlen(to), strlen("20240131-235959"));
}

static void names_that_cannot_be_are_refused(void **state)
{
	char to[16];

	(void)state;
	assert_true(ch_args_file("%q", 0, to, sizeof(to), &err) < 0);
	assert_true(ch_args_file("x%", 0, to, sizeof(to), &err) < 0);
	assert_true(ch_args_file("%{", 0, to, sizeof(to), &err) < 0);
	assert_true(ch_args_file("%{OPEN", 0, to, sizeof(to), &err) < 0);
	/* as long as the room is one too many: the end needs its byte */
	assert_true(ch_args_file("0123456789abcdef", 0, to, sizeof(to), &err) < 0);
	assert_int_equal(ch_args_file("0123456789abcde", 0, to, sizeof(to), &err), 0);
	assert_true(ch_args_file("0123456789%p%p%p%p", 0, to, sizeof(to), &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_means_cpu_every_10_ms),
		cmocka_unit_test(the_options_of_async_profiler_mean_the_same),
		cmocka_unit_test(several_events_may_be_asked_for),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(sizes_have_units),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(the_log_is_known_even_when_the_rest_is_wrong),
		cmocka_unit_test(names_of_files_are_filled_in),
		cmocka_unit_test(names_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
