#include "hotspot/attach_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* Old JVMs listen only to their own user, not to root: the connection is made as that user. */
static int connect_as(const struct ch_attach *a, int s, const struct sockaddr_un *to)
{
	struct ch_proc_ids before;
	int r = ch_proc_become(&a->proc, &before);

	if (r >= 0 && connect(s, (const struct sockaddr *)to, sizeof(*to)) < 0)
		r = -errno;
	ch_proc_restore(&before);
	return r;
}

/* The name of the socket can be taken by others who may write there; what listens cannot. */
static bool is_target(const struct ch_attach *a, int s)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return !getsockopt(s, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == a->proc.euid &&
	       (!who.pid || who.pid == a->proc.pid);
}

/* Not the JVM's, which is sure to have failed to put its own there. */
static bool is_of_another(const struct ch_attach *a, int at)
{
	struct stat st;

	return !fstat(at, &st) && st.st_uid != a->proc.euid;
}

static int dial(const struct ch_attach *a, int flags, struct ch_error *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	CH_CLEANUP(ch_closep) int at = -1;
	int s, r;
	char name[32];

	(void)snprintf(name, sizeof(name), ".java_pid%d", (int)a->proc.nspid);
	at = openat(a->tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0)
		return ch_fail(err, -errno, "the JVM %d no longer listens: %m", (int)a->proc.pid);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (s < 0)
		return ch_fail(err, -errno, "socket: %m");
	(void)snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", at);
	r = connect_as(a, s, &to);
	if (r == -EACCES && is_of_another(a, at))
		ch_fail(err, r,
		        "'/tmp/%s' of another user is in the way, left by a JVM that had this pid; "
		        "remove it",
		        name);
	else if (r < 0)
		ch_fail(err, r, "connect to the JVM %d: %m", (int)a->proc.pid);
	else if (!is_target(a, s))
		r = ch_fail(err, -EPERM, "another process answers in the place of the JVM %d",
		            (int)a->proc.pid);
	if (r < 0) {
		close(s);
		return r;
	}
	return s;
}

int ch_attach_dial(const struct ch_attach *a, struct ch_error *err)
{
	return dial(a, 0, err);
}

bool ch_attach_listens(const struct ch_attach *a)
{
	/* It may be busy with others; who waits here waits with signals blocked. */
	int s = dial(a, SOCK_NONBLOCK, NULL);

	if (s >= 0)
		close(s);
	/* Whatever else is wrong with it is not mended by asking for another; dialling will say it. */
	return s != -ENOENT && s != -ECONNREFUSED;
}
