#include "hotspot/attach.h"
#include "hotspot/attach_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#define STEP_MS       5
#define STARTING_MS   3000  /* for a JVM that has just begun */
#define LISTENING_MS  10000 /* for its socket; a JVM that collects garbage answers late */
#define STOPPED_MS    10000 /* for a JVM that is stopped to go on */
#define CODE_MAX      16    /* bytes of the first line of a reply */
#define LOAD_TEXT_MAX 4096

static void nap(unsigned ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)ms * 1000000 }, NULL);
}

/* --- is it willing? ------------------------------------------------------------------------------ */

static int not_ours(const struct ch_proc *p, struct ch_error *err)
{
	struct passwd *pw = getpwuid(p->euid);

	if (p->euid == geteuid())
		return ch_fail(err, -EACCES, "process %d is closed to its own user%s", (int)p->pid,
		               geteuid() ? "; run as root" : ", even to root");
	return ch_fail(err, -EPERM,
	               "process %d belongs to %s (uid %u); run as that user or as root",
	               (int)p->pid, pw ? pw->pw_name : "another user", p->euid);
}

static int gone(pid_t pid, struct ch_error *err)
{
	return ch_fail(err, -ESRCH, "process %d ended meanwhile", (int)pid);
}

static bool is_stopped(const struct ch_proc *p)
{
	return p->state == 'T' || p->state == 't';
}

static int stopped(pid_t pid, struct ch_error *err)
{
	return ch_fail(err, -EAGAIN,
	               "process %d is stopped and cannot answer; `kill -CONT %d` first", (int)pid,
	               (int)pid);
}

static int check_process(pid_t pid, struct ch_proc *p, struct ch_error *err)
{
	int r = ch_proc_read(pid, p, err);

	if (r < 0)
		return r;
	if (p->tgid != pid)
		return ch_fail(err, -EINVAL, "%d is a thread of process %d; name the process",
		               (int)pid, (int)p->tgid);
	if (p->state == 'Z' || p->state == 'X')
		return ch_fail(err, -ESRCH, "process %d has ended", (int)pid);
	if (kill(pid, 0) < 0)
		return errno == EPERM ? not_ours(p, err) : gone(pid, err);
	return 0;
}

static int check_jvm(const struct ch_proc *p, struct ch_jvm *j, struct ch_error *err)
{
	char name[PATH_MAX] = "?";
	int r = ch_jvm_look(p->pid, j);

	if (r > 0)
		return 0;
	if (r == -ESRCH)
		return gone(p->pid, err);
	if (r < 0)
		return not_ours(p, err);
	(void)ch_proc_link(p->pid, "exe", name, sizeof(name));
	return ch_fail(err, -EINVAL,
	               "process %d is no HotSpot JVM (it runs %.200s); `charcloth list` shows "
	               "which are",
	               (int)p->pid, name);
}

/*
 * A JVM handles the signal before it is ready to listen: asked that early, four of a hundred on a
 * loaded machine printed a thread dump and stayed deaf. The thread named here starts after that.
 */
static bool has_started(const struct ch_proc *p)
{
	return ch_proc_catches(p, SIGQUIT) && ch_proc_has_thread(p->pid, "Service Thread");
}

static int wait_until_started(struct ch_proc *p, const struct ch_jvm *j, struct ch_error *err)
{
	if (ch_jvm_has_option(j, "-Xrs"))
		return ch_fail(err, -EOPNOTSUPP,
		               "the JVM %d was started with -Xrs and would die of being asked; "
		               "start it without",
		               (int)p->pid);
	for (unsigned waited = 0; !has_started(p) && waited < STARTING_MS; waited += STEP_MS) {
		nap(STEP_MS);
		if (ch_proc_read(p->pid, p, err) < 0 || p->state == 'Z')
			return gone(p->pid, err);
	}
	if (!ch_proc_catches(p, SIGQUIT))
		return ch_fail(err, -EAGAIN,
		               "the JVM %d does not handle SIGQUIT and would die of it: it is "
		               "still starting, try again; or it runs with -Xrs",
		               (int)p->pid);
	return 0;
}

static int check_willing(struct ch_proc *p, const struct ch_jvm *j, struct ch_error *err)
{
	if (ch_jvm_refuses_attach(j))
		return ch_fail(err, -EOPNOTSUPP,
		               "the JVM %d was started with -XX:+DisableAttachMechanism; start it "
		               "without, or with -agentpath",
		               (int)p->pid);
	return wait_until_started(p, j, err);
}

/* --- asking it to listen ------------------------------------------------------------------------- */

/*
 * The file that tells the JVM what the signal means, which must belong to its user. One that is
 * there already is another client's or a left-over: as good as ours when the owner is right, and a
 * thread dump where it is not. 0, or a negative errno.
 */
static int put_trigger(int dir, const char *name, const struct ch_proc *p)
{
	CH_CLEANUP(ch_closep)
	int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 && errno == EEXIST) {
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -errno;
		return S_ISREG(st.st_mode) && st.st_uid == p->euid ? 0 : -EEXIST;
	}
	if (fd < 0)
		return -errno;
	if (p->euid != geteuid() && fchown(fd, p->euid, p->egid) < 0) {
		int r = -errno;

		unlinkat(dir, name, 0);
		return r;
	}
	return 0;
}

static bool signal_waits(void)
{
	sigset_t waiting;

	return !sigpending(&waiting) &&
	       (sigismember(&waiting, SIGINT) > 0 || sigismember(&waiting, SIGTERM) > 0 ||
	        sigismember(&waiting, SIGHUP) > 0);
}

static int send_quit(const struct ch_attach *a)
{
	if (a->pidfd >= 0)
		return ch_proc_signal(a->pidfd, SIGQUIT);
	return kill(a->proc.pid, SIGQUIT) < 0 ? -errno : 0;
}

static int wait_for_socket(const struct ch_attach *a, struct ch_error *err)
{
	struct ch_proc now;

	for (unsigned waited = 0; !ch_attach_listens(a); waited += STEP_MS) {
		if (signal_waits())
			return ch_fail(err, -EINTR, "interrupted");
		if (ch_proc_read(a->proc.pid, &now, NULL) < 0 || now.state == 'Z')
			return gone(a->proc.pid, err);
		if (waited >= LISTENING_MS)
			return ch_fail(err, -ETIMEDOUT,
			               "the JVM %d did not answer within %d s; it may be stuck, "
			               "or busy with a long pause",
			               (int)a->proc.pid, LISTENING_MS / 1000);
		nap(STEP_MS);
	}
	return 0;
}

/* In the folder where the JVM was started, where it looks first; else in its /tmp. */
static int ask(const struct ch_attach *a, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int cwd = -1;
	int dir, r;
	char path[64], name[32];

	(void)snprintf(path, sizeof(path), "/proc/%d/cwd", (int)a->proc.pid);
	(void)snprintf(name, sizeof(name), ".attach_pid%d", (int)a->proc.nspid);
	dir = cwd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = cwd < 0 ? -errno : put_trigger(cwd, name, &a->proc);
	if (r < 0 && r != -EEXIST) {
		dir = a->tmp;
		r = put_trigger(dir, name, &a->proc);
	}
	if (r == -EEXIST)
		return ch_fail(err, r, "a file '%s' of another user is in the way; remove it",
		               name);
	if (r < 0)
		return ch_fail(err, r, "write '%s' into the folder or the /tmp of process %d: %m",
		               name, (int)a->proc.pid);
	r = send_quit(a);
	if (r < 0)
		ch_fail(err, r, "signal to process %d: %m", (int)a->proc.pid);
	else
		r = wait_for_socket(a, err);
	unlinkat(dir, name, 0);
	return r;
}

/* Signals that would end us wait until the trigger is gone. */
static int ask_undisturbed(const struct ch_attach *a, struct ch_error *err)
{
	sigset_t ends, before;
	int r;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	r = ask(a, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int open_checked(struct ch_attach *a, struct ch_jvm *j, struct ch_error *err)
{
	int r = check_process(a->proc.pid, &a->proc, err);

	if (r >= 0)
		r = check_jvm(&a->proc, j, err);
	if (r < 0)
		return r;
	if (is_stopped(&a->proc))
		return stopped(a->proc.pid, err);
	memcpy(a->agent, j->agent, sizeof(a->agent));
	a->tmp = ch_proc_open_file(a->proc.pid, "/tmp", O_RDONLY | O_DIRECTORY);
	if (a->tmp < 0)
		return ch_fail(err, a->tmp, "open the /tmp of process %d: %m", (int)a->proc.pid);
	if (ch_attach_listens(a))
		return 0;
	r = check_willing(&a->proc, j, err);
	return r < 0 ? r : ask_undisturbed(a, err);
}

int ch_attach_open(pid_t pid, struct ch_attach *ret, struct ch_error *err)
{
	struct ch_jvm j = { 0 };
	/* Before anything is learnt about it: what is checked and what is signalled are one. */
	struct ch_attach a = { .proc = { .pid = pid }, .pidfd = ch_proc_open(pid), .tmp = -1 };
	int r = open_checked(&a, &j, err);

	ch_jvm_done(&j);
	if (r < 0)
		ch_attach_close(&a);
	else
		*ret = a;
	return r;
}

void ch_attach_close(struct ch_attach *a)
{
	ch_closep(&a->pidfd);
	ch_closep(&a->tmp);
	a->pidfd = a->tmp = -1;
}

/* --- commands ------------------------------------------------------------------------------------ */

static int put_command(int s, const struct ch_attach *a, const char *command,
                       const char *const *args, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(65536);

	ch_buf_put(&b, "1", 2);
	ch_buf_put(&b, command, strlen(command) + 1);
	for (int i = 0; i < CH_ATTACH_ARGS; i++) {
		const char *arg = args && args[i] ? args[i] : "";

		if (strlen(arg) > CH_ATTACH_ARG_MAX)
			return ch_fail(err, -E2BIG,
			               "the JVM takes at most %d bytes of options and file names, "
			               "these are %zu",
			               CH_ATTACH_ARG_MAX, strlen(arg));
		ch_buf_put(&b, arg, strlen(arg) + 1);
	}
	if (b.err)
		return ch_fail(err, b.err, "attach: %m");
	for (size_t done = 0; done < b.len;) {
		ssize_t n = send(s, b.data + done, b.len - done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ch_fail(err, -errno, "send to the JVM %d: %m", (int)a->proc.pid);
		done += (size_t)n;
	}
	return 0;
}

struct reply {
	char first[CODE_MAX]; /* the line with the result code, as far as it came */
	size_t n;
	bool text; /* the code is complete */
	int code;
};

/* Takes the line with the code off the front of a piece; how many bytes of it were used. */
static ssize_t take_code(struct reply *r, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		if (data[i] != '\n') {
			if (r->n == CODE_MAX - 1)
				return -EBADMSG;
			r->first[r->n++] = data[i];
			continue;
		}
		r->first[r->n] = 0;
		r->code = (int)strtol(r->first, &end, 10);
		r->text = true;
		return end == r->first || *end ? -EBADMSG : (ssize_t)i + 1;
	}
	return (ssize_t)n;
}

/* An answer may take as long as it takes, but not for ever from who is stopped. */
static int wait_for_piece(int s, const struct ch_attach *a, struct ch_error *err)
{
	struct pollfd p = { .fd = s, .events = POLLIN };
	struct ch_proc now;
	unsigned waited = 0;

	while (!poll(&p, 1, STOPPED_MS / 10)) {
		if (ch_proc_read(a->proc.pid, &now, NULL) < 0 || !is_stopped(&now))
			waited = 0;
		else if ((waited += STOPPED_MS / 10) >= STOPPED_MS)
			return stopped(a->proc.pid, err);
	}
	return 0;
}

static int read_reply(int s, const struct ch_attach *a, struct reply *reply, ch_attach_sink *sink,
                      void *ctx, struct ch_error *err)
{
	char piece[16384];
	ssize_t used = 0;

	for (;;) {
		int r = wait_for_piece(s, a, err);
		ssize_t n = r < 0 ? 0 : read(s, piece, sizeof(piece));

		if (r < 0)
			return r;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != ECONNRESET)
			return ch_fail(err, -errno, "read from the JVM %d: %m", (int)a->proc.pid);
		if (n <= 0)
			break;
		used = reply->text ? 0 : take_code(reply, piece, (size_t)n);
		if (used < 0)
			return ch_fail(err, (int)used, "the JVM %d answers in another language",
			               (int)a->proc.pid);
		if (used < n && sink)
			r = sink(ctx, piece + used, (size_t)(n - used));
		if (r < 0)
			return ch_fail(err, r, "the answer of the JVM %d: %m", (int)a->proc.pid);
	}
	if (!reply->text)
		return ch_fail(err, -ECONNRESET,
		               "the JVM %d closed the connection without an answer; it may have "
		               "ended",
		               (int)a->proc.pid);
	return 0;
}

int ch_attach_send(const struct ch_attach *a, const char *command, const char *const *args,
                   ch_attach_sink *sink, void *ctx, struct ch_error *err)
{
	struct reply reply = { 0 };
	CH_CLEANUP(ch_closep) int s = ch_attach_dial(a, err);
	int r = s < 0 ? s : put_command(s, a, command, args, err);

	if (r >= 0)
		r = read_reply(s, a, &reply, sink, ctx, err);
	return r < 0 ? r : reply.code < 0 ? -reply.code : reply.code;
}

static int keep(void *ctx, const char *data, size_t n)
{
	struct ch_buf *b = ctx;

	ch_buf_put(b, data, n);
	return b->err;
}

/* Versions disagree about the code, but all say this when the library was loaded. */
static const char returned[] = "return code: ";

int ch_attach_load(const struct ch_attach *a, const char *library, const char *options,
                   struct ch_error *err)
{
	const char *args[CH_ATTACH_ARGS] = { library, "true", options };
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(LOAD_TEXT_MAX);
	int r = ch_attach_send(a, "load", args, keep, &b, err);
	const char *at;

	if (r < 0)
		return r;
	ch_buf_putc(&b, 0);
	if (b.err)
		return ch_fail(err, b.err, "the answer of the JVM %d: %m", (int)a->proc.pid);
	at = strstr(b.data, returned);
	if (at)
		return strtol(at + strlen(returned), NULL, 10) != 0;
	b.data[strcspn(b.data, "\n")] = 0;
	return ch_fail(err, -ENOEXEC, "the JVM %d could not load '%.100s': %.300s",
	               (int)a->proc.pid, library, b.data[0] ? b.data : "it does not say why");
}
