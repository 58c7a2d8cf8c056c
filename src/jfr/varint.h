/*
 * JFR's variable-length integers: seven bits a byte, low bits first, at most nine bytes, the ninth
 * carrying eight bits. Readers take them from a sticky cursor; no load goes past its end.
 */
#ifndef CH_JFR_VARINT_H
#define CH_JFR_VARINT_H

#include "base/cursor.h"
#include "base/hash.h"

#include <endian.h>

#define CH_JFR_VARINT_MAX 9

#define CH_JFR_HIGH_BITS  UINT64_C(0x8080808080808080)

/* Eight groups of seven bits, one a byte, moved together. */
static inline uint64_t ch_jfr_squeeze(uint64_t w)
{
	w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
	w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* Byte by byte, for the last bytes of a window. */
static inline uint64_t ch_jfr_varint_tail(struct ch_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 56; shift += 7) {
		uint8_t b = ch_cursor_u8(c);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	return v | (uint64_t)ch_cursor_u8(c) << 56;
}

static inline uint64_t ch_jfr_varint(struct ch_cursor *c)
{
	uint64_t w, stop;

	if (CH_UNLIKELY(ch_cursor_left(c) < CH_JFR_VARINT_MAX))
		return ch_jfr_varint_tail(c);
	if (*c->p < 0x80)
		return *c->p++;
	w = le64toh(ch_load64(c->p));
	stop = ~w & CH_JFR_HIGH_BITS;
	if (CH_LIKELY(stop)) {
		c->p += (__builtin_ctzll(stop) >> 3) + 1;
		return ch_jfr_squeeze(w & (stop ^ (stop - 1)));
	}
	c->p += CH_JFR_VARINT_MAX;
	return ch_jfr_squeeze(w) | (uint64_t)c->p[-1] << 56;
}

/*
 * Reads three varints at once when they lie within eight bytes: the first and the last, which must
 * be of one byte, are told, the one between is stepped over. False, and nothing read, when they do
 * not lie so. Line, bytecode index and type of a stack frame do.
 */
static inline bool ch_jfr_varint_triple(struct ch_cursor *c, uint64_t *ret_first,
                                        uint64_t *ret_last)
{
	uint64_t w, first, second, third;

	if (CH_UNLIKELY(ch_cursor_left(c) < 8))
		return false;
	w = le64toh(ch_load64(c->p));
	first = ~w & CH_JFR_HIGH_BITS;
	second = first & (first - 1);
	third = second & (second - 1);
	if (CH_UNLIKELY(!third || __builtin_ctzll(third) - __builtin_ctzll(second) != 8))
		return false;
	*ret_first = ch_jfr_squeeze(w & (first ^ (first - 1)));
	*ret_last = w >> (__builtin_ctzll(third) - 7) & 0x7f;
	c->p += (__builtin_ctzll(third) >> 3) + 1;
	return true;
}

/*
 * Steps over n varints by counting the bytes that end one. Each load starts where a varint does,
 * so that a nine-byte one (whose last byte may look like any other) shows as eight bytes without
 * an end.
 */
static inline void ch_jfr_skip_varints(struct ch_cursor *c, uint64_t n)
{
	while (n && ch_cursor_left(c) >= CH_JFR_VARINT_MAX) {
		uint64_t stop = ~le64toh(ch_load64(c->p)) & CH_JFR_HIGH_BITS;
		/* The bits are summed up in the top byte. */
		unsigned ends = (unsigned)((stop >> 7) * UINT64_C(0x0101010101010101) >> 56);

		if (CH_UNLIKELY(!stop)) {
			c->p += CH_JFR_VARINT_MAX;
			n--;
			continue;
		}
		if (ends > n) {
			while (--n)
				stop &= stop - 1;
			c->p += (__builtin_ctzll(stop) >> 3) + 1;
			return;
		}
		c->p += 8 - (__builtin_clzll(stop) >> 3);
		n -= ends;
	}
	while (n && !c->bad) {
		ch_jfr_varint_tail(c);
		n--;
	}
}

#endif
