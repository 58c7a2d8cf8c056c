/*
 * What /proc tells about another process. Everything in there was chosen by that process or by
 * whoever started it: texts are bounded, numbers checked, and nothing read here is trusted further
 * than to talk to the process itself.
 */
#ifndef CH_SYS_PROC_H
#define CH_SYS_PROC_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Longest command line or environment that is looked at. */
#define CH_PROC_TEXT_MAX ((size_t)2 << 20)

struct ch_proc {
	pid_t pid;   /* as we see it */
	pid_t nspid; /* as the process sees itself: in its innermost pid namespace */
	pid_t tgid;  /* differs from pid when that is a thread */
	pid_t parent;
	uid_t euid;
	gid_t egid;
	uint64_t caught; /* bit n-1: signal n has a handler */
	char state;      /* R S D T t Z X … */
};

/* Reads /proc/PID/status. -ESRCH with a sentence when there is no such process. */
int ch_proc_read(pid_t pid, struct ch_proc *ret, struct ch_error *err);
static inline bool ch_proc_catches(const struct ch_proc *p, int signal)
{
	return p->caught >> (signal - 1) & 1;
}

/* True when one of its threads bears this name, of 15 bytes at most. */
bool ch_proc_has_thread(pid_t pid, const char *name);

/*
 * Calls each() with the path of every mapped file, as the process itself would name it (with
 * " (deleted)" behind it when it is gone); neighbours of one file come once. A result other than 0
 * ends the walk and is returned. -EACCES: not ours to look at; -ESRCH: gone.
 */
int ch_proc_each_mapped(pid_t pid, int (*each)(void *ctx, const char *path), void *ctx);

/* Arguments or environment: texts, each with its NUL, appended to b. 0 or a negative errno. */
int ch_proc_cmdline(pid_t pid, struct ch_buf *b);
int ch_proc_environ(pid_t pid, struct ch_buf *b);
/* The value of NAME in what ch_proc_environ read, or NULL. */
const char *ch_proc_getenv(const struct ch_buf *environment, const char *name);

/* What the link /proc/PID/<what> names (exe, cwd, root), cut to size. Length or a negative errno. */
int ch_proc_link(pid_t pid, const char *what, char *to, size_t size);
/* True when its files have the names that ours have: same mounts, same root folder. */
bool ch_proc_shares_files(pid_t pid);

/*
 * Opens a file (not to be made) under the name that the process knows it by; links in the path lead
 * where they lead for the process, never into our own files.
 */
int ch_proc_open_file(pid_t pid, const char *path, int flags);

/* Calls each() with every process, in the order of /proc; a result other than 0 ends the walk. */
int ch_proc_each(int (*each)(void *ctx, pid_t pid), void *ctx);

/*
 * A descriptor that stands for the process, so that a signal cannot meet another one that took its
 * number, and that becomes readable when it ends. -ENOSYS on kernels before 5.3.
 */
int ch_proc_open(pid_t pid);
/* Sends a signal by that descriptor. */
int ch_proc_signal(int pidfd, int signal);

/* The ids this thread does file access and connections with, for a while. */
struct ch_proc_ids {
	uid_t uid;
	gid_t gid;
	int dumpable;
	bool changed;
};

/*
 * Becomes the effective user and group of the process, this thread only; needs privilege unless
 * they are ours. ch_proc_restore goes back, whatever the result was.
 */
int ch_proc_become(const struct ch_proc *p, struct ch_proc_ids *ret_before);
void ch_proc_restore(const struct ch_proc_ids *before);

#endif
