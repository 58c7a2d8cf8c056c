/*
 * Looking for bytes in text, 16 at a time. The calls of memchr cost more than the short names they
 * would search; these are inlined. `limit` is the end of readable memory (of the whole input), so
 * that a search may load past `end` without leaving it.
 */
#ifndef CH_FORMATS_SCAN_H
#define CH_FORMATS_SCAN_H

#include "base/span.h"
#include "base/util.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Where c stands first in [p, end), or end. */
static inline const char *ch_scan(const char *p, const char *end, const char *limit, char c)
{
#if defined(__SSE2__)
	const __m128i want = _mm_set1_epi8(c);

	for (; p < end && limit - p >= 16; p += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)p);
		int hits = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, want));

		if (hits) {
			p += __builtin_ctz((unsigned)hits);
			return p < end ? p : end;
		}
	}
#else
	(void)limit;
#endif
	while (p < end && *p != c)
		p++;
	return p < end ? p : end;
}

/* How many of the first n bytes of a and b are equal. */
static inline size_t ch_common(const char *a, const char *b, size_t n)
{
	size_t i = 0;

#if defined(__SSE2__)
	for (; n - i >= 16; i += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(a + i));
		__m128i y = _mm_loadu_si128((const __m128i *)(b + i));
		unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));

		if (same != 0xffff)
			return i + (size_t)__builtin_ctz(~same);
	}
#endif
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* The end of the line at p: its line feed, or end. */
static inline const char *ch_line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl : end;
}

#endif
