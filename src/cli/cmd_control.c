#include "cli/agent.h"
#include "cli/commands.h"
#include "cli/processes.h"
#include "cli/recording.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define REPLY_MAX ((size_t)1 << 20)

/* --- where a recording is ------------------------------------------------------------------------ */

/* The file that the agent writes, as the JVM names it: what `status` says. -ENOENT: none. */
static int recording_path(struct ch_attach *a, const char *library, char to[PATH_MAX],
                          struct ch_error *err)
{
	static const char word[] = "recording to: ";
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	char *at;
	int r = a->agent[0] ? cli_agent_call(a, library, "status", &reply, err) : 0;

	if (r < 0)
		return r;
	ch_buf_putc(&reply, 0);
	at = reply.data ? strstr(reply.data, word) : NULL;
	if (!at)
		return ch_fail(err, -ENOENT, "nothing is being recorded in process %d",
		               (int)a->proc.pid);
	at += strlen(word);
	at[strcspn(at, "\n")] = 0;
	if (at[0] == '/')
		(void)snprintf(to, PATH_MAX, "%s", at);
	else {
		char cwd[PATH_MAX] = "";

		(void)ch_proc_link(a->proc.pid, "cwd", cwd, sizeof(cwd));
		(void)snprintf(to, PATH_MAX, "%.*s/%s", PATH_MAX / 2, cwd, at);
	}
	return 0;
}

/* A descriptor of the recording; a name in our /proc stands for it, whatever happens to the file. */
static int open_recording(const struct ch_attach *a, const char *path, int *ret_fd, char name[32],
                          struct ch_error *err)
{
	int fd = ch_proc_open_file(a->proc.pid, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return ch_fail(err, fd, "open '%s' of process %d: %m", path, (int)a->proc.pid);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return ch_fail(err, -EINVAL, "'%s' is no file", path);
	}
	(void)snprintf(name, 32, "/proc/self/fd/%d", fd);
	*ret_fd = fd;
	return 0;
}

static int deliver(const struct cli_args *args, const struct ch_attach *a, const char *file)
{
	struct cli_process p;
	char source[320];

	(void)cli_process_look(a->proc.pid, &p);
	(void)snprintf(source, sizeof(source), "%s (pid %d)", p.program, (int)a->proc.pid);
	return cli_recording_deliver(args, &file, 1, source);
}

/* --- start --------------------------------------------------------------------------------------- */

/* A name on our side is one on theirs only when it is absolute. */
static int put_file(const struct cli_args *args, struct ch_buf *b, struct ch_error *err)
{
	const char *file = args->output ? args->output : "/tmp/charcloth-%p-%t.jfr";
	char cwd[PATH_MAX];

	if (strchr(file, ','))
		return ch_fail(err, -EINVAL, "the name of a recording has no comma: '%s'", file);
	if (file[0] == '/') {
		ch_buf_printf(b, ",file=%s", file);
		return 0;
	}
	if (!getcwd(cwd, sizeof(cwd)) || strpbrk(cwd, ",%"))
		return ch_fail(err, -EINVAL, "give the whole name of the recording, not '%s'",
		               file);
	ch_buf_printf(b, ",file=%s/%s", cwd, file);
	return 0;
}

int cli_start(const struct cli_args *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf command = CH_BUF(65536);
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	char path[PATH_MAX];
	struct ch_attach a;
	struct ch_error err;
	int r;

	cli_recording_options(args, &command);
	if (put_file(args, &command, &err) < 0) {
		cli_say_error(err.text);
		return EXIT_USAGE;
	}
	ch_buf_putc(&command, 0);
	r = cli_attach(args, "start", &a);
	if (r)
		return r;
	r = command.err ? ch_fail(&err, command.err, "start: %m")
	                : cli_agent_call(&a, args->library, command.data, &reply, &err);
	if (r >= 0)
		r = recording_path(&a, args->library, path, &err);
	if (r >= 0) {
		cli_print_text(reply.data, reply.len);
		cli_say_note("recording to %s; `charcloth stop %d -o flame.html` ends it", path,
		             (int)a.proc.pid);
	}
	ch_attach_close(&a);
	return r < 0 ? cli_failed(&err) : EXIT_DONE;
}

/* --- stop, dump, status -------------------------------------------------------------------------- */

/* The file is opened while the JVM is sure to be there. */
static int stop(const struct cli_args *args, struct ch_attach *a, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	CH_CLEANUP(ch_closep) int fd = -1;
	char path[PATH_MAX], name[32];
	bool show = args->output || args->format;
	int r = recording_path(a, args->library, path, err);

	if (r >= 0 && show)
		r = open_recording(a, path, &fd, name, err);
	if (r >= 0)
		r = cli_agent_call(a, args->library, "stop", &reply, err);
	if (r < 0)
		return r;
	if (show)
		cli_agent_say(&reply);
	else
		cli_print_text(reply.data, reply.len);
	cli_say_note("recorded to %s", path);
	return show ? deliver(args, a, name) : EXIT_DONE;
}

static int dump(const struct cli_args *args, struct ch_attach *a, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	CH_CLEANUP(ch_closep) int fd = -1;
	struct cli_temp temp;
	char command[128], name[32];
	int r = a->agent[0] ? cli_temp_make(a, ".jfr", &temp, err)
	                    : ch_fail(err, -ENOENT, "nothing is being recorded in process %d",
	                              (int)a->proc.pid);

	if (r < 0)
		return r;
	(void)snprintf(command, sizeof(command), "dump,file=%s", temp.theirs);
	r = cli_agent_call(a, args->library, command, &reply, err);
	/* It may have been replaced by one that is complete. */
	if (r >= 0)
		r = open_recording(a, temp.theirs, &fd, name, err);
	if (r >= 0 && reply.len)
		cli_say_note("%.*s", (int)reply.len - 1, reply.data); /* without its newline */
	if (r >= 0)
		r = deliver(args, a, name);
	cli_temp_remove(&temp);
	return r;
}

static int status(const struct cli_args *args, struct ch_attach *a, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf reply = CH_BUF(REPLY_MAX);
	int r;

	if (!a->agent[0]) {
		printf("no agent is loaded, nothing is being recorded\n");
		return EXIT_DONE;
	}
	r = cli_agent_call(a, args->library, "status", &reply, err);
	if (r >= 0)
		cli_print_text(reply.data, reply.len);
	return r;
}

/* Runs `act`: negative with a sentence, or EXIT_…. */
static int with_jvm(const struct cli_args *args, const char *command,
                    int (*act)(const struct cli_args *args, struct ch_attach *a,
                               struct ch_error *err))
{
	struct ch_attach a;
	struct ch_error err;
	int r = cli_attach(args, command, &a);

	if (r)
		return r;
	r = act(args, &a, &err);
	ch_attach_close(&a);
	return r < 0 ? cli_failed(&err) : r;
}

int cli_stop(const struct cli_args *args)
{
	int r = cli_recording_check(args);

	return r ? r : with_jvm(args, "stop", stop);
}

int cli_dump(const struct cli_args *args)
{
	int r = cli_recording_check(args);

	return r ? r : with_jvm(args, "dump", dump);
}

int cli_status(const struct cli_args *args)
{
	return with_jvm(args, "status", status);
}
