#include "formats/input.h"
#include "codec/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A wrapper may unpack to this much plus this many times its own size. Recordings shrink 3 to 20
 * times, folded stacks up to some hundred times; what goes beyond is a bomb.
 */
#define UNPACK_FREE  ((uint64_t)256 << 20)
#define UNPACK_RATIO 200
#define UNPACK_MAX   ((uint64_t)1 << 38)
#define WRAPPERS_MAX 4

/* Bytes of the inputs that are open, and how many of them readers are done with. */
static _Atomic uint64_t bytes_open, bytes_done;

static int spool_open(struct ch_error *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* File systems without O_TMPFILE. */
	(void)snprintf(path, sizeof(path), "%s/charcloth-XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return ch_fail(err, -errno, "temporary file in '%s': %m; set TMPDIR", dir);
	unlink(path);
	return fd;
}

static int spool_write(void *ctx, const uint8_t *data, size_t n)
{
	int fd = *(int *)ctx;

	while (n) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			data += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* stdin and other things that cannot be mapped. */
static int spool_pipe(int from, const char *name, int *ret_fd, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int to = spool_open(err);
	CH_CLEANUP(ch_freep) uint8_t *piece = malloc(1 << 18);
	uint64_t total = 0;
	ssize_t n;
	int r;

	if (to < 0)
		return to;
	if (!piece)
		return ch_fail(err, -ENOMEM, "read '%s': %m", name);
	while ((n = read(from, piece, 1 << 18)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ch_fail(err, -errno, "read '%s': %m", name);
		total += (uint64_t)n;
		if (total > UNPACK_MAX)
			return ch_fail(err, -E2BIG, "read '%s': more than %llu GiB", name,
			               (unsigned long long)(UNPACK_MAX >> 30));
		r = spool_write(&to, piece, (size_t)n);
		if (r < 0)
			return ch_fail(err, r, "spool '%s' to a temporary file: %m; set TMPDIR",
			               name);
	}
	*ret_fd = to;
	to = -1;
	return 0;
}

/* Replaces in->map by what the wrapper holds, which may be max bytes. */
static int unwrap(struct ch_input *in, enum ch_packing packing, uint64_t max, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int fd = spool_open(err);
	struct ch_map inner;
	int r;

	if (fd < 0)
		return fd;
	r = ch_unpack(packing, in->map.data, in->map.size, max, spool_write, &fd);
	if (r == -EBADMSG)
		in->cut_short = true;
	else if (r == -E2BIG)
		return ch_fail(err, r,
		               "'%s' expands to more than %llu MiB, which no profile does; "
		               "unpack it yourself if it is one",
		               in->name, (unsigned long long)(max >> 20));
	else if (r == -ENOMEM)
		return ch_fail(err, r, "unpack '%s': %m", in->name);
	else if (r == -EFBIG)
		return ch_fail(err, r,
		               "'%s' was packed with a window of more than %d MiB; unpack "
		               "it yourself (zstd -d --long=31)",
		               in->name, CH_UNPACK_WINDOW_MIB);
	else if (r < 0)
		return ch_fail(err, r, "unpack '%s' to a temporary file: %m; set TMPDIR", in->name);
	r = ch_map_fd(fd, in->name, &inner, err);
	if (r < 0)
		return r;
	if (in->cut_short && !inner.size) {
		ch_map_done(&inner);
		return ch_fail(err, -EBADMSG, "'%s': the compressed data is damaged", in->name);
	}
	ch_map_done(&in->map);
	in->map = inner;
	return 0;
}

static int open_plain(const char *path, const char *name, struct ch_map *ret, struct ch_error *err)
{
	bool from_stdin = !strcmp(path, "-");
	CH_CLEANUP(ch_closep)
	int fd = from_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	CH_CLEANUP(ch_closep) int spooled = -1;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return ch_fail(err, -errno, "open '%s': %m", name);
	if (S_ISDIR(st.st_mode))
		return ch_fail(err, -EISDIR, "open '%s': it is a folder", name);
	if (S_ISREG(st.st_mode) && (!from_stdin || lseek(fd, 0, SEEK_CUR) == 0))
		return ch_map_fd(fd, name, ret, err);
	r = spool_pipe(fd, name, &spooled, err);
	return r < 0 ? r : ch_map_fd(spooled, name, ret, err);
}

int ch_input_open(const char *path, struct ch_input *ret, struct ch_error *err)
{
	struct ch_input in = { .name = strdup(strcmp(path, "-") ? path : "stdin") };
	enum ch_packing packing;
	uint64_t max;
	int r;

	if (!in.name)
		return ch_fail(err, -ENOMEM, "open '%s': %m", path);
	r = open_plain(path, in.name, &in.map, err);
	if (r < 0) {
		free(in.name);
		return r;
	}
	/* By the size of the outermost wrapper: each one inside may be a bomb of its own. */
	max = UNPACK_FREE + UNPACK_RATIO * (uint64_t)in.map.size;
	for (int depth = 0; (packing = ch_packing_of(in.map.data, in.map.size)); depth++) {
		r = depth < WRAPPERS_MAX
		        ? unwrap(&in, packing, max, err)
		        : ch_fail(err, -ELOOP, "'%s': more than %d compression wrappers", in.name,
		                  WRAPPERS_MAX);
		if (r < 0) {
			ch_map_done(&in.map);
			free(in.name);
			return r;
		}
	}
	in.data = in.map.data;
	in.size = in.map.size;
	atomic_fetch_add(&bytes_open, in.size);
	*ret = in;
	return 0;
}

void ch_input_done(struct ch_input *in)
{
	atomic_fetch_sub(&bytes_open, in->size);
	if (!atomic_load(&bytes_open))
		atomic_store(&bytes_done, 0);
	ch_map_done(&in->map);
	free(in->name);
	in->name = NULL;
}

void ch_input_release(const struct ch_input *in, size_t from, size_t upto)
{
	ch_map_release(&in->map, from, upto);
	atomic_fetch_add(&bytes_done, upto - from);
}

unsigned ch_input_share(void)
{
	uint64_t open = atomic_load(&bytes_open), done = atomic_load(&bytes_done);

	return open ? (unsigned)((done < open ? done : open) * 100 / open) : 0;
}
