#include "agent/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/file.h"
#include "base/buf.h"
#include "hotspot/code.h"
#include "hotspot/method.h"
#include "sys/peek.h"

#define MAP_MAX        (256u << 20)
#define MAP_PAGE       4096
#define NAME_MAX_BYTES 200

/* Names are the VM's, read while it runs: nothing of them may break the lines. */
static void put_text(struct ch_buf *b, const char *s, size_t n, bool class_name)
{
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		/* A hidden class is a/B+0x12 inside the VM, and a.B/0x12 to people. */
		if (class_name && (c == '/' || c == '+'))
			c = c == '/' ? '.' : '/';
		ch_buf_putc(b, (unsigned char)c < ' ' ? '?' : c);
	}
}

static bool put_method(const struct ch_vm *vm, struct ch_buf *b, uint64_t nmethod)
{
	union {
		struct ch_method_copy copy;
		char room[CH_METHOD_COPY_MAX];
	} m;
	uint64_t method = ch_peek64(nmethod + (uint64_t)vm->nm_method, 0);

	if (!ch_method_plausible(vm, method))
		return false;
	ch_method_copy_sig(vm, method, &m.copy);
	if (!m.copy.class_len || !m.copy.name_len)
		return false;
	put_text(b, m.copy.bytes, m.copy.class_len, true);
	ch_buf_putc(b, '.');
	put_text(b, m.copy.bytes + m.copy.class_len, m.copy.name_len, false);
	return true;
}

static bool put_stub(const struct ch_vm *vm, struct ch_buf *b, uint64_t blob)
{
	uint64_t name = ch_peek64(blob + (uint64_t)vm->blob_name, 0);
	char text[NAME_MAX_BYTES];
	size_t n = 0;

	while (n < sizeof(text) && (text[n] = (char)ch_peek8(name + n, 0)))
		n++;
	put_text(b, text, n, false);
	return n > 0;
}

static bool put_blob(const struct ch_vm *vm, struct ch_buf *b, uint64_t at)
{
	struct ch_blob blob = ch_blob_find(vm, at);
	size_t before = b->len;
	uint64_t end;
	bool named;

	if (!blob.at)
		return false;
	end = ch_blob_end(vm, &blob);
	if (end <= blob.code)
		return false;
	ch_buf_printf(b, "%llx %llx ", (unsigned long long)blob.code,
	              (unsigned long long)(end - blob.code));
	named =
	    blob.kind == CH_BLOB_NMETHOD ? put_method(vm, b, blob.at) : put_stub(vm, b, blob.at);
	ch_buf_putc(b, '\n');
	if (!named)
		b->len = before;
	return named;
}

/* A load that gives both fallbacks is none. */
static bool is_there(uint64_t addr)
{
	return ch_peek8(addr, 0) || ch_peek8(addr, 1) != 1;
}

/* A block starts where the map of segments is 0. Most of the map is not there: skip its pages. */
static unsigned put_heap(const struct ch_vm *vm, const struct ch_vm_heap *h, struct ch_buf *b)
{
	uint64_t segments = (h->high - h->low) >> h->log2_segment;
	unsigned n = 0;

	for (uint64_t i = 0; i < segments && !b->err; i++) {
		uint64_t page = (h->segmap + i) | (MAP_PAGE - 1);

		if ((!i || (h->segmap + i) % MAP_PAGE == 0) && !is_there(h->segmap + i))
			i = page - h->segmap;
		else if (ch_peek8(h->segmap + i, 0xff) == 0)
			n += put_blob(vm, b, h->low + (i << h->log2_segment));
	}
	return n;
}

/* Others may write to /tmp too: never through a name that is there already. */
static int write_file(const char *path, const struct ch_buf *b, struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int fd = -1;
	CH_CLEANUP(ch_closep) int old = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int r = old < 0 ? 0 : ch_file_claim(old, path, err);

	if (r < 0)
		return r;
	if (unlink(path) < 0 && errno != ENOENT)
		return ch_fail(err, -errno, "replace '%s': %m", path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return ch_fail(err, -errno, "create '%s': %m", path);
	return ch_file_write(fd, path, b->data, b->len, 0, err);
}

int ch_perfmap_write(const struct ch_vm *vm, const char *path, struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(MAP_MAX);
	char usual[64];
	unsigned n = 0;
	int r;

	if (!vm->n_heaps)
		return ch_fail(err, -ENOTSUP, "the code cache of this JVM cannot be read");
	snprintf(usual, sizeof(usual), "/tmp/perf-%d.map", (int)getpid());
	for (unsigned i = 0; i < vm->n_heaps; i++)
		n += put_heap(vm, &vm->heaps[i], &b);
	if (b.err)
		return ch_fail(err, b.err, "a map of the code cache: %m");
	r = write_file(path ? path : usual, &b, err);
	return r < 0 ? r : (int)n;
}
