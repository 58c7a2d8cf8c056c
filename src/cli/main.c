#include "cli/commands.h"
#include "cli/help.h"
#include "cli/near.h"
#include "cli/say.h"
#include "sys/par.h"
#include "sys/scrap.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>

/* Ctrl-C leaves no temporary file behind, then ends as if nothing had been caught. */
static void on_end(int sig)
{
	ch_scrap_remove_all_signal_safe(); /* NOLINT(bugprone-signal-handler): it only unlinks */
	signal(sig, SIG_DFL);
	raise(sig);
}

static void set_up_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < CH_LEN(ends); i++)
		if (signal(ends[i], on_end) == SIG_IGN)
			signal(ends[i], SIG_IGN);
	/* A closed pipe or a file over the limit is an error of the write, told like any other. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * Started with a closed stdin, stdout or stderr, the next file opened would take its number, and
 * words to the user would end in it. The place is held by something that fails as a closed one does.
 */
static void hold_standard_fds(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", flags[fd]);
}

static int usage(const struct ch_error *err)
{
	cli_say_error(err->text);
	return err->code == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

static int run(const struct cli_command *c, int argc, char **argv)
{
	struct cli_args args;
	struct ch_error err;
	int r = cli_parse(argc, argv, c->bit ? c->bit : CMD_OTHER, &args, &err);

	cli_say_init(r >= 0 && args.quiet);
	if (r < 0) {
		r = usage(&err);
	} else if (args.help) {
		cli_print_help(stdout, c);
		r = EXIT_DONE;
	} else {
		ch_par_limit(args.cores);
		r = c->run(&args);
	}
	cli_args_done(&args);
	return r;
}

/* What was printed must have arrived: a full disk behind stdout is a failure too. */
static int close_stdout(int r)
{
	if ((fflush(stdout) || ferror(stdout)) && r == EXIT_DONE) {
		cli_say_error("write 'stdout': the output is incomplete");
		return EXIT_FAILED;
	}
	return r;
}

/* The options people try on every program are commands here. */
static const char *command_name(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return "help";
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return "version";
	return word;
}

static int no_command(const char *name)
{
	struct ch_error err;

	for (size_t i = 0; i < cli_n_commands; i++) {
		if (cli_distance(name, strlen(name), cli_commands[i].name) > CLI_NEAR)
			continue;
		ch_fail(&err, -EINVAL, "there is no command '%s'; is '%s' meant?", name,
		        cli_commands[i].name);
		return usage(&err);
	}
	ch_fail(&err, -EINVAL, "there is no command '%s'; `charcloth help` lists them", name);
	return usage(&err);
}

int main(int argc, char **argv)
{
	const struct cli_command *c;

	hold_standard_fds();
	setlocale(LC_CTYPE, "");
	set_up_signals();
	if (argc < 2) {
		cli_print_usage(stderr);
		return EXIT_USAGE;
	}
	c = cli_command(command_name(argv[1]));
	if (!c)
		return no_command(argv[1]);
	return close_stdout(run(c, argc - 2, argv + 2));
}
