#include "cli/commands.h"
#include "cli/agent.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define REPLY_MAX 65536

/* The JVM says nothing when all is well: the file must be there. */
static int say_where(const struct ch_attach *a, struct ch_error *err)
{
	struct stat st;
	char name[32];
	pid_t pid = a->proc.pid;

	(void)snprintf(name, sizeof(name), "perf-%d.map", (int)a->proc.nspid);
	if (fstatat(a->tmp, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return ch_fail(err, -errno, "the JVM wrote no '/tmp/%s': %m", name);
	if (ch_proc_shares_files(pid))
		printf("/tmp/%s\n", name);
	else
		printf("/proc/%d/root/tmp/%s\n", (int)pid, name);
	if (a->proc.nspid != pid)
		cli_say_note("perf on this side looks for /tmp/perf-%d.map: copy it there",
		             (int)pid);
	return 0;
}

/* Before JDK 17 a JVM has no such command of its own. */
static int by_agent(const struct cli_args *args, struct ch_attach *a, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);

	return cli_agent_call(a, args->library, "perfmap", &reply, err);
}

int cli_perfmap(const struct cli_args *args)
{
	const char *words[CH_ATTACH_ARGS] = { "Compiler.perfmap" };
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	struct ch_attach a;
	struct ch_error err;
	int r = cli_attach(args, "perfmap", &a);

	if (r)
		return r;
	r = ch_attach_send(&a, "jcmd", words, cli_collect, &reply, &err);
	ch_buf_putc(&reply, 0);
	if (r > 0 && !reply.err && strstr(reply.data, "Unknown diagnostic command"))
		r = by_agent(args, &a, &err);
	else if (r > 0)
		r = ch_fail(&err, -EIO, "the JVM could not write its map: %.300s",
		            reply.err ? "" : reply.data);
	if (r == 0)
		r = say_where(&a, &err);
	ch_attach_close(&a);
	return r < 0 ? cli_failed(&err) : EXIT_DONE;
}
