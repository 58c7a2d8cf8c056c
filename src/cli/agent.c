#include "cli/agent.h"
#include "cli/beside.h"
#include "cli/say.h"
#include "sys/scrap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define REPLY_MAX ((size_t)1 << 20)

/* --- files in the /tmp of a JVM ------------------------------------------------------------------ */

static int give_to(int fd, const struct ch_proc *p)
{
	return p->euid != geteuid() && fchown(fd, p->euid, p->egid) < 0 ? -errno : 0;
}

/* Signals wait, lest one comes when the file exists and nobody knows its name yet. */
static void make(struct cli_temp *t)
{
	sigset_t all, before;
	int saved;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	t->fd = openat(t->dir, t->name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	saved = errno;
	if (t->fd >= 0)
		t->slot = ch_scrap_add(t->ours);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}

int cli_temp_make(const struct ch_attach *a, const char *suffix, struct cli_temp *ret,
                  struct ch_error *err)
{
	uint64_t number;
	int r;

	*ret = (struct cli_temp){ .dir = a->tmp, .fd = -1, .slot = -1 };
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return ch_fail(err, -EIO, "random numbers: %m");
	(void)snprintf(ret->name, sizeof(ret->name), ".charcloth-%d-%016llx%s", (int)a->proc.nspid,
	               (unsigned long long)number, suffix);
	(void)snprintf(ret->theirs, sizeof(ret->theirs), "/tmp/%s", ret->name);
	(void)snprintf(ret->ours, sizeof(ret->ours), "/proc/self/fd/%d/%s", a->tmp, ret->name);
	make(ret);
	r = ret->fd < 0 ? -errno : give_to(ret->fd, &a->proc);
	if (r >= 0)
		return 0;
	cli_temp_remove(ret);
	return ch_fail(err, r, "write '%s' for process %d: %m", ret->theirs, (int)a->proc.pid);
}

void cli_temp_remove(struct cli_temp *t)
{
	if (t->fd < 0)
		return;
	unlinkat(t->dir, t->name, 0);
	ch_scrap_forget(t->slot);
	close(t->fd);
	t->fd = -1;
}

/* --- the library --------------------------------------------------------------------------------- */

int cli_agent_library(const char *given, char to[PATH_MAX], struct ch_error *err)
{
	static const char *const places[] = { "libcharcloth.so", "../lib/charcloth/libcharcloth.so",
		                              "../lib/libcharcloth.so",
		                              "../lib64/libcharcloth.so" };

	if (given) {
		if (!realpath(given, to))
			return ch_fail(err, -errno, "open '%s': %m", given);
		return 0;
	}
	if (!cli_beside(places, CH_LEN(places), to))
		return 0;
	return ch_fail(err, -ENOENT,
	               "libcharcloth.so is not beside this program; --lib says where it is");
}

/* True when the JVM can open our file under our name for it. */
static bool can_read(const struct ch_attach *a, const char *path)
{
	struct ch_proc_ids before;
	int fd = -1;

	if (!ch_proc_shares_files(a->proc.pid))
		return false;
	if (ch_proc_become(&a->proc, &before) >= 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	ch_proc_restore(&before);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int copy_into(int to, const char *path, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int from = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (from < 0 || fstat(from, &st) < 0)
		return ch_fail(err, -errno, "open '%s': %m", path);
	for (off_t left = st.st_size; left > 0;) {
		ssize_t n = sendfile(to, from, NULL, (size_t)left);

		if (n <= 0)
			return ch_fail(err, n < 0 ? -errno : -EIO, "copy '%s' to the JVM: %m",
			               path);
		left -= n;
	}
	return 0;
}

/*
 * A JVM that cannot read our file gets a copy, which it needs only until it has loaded it. From
 * then on the linker knows the library by that name, and must be given the same again: another name
 * would be another library.
 */
static int load(struct ch_attach *a, const char *given, const char *options, struct ch_error *err)
{
	char path[PATH_MAX];
	struct cli_temp copy = { .fd = -1 };
	int r = 0;

	if (a->agent[0])
		return ch_attach_load(a, a->agent, options, err);
	r = cli_agent_library(given, path, err);
	if (r >= 0 && !can_read(a, path)) {
		r = cli_temp_make(a, CH_JVM_AGENT_COPY, &copy, err);
		if (r >= 0)
			r = copy_into(copy.fd, path, err);
		(void)snprintf(path, sizeof(path), "%s", copy.theirs);
	}
	if (r >= 0)
		r = ch_attach_load(a, path, options, err);
	if (r >= 0)
		(void)snprintf(a->agent, sizeof(a->agent), "%s", path);
	cli_temp_remove(&copy);
	return r;
}

/* --- commands ------------------------------------------------------------------------------------ */

static int read_reply(const struct ch_attach *a, int fd, int result, struct ch_buf *reply,
                      struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(REPLY_MAX + 1);
	char *to = ch_buf_room(&b, REPLY_MAX + 1), *line_end;
	ssize_t n = to ? pread(fd, to, REPLY_MAX, 0) : -1;

	if (n < 0)
		return ch_fail(err, to ? -errno : -ENOMEM, "the answer of the agent: %m");
	to[n] = 0;
	line_end = memchr(to, '\n', (size_t)n);
	if (!strncmp(to, "error: ", 7)) {
		to[strcspn(to, "\n")] = 0;
		return ch_fail(err, -EREMOTEIO, "%.500s", to + 7);
	}
	if (result || strncmp(to, "ok\n", 3) != 0)
		return ch_fail(err, -EREMOTEIO, "the agent in process %d did not answer",
		               (int)a->proc.pid);
	ch_buf_put(reply, line_end + 1, (size_t)(to + n - (line_end + 1)));
	return reply->err ? ch_fail(err, reply->err, "the answer of the agent: %m") : 0;
}

int cli_agent_call(struct ch_attach *a, const char *library, const char *command,
                   struct ch_buf *reply, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf options = CH_BUF(65536);
	struct cli_temp log;
	int r = cli_temp_make(a, ".log", &log, err);

	if (r < 0)
		return r;
	/* First, so that a mistake in what follows is told there. */
	ch_buf_printf(&options, "log=%s,%s", log.theirs, command);
	ch_buf_putc(&options, 0);
	r = options.err ? ch_fail(err, options.err, "options: %m")
	                : load(a, library, options.data, err);
	if (r >= 0)
		r = read_reply(a, log.fd, r, reply, err);
	cli_temp_remove(&log);
	return r;
}

void cli_agent_say(struct ch_buf *reply)
{
	char *rest, *line;

	ch_buf_putc(reply, 0);
	for (rest = reply->err ? NULL : reply->data; (line = strsep(&rest, "\n"));) {
		const char *value = strrchr(line, ':');

		if (*line && !(value && !strcmp(value, ": 0")))
			cli_say_note("%s", line);
	}
}
