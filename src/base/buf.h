/*
 * A growing byte buffer with a limit from birth. Appending never fails loudly: the first failure
 * (out of memory, over the limit) sticks in `err` and everything after it is ignored, so that
 * callers check once, at the end.
 */
#ifndef CH_BASE_BUF_H
#define CH_BASE_BUF_H

#include "base/util.h"

#include <string.h>

struct ch_buf {
	char *data;
	size_t len, cap, max;
	int err; /* 0, -ENOMEM or -E2BIG */
};

#define CH_BUF(limit) ((struct ch_buf){ .max = (limit) })

void ch_buf_done(struct ch_buf *b);
/* Makes room for n more bytes; returns where they go, or NULL with b->err set. */
char *ch_buf_room_slow(struct ch_buf *b, size_t n);
/* A decimal number, without the cost of printf. */
void ch_buf_i64(struct ch_buf *b, int64_t v);
/* Writes v so that it ends before `end`, which has 20 bytes of room before it; where it starts. */
char *ch_decimal(int64_t v, char *end);
void ch_buf_printf(struct ch_buf *b, const char *fmt, ...) CH_PRINTF(2, 3);

static inline char *ch_buf_room(struct ch_buf *b, size_t n)
{
	if (CH_LIKELY(!b->err && b->cap - b->len >= n && b->data))
		return b->data + b->len;
	return ch_buf_room_slow(b, n);
}

static inline void ch_buf_put(struct ch_buf *b, const void *data, size_t n)
{
	char *to = ch_buf_room(b, n);

	if (to && n) {
		memcpy(to, data, n);
		b->len += n;
	}
}

static inline void ch_buf_putc(struct ch_buf *b, char c)
{
	char *to = ch_buf_room(b, 1);

	if (to) {
		*to = c;
		b->len++;
	}
}

static inline void ch_buf_puts(struct ch_buf *b, const char *s)
{
	ch_buf_put(b, s, strlen(s));
}

/* Little-endian base-128, as in protobuf and the page format. */
static inline void ch_buf_varint(struct ch_buf *b, uint64_t v)
{
	char *to = ch_buf_room(b, 10);

	if (!to)
		return;
	while (v >= 0x80) {
		*to++ = (char)(v | 0x80);
		v >>= 7;
	}
	*to++ = (char)v;
	b->len = (size_t)(to - b->data);
}

static inline void ch_buf_reset(struct ch_buf *b)
{
	b->len = 0;
}

#endif
