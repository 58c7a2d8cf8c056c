#include "cli/target.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"
#include "render/names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

int cli_pid(const struct cli_args *args, const char *command, pid_t *ret, struct ch_error *err)
{
	char *end;
	long pid;

	if (args->n_inputs != 1)
		return ch_fail(err, -EINVAL,
		               "%s needs the pid of one process: charcloth %s 1234; `charcloth "
		               "list` shows them",
		               command, command);
	errno = 0;
	pid = strtol(args->inputs[0], &end, 10);
	if (errno || *end || end == args->inputs[0] || pid <= 0 || pid > INT_MAX)
		return ch_fail(err, -EINVAL, "'%s' is no pid; `charcloth list` shows the processes",
		               args->inputs[0]);
	*ret = (pid_t)pid;
	return 0;
}

int cli_attach(const struct cli_args *args, const char *command, struct ch_attach *ret)
{
	struct ch_error err;
	pid_t pid = 0;

	if (cli_pid(args, command, &pid, &err) < 0) {
		cli_say_error(err.text);
		return EXIT_USAGE;
	}
	return ch_attach_open(pid, ret, &err) < 0 ? cli_failed(&err) : 0;
}

int cli_collect(void *buf, const char *data, size_t n)
{
	struct ch_buf *b = buf;

	ch_buf_put(b, data, n);
	return b->err;
}

void cli_print_text(const char *s, size_t n)
{
	if (!isatty(STDOUT_FILENO)) {
		fwrite(s, 1, n, stdout);
		return;
	}
	while (n) {
		CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(SIZE_MAX);
		size_t plain = 0;

		while (plain < n && s[plain] != '\n' && s[plain] != '\t')
			plain++;
		ch_name_show(&b, s, plain);
		if (!b.err && b.len)
			fwrite(b.data, 1, b.len, stdout);
		if (plain < n)
			putchar(s[plain++]);
		s += plain;
		n -= plain;
	}
}
