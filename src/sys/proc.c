#include "sys/proc.h"
#include "base/span.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define STATUS_MAX 16384
/* A JVM with thousands of threads has megabytes of mappings; past this nothing is looked for. */
#define MAPS_MAX ((size_t)64 << 20)

static int open_in(pid_t pid, const char *what, int flags)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static ssize_t read_some(int fd, void *to, size_t n)
{
	ssize_t r;

	do
		r = read(fd, to, n);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

/* --- status ------------------------------------------------------------------------------------ */

/* The value behind "\nName:\t" in the text of a status file, up to the end of its line. */
static struct ch_span field(struct ch_span text, const char *name)
{
	const char *at = ch_span_find(text, name), *end;

	if (!at)
		return CH_NO_SPAN;
	at += strlen(name);
	end = memchr(at, '\n', (size_t)(text.s + text.n - at));
	return ch_span_trim((struct ch_span){ at, (size_t)((end ? end : text.s + text.n) - at) });
}

/* The n-th number of a line; the last one when there are fewer. */
static int64_t nth(struct ch_span line, unsigned n)
{
	int64_t v = 0;

	do {
		size_t digits = ch_span_digits(line);

		if (!digits)
			break;
		v = ch_span_number(line);
		line = ch_span_trim((struct ch_span){ line.s + digits, line.n - digits });
	} while (n--);
	return v;
}

static uint64_t hex(struct ch_span t)
{
	uint64_t v = 0;

	for (size_t i = 0; i < t.n && ch_is_hex(t.s[i]); i++)
		v = v << 4 |
		    (unsigned)(ch_is_digit(t.s[i]) ? t.s[i] - '0' : (t.s[i] | 32) - 'a' + 10);
	return v;
}

int ch_proc_read(pid_t pid, struct ch_proc *ret, struct ch_error *err)
{
	char text[STATUS_MAX];
	struct ch_span all, nspid;
	CH_CLEANUP(ch_closep) int fd = pid > 0 ? open_in(pid, "status", O_RDONLY) : -ESRCH;
	ssize_t n = fd < 0 ? fd : read_some(fd, text, sizeof(text) - 1);

	if (n == -ENOENT || n == -ESRCH || n == 0)
		return ch_fail(err, -ESRCH, "there is no process %d", (int)pid);
	if (n < 0)
		return ch_fail(err, (int)n, "read '/proc/%d/status': %m", (int)pid);
	text[n] = 0;
	all = (struct ch_span){ text, (size_t)n };
	nspid = field(all, "\nNSpid:");
	*ret = (struct ch_proc){
		.pid = pid,
		.nspid = nspid.n ? (pid_t)nth(nspid, UINT_MAX) : pid,
		.tgid = (pid_t)nth(field(all, "\nTgid:"), 0),
		.parent = (pid_t)nth(field(all, "\nPPid:"), 0),
		.euid = (uid_t)nth(field(all, "\nUid:"), 1),
		.egid = (gid_t)nth(field(all, "\nGid:"), 1),
		.caught = hex(field(all, "\nSigCgt:")),
		.state = field(all, "\nState:").s[0],
	};
	return 0;
}

/* --- mappings ---------------------------------------------------------------------------------- */

/* The path of a line of maps: what stands behind five columns. NULL when it names no file. */
static const char *mapped_path(char *line)
{
	for (int column = 0; column < 5; column++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return *line == '/' ? line : NULL;
}

struct walk {
	int (*each)(void *ctx, const char *path);
	void *ctx;
	char last[PATH_MAX + 16];
};

static int walk_line(struct walk *w, char *line)
{
	const char *path = mapped_path(line);

	if (!path || strlen(path) >= sizeof(w->last) || !strcmp(path, w->last))
		return 0;
	(void)snprintf(w->last, sizeof(w->last), "%s", path);
	return w->each(w->ctx, path);
}

int ch_proc_each_mapped(pid_t pid, int (*each)(void *ctx, const char *path), void *ctx)
{
	struct walk w = { .each = each, .ctx = ctx };
	char buffer[32768];
	size_t have = 0, seen = 0;
	CH_CLEANUP(ch_closep) int fd = open_in(pid, "maps", O_RDONLY);
	int r = 0;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	while (!r && seen < MAPS_MAX) {
		ssize_t n = read_some(fd, buffer + have, sizeof(buffer) - 1 - have);
		char *line = buffer, *end;

		if (n <= 0)
			return (int)n;
		seen += (size_t)n;
		have += (size_t)n;
		while (!r && (end = memchr(line, '\n', (size_t)(buffer + have - line)))) {
			*end = 0;
			r = walk_line(&w, line);
			line = end + 1;
		}
		have = (size_t)(buffer + have - line);
		memmove(buffer, line, have);
		if (have == sizeof(buffer) - 1)
			have = 0; /* no kernel writes such a line */
	}
	return r;
}

/* --- arguments, environment, links --------------------------------------------------------------- */

static int read_texts(pid_t pid, const char *what, struct ch_buf *b)
{
	CH_CLEANUP(ch_closep) int fd = open_in(pid, what, O_RDONLY);
	size_t start = b->len;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	while (b->len - start < CH_PROC_TEXT_MAX) {
		char *to = ch_buf_room(b, 4096);
		ssize_t n = to ? read_some(fd, to, 4096) : b->err;

		if (n < 0)
			return (int)n;
		if (!n)
			break;
		b->len += (size_t)n;
	}
	if (b->len > start && b->data[b->len - 1])
		ch_buf_putc(b, 0);
	return b->err;
}

int ch_proc_cmdline(pid_t pid, struct ch_buf *b)
{
	return read_texts(pid, "cmdline", b);
}

int ch_proc_environ(pid_t pid, struct ch_buf *b)
{
	return read_texts(pid, "environ", b);
}

const char *ch_proc_getenv(const struct ch_buf *environment, const char *name)
{
	const char *p = environment->data, *end = p ? p + environment->len : p;
	size_t n = strlen(name);

	for (; p < end; p += strlen(p) + 1)
		if (!strncmp(p, name, n) && p[n] == '=')
			return p + n + 1;
	return NULL;
}

int ch_proc_link(pid_t pid, const char *what, char *to, size_t size)
{
	char path[64];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	n = readlink(path, to, size - 1);
	if (n < 0)
		return -errno;
	to[n] = 0;
	return (int)n;
}

static bool same_file(pid_t pid, const char *what)
{
	char theirs[64], ours[64];
	struct stat a, b;

	(void)snprintf(theirs, sizeof(theirs), "/proc/%d/%s", (int)pid, what);
	(void)snprintf(ours, sizeof(ours), "/proc/self/%s", what);
	return !stat(theirs, &a) && !stat(ours, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool ch_proc_shares_files(pid_t pid)
{
	return same_file(pid, "ns/mnt") && same_file(pid, "root/");
}

int ch_proc_open_file(pid_t pid, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned)flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	CH_CLEANUP(ch_closep) int root = open_in(pid, "root", O_PATH | O_DIRECTORY);
	int fd;

	if (root < 0)
		return root == -ENOENT ? -ESRCH : root;
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS) /* before Linux 5.6 */
		fd = openat(root, *path == '/' ? path + 1 : path, flags | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

int ch_proc_each(int (*each)(void *ctx, pid_t pid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	int r = 0;

	if (!dir)
		return -errno;
	while (!r && (e = readdir(dir))) {
		struct ch_span name = { e->d_name, strlen(e->d_name) };
		int64_t pid = ch_span_number(name);

		if (ch_span_digits(name) == name.n && pid > 0 && pid <= INT_MAX)
			r = each(ctx, (pid_t)pid);
	}
	closedir(dir);
	return r;
}

static bool is_called(int tasks, const char *tid, const char *name)
{
	char path[64], comm[32];
	CH_CLEANUP(ch_closep) int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%.32s/comm", tid);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read_some(fd, comm, sizeof(comm));
	return n > 0 && (size_t)n == strlen(name) + 1 && !memcmp(comm, name, (size_t)n - 1);
}

bool ch_proc_has_thread(pid_t pid, const char *name)
{
	char path[64];
	struct dirent *e;
	bool found = false;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (e = readdir(dir)))
		found = e->d_name[0] != '.' && is_called(dirfd(dir), e->d_name, name);
	closedir(dir);
	return found;
}

/* --- signals and ids ----------------------------------------------------------------------------- */

int ch_proc_open(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

int ch_proc_signal(int pidfd, int signal)
{
	return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

/*
 * The calls of libc change every thread, those of the kernel this one. Dumpable is lost with the
 * change of ids, and with it our own /proc/self for other threads.
 */
int ch_proc_become(const struct ch_proc *p, struct ch_proc_ids *ret_before)
{
	*ret_before = (struct ch_proc_ids){ .uid = geteuid(), .gid = getegid() };
	if (p->euid == ret_before->uid && (p->egid == ret_before->gid || p->euid))
		return 0;
	ret_before->dumpable = prctl(PR_GET_DUMPABLE);
	ret_before->changed = true;
	if (syscall(SYS_setresgid, -1, p->egid, -1) < 0 ||
	    syscall(SYS_setresuid, -1, p->euid, -1) < 0)
		return -errno;
	return 0;
}

void ch_proc_restore(const struct ch_proc_ids *before)
{
	int saved = errno;

	if (before->changed) {
		(void)syscall(SYS_setresuid, -1, before->uid, -1);
		(void)syscall(SYS_setresgid, -1, before->gid, -1);
		if (before->dumpable == 1)
			(void)prctl(PR_SET_DUMPABLE, 1);
	}
	errno = saved;
}
