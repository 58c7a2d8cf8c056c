#include "sys/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"

#define TEXT_MAX  ((size_t)64 << 20)
#define PATHS_MAX ((size_t)4 << 20)

void ch_maps_done(struct ch_maps *m)
{
	free(m->ranges);
	ch_arena_done(&m->paths);
	*m = (struct ch_maps){ 0 };
}

/* --- one line ---------------------------------------------------------------------------------- */

/* A number up to the letter `end`, which is taken too; *p is NULL from the first failure on. */
static uint64_t field(const char **p, const char *line_end, unsigned base, char end)
{
	const char *s = *p;
	uint64_t v = 0;
	bool any = false;

	for (; s && s < line_end && *s != end; s++, any = true) {
		unsigned digit = *s >= 'a' ? (unsigned)(*s - 'a') + 10 : (unsigned)(*s - '0');

		if (digit >= base || v > UINT64_MAX / 16) {
			*p = NULL;
			return 0;
		}
		v = v * base + digit;
	}
	*p = s && s < line_end && any ? s + 1 : NULL;
	return v;
}

/* Fills all but the path, which starts at the pointer returned; NULL when the line is none. */
static const char *parse_line(const char *p, const char *end, struct ch_maps_range *ret,
                              bool *ret_code)
{
	uint64_t major;

	ret->start = field(&p, end, 16, '-');
	ret->end = field(&p, end, 16, ' ');
	if (!p || end - p < 5 || p[4] != ' ')
		return NULL;
	*ret_code = p[2] == 'x';
	p += 5;
	ret->offset = field(&p, end, 16, ' ');
	major = field(&p, end, 16, ':');
	ret->device = major << 32 | field(&p, end, 16, ' ');
	ret->inode = field(&p, end, 10, ' ');
	while (p && p < end && *p == ' ')
		p++;
	return p;
}

static uint64_t add_to_sum(uint64_t sum, const struct ch_maps_range *r)
{
	sum = ch_hash_mix(sum ^ r->start, CH_HASH_K1 ^ r->end);
	return ch_hash_mix(sum ^ r->inode, CH_HASH_K2 ^ r->offset) + 1;
}

/* --- the file ---------------------------------------------------------------------------------- */

static int add(struct ch_maps *m, const struct ch_maps_range *r, const char *path, size_t n)
{
	if (CH_ROOM(m->ranges, m->cap, m->n + 1) < 0)
		return -ENOMEM;
	m->ranges[m->n] = *r;
	/* Neighbours are often parts of one file. */
	if (m->n && !strncmp(m->ranges[m->n - 1].path, path, n) && !m->ranges[m->n - 1].path[n])
		m->ranges[m->n].path = m->ranges[m->n - 1].path;
	else
		m->ranges[m->n].path = ch_arena_strndup(&m->paths, path, n);
	if (!m->ranges[m->n].path)
		return -ENOMEM;
	m->n++;
	m->sum = add_to_sum(m->sum, r);
	return 0;
}

/* A line that is no line, or out of order, is left out: the kernel writes none. */
static int add_line(struct ch_maps *m, const char *text, const char *end)
{
	struct ch_maps_range r = { 0 };
	bool code = false;
	const char *path = parse_line(text, end, &r, &code);

	if (!path || !code || r.end <= r.start || (m->n && r.start < m->ranges[m->n - 1].end))
		return 0;
	return add(m, &r, path, (size_t)(end - path));
}

int ch_maps_parse(struct ch_maps *m, const char *text, size_t n, struct ch_error *err)
{
	struct ch_maps fresh = { .paths = CH_ARENA(PATHS_MAX) };
	const char *end = text + n;
	int r = 0;

	while (text < end && r >= 0) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			break; /* cut short */
		r = add_line(&fresh, text, newline);
		text = newline + 1;
	}
	if (r < 0 || (fresh.sum == m->sum && fresh.n == m->n)) {
		ch_maps_done(&fresh);
		return r < 0 ? ch_fail(err, r, "maps of the process: %m") : 0;
	}
	ch_maps_done(m);
	*m = fresh;
	return 1;
}

static int read_all(int fd, struct ch_buf *to)
{
	for (;;) {
		char *at = ch_buf_room(to, 1 << 16);
		ssize_t n = at ? read(fd, at, 1 << 16) : -1;

		if (!at)
			return to->err;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		to->len += (size_t)n;
	}
}

int ch_maps_read(struct ch_maps *m, pid_t pid, struct ch_error *err)
{
	struct ch_buf text = CH_BUF(TEXT_MAX);
	char path[64] = "/proc/self/maps";
	int fd, r;

	if (pid)
		(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ch_fail(err, -errno, "open '%s': %m", path);
	r = read_all(fd, &text);
	close(fd);
	if (r < 0)
		r = ch_fail(err, r, "read '%s': %m", path);
	else
		r = ch_maps_parse(m, text.data, text.len, err);
	ch_buf_done(&text);
	return r;
}

const struct ch_maps_range *ch_maps_find(const struct ch_maps *m, uint64_t addr)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr < m->ranges[mid].start)
			high = mid;
		else if (addr >= m->ranges[mid].end)
			low = mid + 1;
		else
			return &m->ranges[mid];
	}
	return NULL;
}

/* --- files ------------------------------------------------------------------------------------- */

#define VDSO    "[vdso]"
#define DELETED " (deleted)"

bool ch_maps_is_file(const struct ch_maps_range *r)
{
	return r->path[0] == '/' || !strcmp(r->path, VDSO);
}

static bool is_deleted(const char *path)
{
	return ch_span_ends((struct ch_span){ path, strlen(path) }, DELETED);
}

struct ch_span ch_maps_name(const struct ch_maps_range *r)
{
	const char *slash = strrchr(r->path, '/'), *name = slash ? slash + 1 : r->path;
	size_t n = strlen(name);

	return (struct ch_span){ name, n - (is_deleted(name) ? sizeof(DELETED) - 1 : 0) };
}

int ch_maps_open(const struct ch_maps_range *r, struct ch_elf *ret)
{
	char link[96];

	if (!strcmp(r->path, VDSO)) /* the kernel put the whole file there */
		return ch_elf_from((const void *)r->start, r->end - r->start, ret, NULL);
	if (!is_deleted(r->path))
		return ch_elf_open(r->path, ret, NULL);
	/* Another file may have its name by now. Where the kernel lets us, this is still the one. */
	(void)snprintf(link, sizeof(link), "/proc/self/map_files/%lx-%lx", (unsigned long)r->start,
	               (unsigned long)r->end);
	if (ch_elf_open(link, ret, NULL) >= 0)
		return 0;
	/* Its text is loaded as far from its first byte as in the file. */
	return ch_elf_image(r->start - r->offset, ret);
}

/* --- changes ----------------------------------------------------------------------------------- */

static int take_stamp(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	*(uint64_t *)ctx = (uint64_t)info->dlpi_adds << 32 ^ (uint64_t)info->dlpi_subs;
	return 1; /* each one tells the same */
}

uint64_t ch_maps_stamp(void)
{
	uint64_t stamp = 0;

	dl_iterate_phdr(take_stamp, &stamp);
	return stamp;
}
