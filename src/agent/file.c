#include "agent/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/util.h"
#include "sys/kernel.h"

/* Takes fd, which it gives back or closes. */
static int only_regular(int fd, const char *path, struct ch_error *err)
{
	struct stat st;

	if (ch_fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return ch_fail(err, -EINVAL, "'%s' is no regular file", path);
}

/*
 * A name without %p in JAVA_TOOL_OPTIONS reaches the JVMs that a JVM starts: two of them writing to
 * one file would leave nothing that can be read. Where files cannot be locked, that is not seen.
 */
int ch_file_claim(int fd, const char *path, struct ch_error *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return ch_fail(
		    err, -EBUSY,
		    "another recording is being written to '%s'; %%p in its name makes one "
		    "for each process",
		    path);
	return 0;
}

/* Not with O_TRUNC: whose it is turns out only once it is open. */
int ch_file_create(const char *path, struct ch_error *err)
{
	/* Without O_NONBLOCK a pipe that nobody reads would be waited for before it can be refused. */
	int fd = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
	int r;

	if (fd < 0)
		return ch_fail(err, -errno, "create '%s': %m", path);
	fd = only_regular(fd, path, err);
	if (fd < 0)
		return fd;
	r = ch_file_claim(fd, path, err);
	if (r >= 0 && ftruncate(fd, 0) < 0)
		r = ch_fail(err, -errno, "write '%s': %m", path);
	if (r >= 0)
		return fd;
	close(fd);
	return r;
}

int ch_file_write(int fd, const char *path, const void *data, size_t n, uint64_t at,
                  struct ch_error *err)
{
	const char *p = data;

	while (n) {
		ssize_t w = pwrite(fd, p, n, (off_t)at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return ch_fail(err, w < 0 ? -errno : -EIO, "write '%s': %m", path);
		p += w;
		n -= (size_t)w;
		at += (uint64_t)w;
	}
	return 0;
}

/* Whatever the two are called: a recording is no copy of itself. */
static bool same_file(int a, int b)
{
	struct stat one, other;

	return !ch_fstat(a, &one) && !ch_fstat(b, &other) && one.st_ino == other.st_ino &&
	       one.st_dev == other.st_dev;
}

static int copy_bytes(int in, int out, const char *to, struct ch_error *err)
{
	char block[1 << 16];
	uint64_t at = 0;
	ssize_t n;

	while ((n = pread(in, block, sizeof(block), (off_t)at)) > 0) {
		int r = ch_file_write(out, to, block, (size_t)n, at, err);

		if (r < 0)
			return r;
		at += (uint64_t)n;
	}
	return n < 0 ? ch_fail(err, -errno, "read the recording: %m") : 0;
}

/* What a copy is to replace: a descriptor, -ENOENT when there is nothing, or why it must stay. */
static int open_old(const char *path, struct ch_error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? ch_fail(err, -errno, "open '%s': %m", path) : only_regular(fd, path, err);
}

/* A new file beside `to`, as readable as the old one. */
static int create_part(const char *to, int old, char part[PATH_MAX], struct ch_error *err)
{
	struct stat st = { .st_mode = 0644 };
	int fd;

	if (old >= 0 && ch_fstat(old, &st) < 0)
		return ch_fail(err, -errno, "look at '%s': %m", to);
	if (snprintf(part, PATH_MAX, "%s.%d.part", to, (int)getpid()) >= PATH_MAX)
		return ch_fail(err, -ENAMETOOLONG, "'%s': %m", to);
	unlink(part);
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
	return fd < 0 ? ch_fail(err, -errno, "create '%s': %m", to) : fd;
}

static int copy_over(int in, int old, const char *to, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int out = -1;
	char part[PATH_MAX];
	int r;

	out = create_part(to, old, part, err);
	if (out < 0)
		return out;
	r = copy_bytes(in, out, to, err);
	if (r >= 0 && rename(part, to) < 0)
		r = ch_fail(err, -errno, "create '%s': %m", to);
	if (r < 0)
		unlink(part);
	return r;
}

int ch_file_copy(const char *from, const char *to, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int in = open(from, O_RDONLY | O_CLOEXEC);
	CH_CLEANUP(ch_closep) int old = -1;
	char real[PATH_MAX];
	int r;

	if (in < 0)
		return ch_fail(err, -errno, "open '%s': %m", from);
	old = open_old(to, err);
	if (old == -ENOENT)
		return copy_over(in, old, to, err);
	if (old < 0)
		return old;
	if (same_file(in, old))
		return 0;
	r = ch_file_claim(old, to, err);
	if (r < 0)
		return r;
	/* What a link leads to is replaced, not the link. */
	return copy_over(in, old, realpath(to, real) ? real : to, err);
}
