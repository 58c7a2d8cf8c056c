#include "base/utf8.h"

#include <string.h>

static bool tail(const uint8_t *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return false;
	return true;
}

size_t ch_utf8_len(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		return n >= 2 && tail(p, 2) ? 2 : 0;
	if (p[0] >= 0xe0 && p[0] <= 0xef) {
		if (n < 3 || !tail(p, 3))
			return 0;
		if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		if (n < 4 || !tail(p, 4))
			return 0;
		if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

bool ch_utf8_valid(const char *s, size_t n)
{
	size_t i = 0, len;

	while (i < n) {
		uint64_t word;

		/* Names are ASCII nearly always: eight bytes at a time. */
		if (n - i >= 8) {
			memcpy(&word, s + i, 8);
			if (!(word & UINT64_C(0x8080808080808080))) {
				i += 8;
				continue;
			}
		}
		len = ch_utf8_len(s + i, n - i);
		if (!len)
			return false;
		i += len;
	}
	return true;
}

/* Half of a pair, as Java writes it: three bytes; 0 when it is none. */
static uint32_t surrogate(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;

	if (n < 3 || p[0] != 0xed || p[1] < 0xa0 || !tail(p, 3))
		return 0;
	return 0xd000u | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
}

/* A character beyond U+FFFF in Java's way at s; how many bytes it takes, 0 when it is none. */
static size_t java_char(const char *s, size_t n, uint32_t *ret)
{
	uint32_t high = surrogate(s, n), low = high ? surrogate(s + 3, n - 3) : 0;

	if (!high)
		return 0;
	if (high > 0xdbff || low < 0xdc00) {
		*ret = 0xfffd;
		return 3;
	}
	*ret = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	return 6;
}

size_t ch_utf8_repair(const char *s, size_t n, char *to)
{
	size_t out = 0;
	uint32_t c;

	for (size_t i = 0; i < n;) {
		size_t len = ch_utf8_len(s + i, n - i);

		if (len) {
			memcpy(to + out, s + i, len);
			out += len;
			i += len;
		} else if ((len = java_char(s + i, n - i, &c))) {
			out += ch_utf8_put(c, to + out);
			i += len;
		} else {
			out += ch_utf8_put(0xfffd, to + out);
			i++;
		}
	}
	return out;
}

size_t ch_utf8_put(uint32_t c, char to[4])
{
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = 0xfffd;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}
