#include "agent/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/kernel.h"

/* Without O_NONBLOCK a pipe that nobody reads would be waited for before it can be refused. */
int ch_file_create(const char *path, int flags, struct ch_error *err)
{
	int fd = open(path, flags | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
	struct stat st;

	/* What such a pipe answers. */
	if (fd < 0 && errno == ENXIO)
		return ch_fail(err, -EINVAL, "'%s' is no regular file", path);
	if (fd < 0)
		return ch_fail(err, -errno, "create '%s': %m", path);
	if (ch_fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return ch_fail(err, -EINVAL, "'%s' is no regular file", path);
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
