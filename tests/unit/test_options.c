#include "unit.h"
#include "cli/options.h"
#include "cli/recording.h"

#include <errno.h>
#include <stdlib.h>

static int parse(struct cli_args *args, struct ch_error *err, const char *a, const char *b,
                 const char *c)
{
	char *argv[4] = { 0 };
	const char *given[] = { a, b, c };
	int argc = 0;

	for (size_t i = 0; i < CH_LEN(given) && given[i]; i++)
		argv[argc++] = (char *)given[i];
	err->text[0] = 0;
	return cli_parse(argc, argv, CMD_CONVERT, args, err);
}

static void options_are_taken_in_every_spelling(void **state)
{
	static const char *const spellings[][3] = { { "-o", "x.svg", "in" },
		                                    { "-ox.svg", "in" },
		                                    { "--output", "x.svg", "in" },
		                                    { "in", "--output=x.svg" },
		                                    { "-to", "x.svg", "in" } };
	struct cli_args args;
	struct ch_error err;

	(void)state;
	for (size_t i = 0; i < CH_LEN(spellings); i++) {
		const char *const *s = spellings[i];

		assert_int_equal(parse(&args, &err, s[0], s[1], s[2]), 0);
		assert_string_equal(args.output, "x.svg");
		assert_int_equal(args.n_inputs, 1);
		assert_string_equal(args.inputs[0], "in");
		cli_args_done(&args);
	}
}

static void wrong_options_say_what_is_wrong(void **state)
{
	static const struct {
		const char *a, *b, *text;
	} wrong[] = {
		{ "--nonsense", NULL, "there is no option --nonsense here; see --help" },
		{ "--evnet", NULL, "there is no option --evnet here; is --event meant?" },
		{ "-Z", NULL, "there is no option -Z here; see --help" },
		{ "--absolute", NULL, "there is no option --absolute here; see --help" },
		{ "--output", NULL, "--output needs a value: FILE" },
		{ "--lines=3", NULL, "--lines takes no value" },
		{ "--where", "stage", "--where takes LABEL=VALUE, not 'stage'" },
		{ "--cores", "many", "--cores takes a whole number, not 'many'" },
		{ "--cores", "-1", "--cores takes a whole number, not '-1'" },
		{ "--width", "wide", "--width takes a number of pixels, not 'wide'" },
		{ "--by", "", "--by needs at least one label" },
		{ "--from", "noon",
		  "--from takes seconds or milliseconds since the epoch, 2024-05-01T12:00:00Z, "
		  "+10s or -5s; not 'noon'" },
	};
	struct cli_args args;
	struct ch_error err;

	(void)state;
	for (size_t i = 0; i < CH_LEN(wrong); i++) {
		assert_int_equal(parse(&args, &err, wrong[i].a, wrong[i].b, NULL), -EINVAL);
		assert_string_equal(err.text, wrong[i].text);
		cli_args_done(&args);
	}
}

static void lists_and_labels_add_up(void **state)
{
	struct cli_args args;
	struct ch_error err;

	(void)state;
	assert_int_equal(parse(&args, &err, "--by=stage,task", "--where=stage=3", "--where=a=b=c"),
	                 0);
	assert_int_equal(args.by.n, 2);
	assert_string_equal(args.by.item[1], "task");
	assert_int_equal(args.n_where, 2);
	assert_string_equal(args.where[1].key, "a");
	assert_string_equal(args.where[1].value, "b=c");
	cli_args_done(&args);
}

static void everything_behind_two_dashes_is_input(void **state)
{
	struct cli_args args;
	struct ch_error err;

	(void)state;
	assert_int_equal(parse(&args, &err, "-", "--", "-o"), 0);
	assert_int_equal(args.n_inputs, 2);
	assert_string_equal(args.inputs[0], "-");
	assert_string_equal(args.inputs[1], "-o");
	cli_args_done(&args);
}

static void times_are_understood(void **state)
{
	static const struct {
		const char *text;
		struct ch_when when;
	} good[] = {
		{ "+10s", { CH_WHEN_AFTER_START, 10000000000 } },
		{ "-1.5m", { CH_WHEN_BEFORE_END, 90000000000 } },
		{ "+250ms", { CH_WHEN_AFTER_START, 250000000 } },
		{ "+3", { CH_WHEN_AFTER_START, 3000000000 } },
		{ "1700000000", { CH_WHEN_EPOCH, 1700000000000000000 } },
		{ "1700000000.25", { CH_WHEN_EPOCH, 1700000000250000000 } },
		{ "1700000000123", { CH_WHEN_EPOCH, 1700000000123000000 } },
		{ "2023-11-14T22:13:20Z", { CH_WHEN_EPOCH, 1700000000000000000 } },
		{ "2023-11-14T22:13:20.5Z", { CH_WHEN_EPOCH, 1700000000500000000 } },
		{ "2023-11-15T00:13:20+02:00", { CH_WHEN_EPOCH, 1700000000000000000 } },
		{ "2023-11-14 22:13:20", { CH_WHEN_EPOCH, 1700000000000000000 } }, /* TZ=UTC */
	};
	static const char *const bad[] = { "",
		                           "+",
		                           "-x",
		                           "+5y",
		                           "2023-13-40T00:00:00Z",
		                           "12:00",
		                           "+-5s",
		                           "2023-11-14T22:13:20Q" };
	struct ch_when w;

	(void)state;
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < CH_LEN(good); i++) {
		assert_int_equal(cli_parse_when(good[i].text, &w), 0);
		assert_int_equal(w.kind, good[i].when.kind);
		assert_int_equal(w.ns, good[i].when.ns);
	}
	for (size_t i = 0; i < CH_LEN(bad); i++)
		assert_int_equal(cli_parse_when(bad[i], &w), -EINVAL);
}

static void the_agent_is_told_in_its_own_words(void **state)
{
	static const struct {
		const char *words[8];
		const char *told;
	} lines[] = {
		{ { "1" }, "start,event=cpu" },
		{ { "1", "-i", "5ms" }, "start,event=cpu,interval=5ms" },
		{ { "1", "-e", "cpu,alloc,lock" }, "start,event=cpu,alloc,lock" },
		{ { "1", "-e", "alloc", "-i", "1m" }, "start,alloc=1m" },
		{ { "1", "-e", "wall", "-i", "20ms", "--filter" }, "start,wall=20ms,filter" },
		{ { "1", "--alloc", "2m", "--live" }, "start,event=cpu,alloc=2m,live" },
		{ { "1", "-e", "cpu,live", "--live", "--wall", "1s" },
		  "start,event=cpu,live,wall=1s" },
		{ { "1", "-e", "page-faults", "-j", "64" },
		  "start,event=page-faults,jstackdepth=64" },
		{ { "1", "--maxoverhead=1", "--memlimit=8m", "--chunksize=1m", "--chunktime=60s" },
		  "start,event=cpu,maxoverhead=1,memlimit=8m,chunksize=1m,chunktime=60s" },
	};

	(void)state;
	for (size_t i = 0; i < CH_LEN(lines); i++) {
		struct ch_buf b = CH_BUF(4096);
		struct cli_args args;
		struct ch_error err;
		int n = 0;

		while (n < 8 && lines[i].words[n])
			n++;
		assert_int_equal(cli_parse(n, (char **)lines[i].words, CMD_RECORD, &args, &err), 0);
		cli_recording_options(&args, &b);
		ch_buf_putc(&b, 0);
		assert_string_equal(b.data, lines[i].told);
		ch_buf_done(&b);
		cli_args_done(&args);
	}
}

static void a_command_stands_behind_two_dashes(void **state)
{
	const char *argv[] = { "-d", "5m", "--", "java", "-jar", "x.jar" };
	struct cli_args args;
	struct ch_error err;

	(void)state;
	assert_int_equal(cli_parse(CH_LEN(argv), (char **)argv, CMD_RECORD, &args, &err), 0);
	assert_true(args.duration_ns == 300000000000);
	assert_int_equal(args.command_at, 0);
	assert_int_equal(args.n_inputs, 3);
	assert_string_equal(args.inputs[1], "-jar");
	cli_args_done(&args);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_taken_in_every_spelling),
		cmocka_unit_test(wrong_options_say_what_is_wrong),
		cmocka_unit_test(lists_and_labels_add_up),
		cmocka_unit_test(everything_behind_two_dashes_is_input),
		cmocka_unit_test(times_are_understood),
		cmocka_unit_test(the_agent_is_told_in_its_own_words),
		cmocka_unit_test(a_command_stands_behind_two_dashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
