/* What reader and writer of collapsed stacks agree on. Grammar and reasons: docs/formats.md. */
#ifndef CH_FORMATS_COLLAPSED_H
#define CH_FORMATS_COLLAPSED_H

#include "formats/scan.h"

/* Fractional counts are exact to this part of a sample. */
#define CH_COLLAPSED_SCALE 1000000

/*
 * The byte that an escape at s stands for, or -1 when there is none. An escape is `\x` and two
 * lower-case hex digits, of a control character, space, '#', ';' or backslash; any other backslash
 * is just one.
 */
static inline int ch_collapsed_escape(const char *s, const char *end)
{
	int c = 0;

	if (end - s < 4 || s[0] != '\\' || s[1] != 'x')
		return -1;
	for (int i = 2; i < 4; i++) {
		if (ch_is_digit(s[i]))
			c = c * 16 + s[i] - '0';
		else if (s[i] >= 'a' && s[i] <= 'f')
			c = c * 16 + s[i] - 'a' + 10;
		else
			return -1;
	}
	return c <= ' ' || c == '#' || c == ';' || c == '\\' || c == 0x7f ? c : -1;
}

#endif
