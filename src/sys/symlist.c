#include "sys/symlist.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/span.h"
#include "sys/kernel.h"

/* A line longer than this is cut into lines that mean nothing. */
#define CHUNK 65536

typedef int line_fn(void *ctx, struct ch_span line);

/* Calls fn for each line until it fails. The files may be large: only a chunk is held. */
static int each_line(int fd, line_fn *fn, void *ctx)
{
	CH_CLEANUP(ch_freep) char *chunk = malloc(CHUNK);
	size_t have = 0;
	int r = 0;

	if (!chunk)
		return -ENOMEM;
	while (r >= 0) {
		ssize_t n = read(fd, chunk + have, CHUNK - have);
		char *at = chunk, *newline;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		have += (size_t)n;
		while (r >= 0 && (newline = memchr(at, '\n', have - (size_t)(at - chunk)))) {
			r = fn(ctx, (struct ch_span){ at, (size_t)(newline - at) });
			at = newline + 1;
		}
		have -= (size_t)(at - chunk);
		memmove(chunk, at, have);
		if (have == CHUNK)
			have = 0;
	}
	return r;
}

/* The hex number a line starts with, and the blank behind it; false when there is none. */
static bool take_hex(struct ch_span *t, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < t->n && i < 16 && ch_is_hex(t->s[i]); i++) {
		char c = t->s[i];

		v = v << 4 | (uint64_t)(ch_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	if (!i || i == t->n || t->s[i] != ' ')
		return false;
	t->s += i + 1;
	t->n -= i + 1;
	*ret = v;
	return true;
}

struct list {
	struct ch_symtable *to;
	size_t max_bytes;
};

/* Rows reach 4 GB from the base. Files are not sorted: half of that is kept for what lies below. */
static int add(struct list *l, uint64_t start, uint64_t size, struct ch_span name)
{
	const uint64_t below = UINT64_C(1) << 31;

	if (!l->to->max_bytes)
		ch_symtable_init(l->to, start > below ? start - below : 0, l->max_bytes);
	return ch_symtable_add(l->to, start, size, name.s, name.n);
}

/* `ffffffff81000000 T _text`, and a module after a tab. */
static int kernel_line(void *ctx, struct ch_span t)
{
	const char *tab;
	uint64_t start;

	if (!take_hex(&t, &start) || t.n < 3 || t.s[1] != ' ' || !strchr("tTwW", t.s[0]))
		return 0;
	if (!start)
		return -EACCES; /* this user is shown zeros */
	t.s += 2;
	t.n -= 2;
	tab = memchr(t.s, '\t', t.n);
	if (tab)
		t.n = (size_t)(tab - t.s);
	/* Padding before functions, half of the list, where nothing runs. */
	if (ch_span_starts(t, "__pfx_"))
		return 0;
	return add(ctx, start, 0, t);
}

static int perf_line(void *ctx, struct ch_span t)
{
	uint64_t start, size;

	if (!take_hex(&t, &start) || !take_hex(&t, &size) || !start || !size || !t.n)
		return 0;
	return add(ctx, start, size, ch_span_trim(t));
}

static int read_list(int fd, line_fn *fn, struct ch_symtable *ret, size_t max_bytes)
{
	struct list l = { .to = ret, .max_bytes = max_bytes };
	int r;

	*ret = (struct ch_symtable){ 0 };
	if (fd < 0)
		return -errno;
	r = each_line(fd, fn, &l);
	ch_symtable_finish(ret);
	return r == -E2BIG ? 0 : r; /* what fits is better than nothing */
}

int ch_symlist_kernel(const char *path, struct ch_symtable *ret, size_t max_bytes)
{
	CH_CLEANUP(ch_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return read_list(fd, kernel_line, ret, max_bytes);
}

int ch_symlist_perf(const char *path, struct ch_symtable *ret, size_t max_bytes)
{
	CH_CLEANUP(ch_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;

	*ret = (struct ch_symtable){ 0 };
	if (fd < 0 || ch_fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
		return -EPERM;
	return read_list(fd, perf_line, ret, max_bytes);
}
