/*
 * A window on bytes that may be damaged. Reading past the end sets `bad`, returns 0 from then on
 * and never moves beyond `end`: callers read a whole record and check once.
 */
#ifndef CH_BASE_CURSOR_H
#define CH_BASE_CURSOR_H

#include "base/util.h"

#include <stdbool.h>
#include <string.h>

struct ch_cursor {
	const uint8_t *p, *end;
	bool bad;
};

static inline struct ch_cursor ch_cursor(const void *data, size_t n)
{
	return (struct ch_cursor){ data, (const uint8_t *)data + n, false };
}

static inline size_t ch_cursor_left(const struct ch_cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline void ch_cursor_fail(struct ch_cursor *c)
{
	c->bad = true;
	c->p = c->end;
}

/* The next n bytes, or NULL with `bad` set. */
static inline const uint8_t *ch_cursor_take(struct ch_cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (CH_UNLIKELY(ch_cursor_left(c) < n)) {
		ch_cursor_fail(c);
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint8_t ch_cursor_u8(struct ch_cursor *c)
{
	if (CH_UNLIKELY(c->p == c->end)) {
		c->bad = true;
		return 0;
	}
	return *c->p++;
}

/* Big-endian unsigned integer of n <= 8 bytes. */
static inline uint64_t ch_cursor_be(struct ch_cursor *c, unsigned n)
{
	const uint8_t *p = ch_cursor_take(c, n);
	uint64_t v = 0;

	if (p)
		while (n--)
			v = v << 8 | *p++;
	return v;
}

/* Little-endian base-128 of at most 64 bits (protobuf). */
static inline uint64_t ch_cursor_varint(struct ch_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b = ch_cursor_u8(c);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	ch_cursor_fail(c);
	return 0;
}

/* A window of the next n bytes; an empty, bad one when they are not there. */
static inline struct ch_cursor ch_cursor_sub(struct ch_cursor *c, size_t n)
{
	const uint8_t *p = ch_cursor_take(c, n);

	return p ? ch_cursor(p, n) : (struct ch_cursor){ c->end, c->end, true };
}

#endif
