#include "sys/out.h"
#include "base/buf.h"
#include "sys/scrap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#define BUFFER_BYTES (256 * 1024)

struct ch_out {
	struct ch_out_window free; /* first: ch_out_write casts */
	int fd;
	int err; /* first failed write, negative errno */
	int slot;
	bool to_stdout;
	char path[PATH_MAX];
	char temp[PATH_MAX + 32];
	char buffer[BUFFER_BYTES];
};

/* Signals wait, lest one comes when the file exists and nobody knows its name yet. */
static void make_temp(struct ch_out *out)
{
	sigset_t all, before;
	int saved;

	(void)snprintf(out->temp, sizeof(out->temp), "%s.tmp-XXXXXX", out->path);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	saved = errno;
	if (out->fd >= 0)
		out->slot = ch_scrap_add(out->temp);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}

/*
 * A device or pipe is written in place: there is nothing to rename. A symbolic link stays one: the
 * file it names is replaced.
 */
static int open_target(struct ch_out *out, struct ch_error *err)
{
	struct stat st;
	mode_t mask;

	if (!stat(out->path, &st) && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return ch_fail(err, -EISDIR, "write '%s': it is a folder", out->path);
		out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
		out->temp[0] = 0;
	} else {
		char real[PATH_MAX];

		if (realpath(out->path, real))
			(void)snprintf(out->path, sizeof(out->path), "%s", real);
		make_temp(out);
	}
	if (out->fd < 0)
		return ch_fail(err, -errno, "write '%s': %m", out->path);
	if (out->temp[0]) {
		mask = umask(0);
		umask(mask);
		(void)fchmod(out->fd, 0666 & ~mask);
	}
	return 0;
}

int ch_out_open(const char *path, struct ch_out **ret, struct ch_error *err)
{
	struct ch_out *out = malloc(sizeof(*out));
	int r;

	if (!out)
		return ch_fail(err, -ENOMEM, "write '%s': %m", path);
	out->free = (struct ch_out_window){ out->buffer, out->buffer + BUFFER_BYTES };
	out->err = 0;
	out->slot = -1;
	out->temp[0] = 0;
	out->to_stdout = !strcmp(path, "-");
	if (strlen(path) >= sizeof(out->path)) {
		free(out);
		return ch_fail(err, -ENAMETOOLONG, "write: the output name is too long");
	}
	(void)snprintf(out->path, sizeof(out->path), "%s", path);
	if (out->to_stdout) {
		out->fd = STDOUT_FILENO;
	} else if ((r = open_target(out, err)) < 0) {
		free(out);
		return r;
	}
	*ret = out;
	return 0;
}

static void write_all(struct ch_out *out, const char *p, size_t n)
{
	while (n && !out->err) {
		ssize_t done = write(out->fd, p, n);

		if (done < 0) {
			if (errno != EINTR)
				out->err = -errno;
			continue;
		}
		p += done;
		n -= (size_t)done;
	}
}

static void flush(struct ch_out *out)
{
	write_all(out, out->buffer, (size_t)(out->free.at - out->buffer));
	out->free.at = out->buffer;
}

void ch_out_write_slow(struct ch_out *out, const void *data, size_t n)
{
	flush(out);
	if (n >= BUFFER_BYTES) {
		write_all(out, data, n);
		return;
	}
	memcpy(out->free.at, data, n);
	out->free.at += n;
}

void ch_out_i64(struct ch_out *out, int64_t v)
{
	char digits[20], *end = digits + sizeof(digits), *p = ch_decimal(v, end);

	ch_out_write(out, p, (size_t)(end - p));
}

bool ch_out_failed(const struct ch_out *out)
{
	return out->err != 0;
}

static void forget(struct ch_out *out)
{
	ch_scrap_forget(out->slot);
	free(out);
}

int ch_out_commit(struct ch_out *out, struct ch_error *err)
{
	int r;

	flush(out);
	r = out->err;
	/* Some file systems report a full disk only here. */
	if (!out->to_stdout && close(out->fd) < 0 && !r)
		r = -errno;
	if (!r && out->temp[0] && rename(out->temp, out->path) < 0)
		r = -errno;
	if (r < 0) {
		if (out->temp[0])
			unlink(out->temp);
		ch_fail(err, r, "write '%s': %m", out->to_stdout ? "stdout" : out->path);
	}
	forget(out);
	return r;
}

void ch_out_abort(struct ch_out *out)
{
	if (!out)
		return;
	if (!out->to_stdout)
		close(out->fd);
	if (out->temp[0])
		unlink(out->temp);
	forget(out);
}
