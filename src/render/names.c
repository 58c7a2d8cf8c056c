#include "render/names.h"
#include "base/utf8.h"

#include <stdbool.h>

static uint32_t decode(const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s;

	switch (len) {
	case 1:
		return p[0];
	case 2:
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
	case 3:
		return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
	default:
		return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 |
		       (p[3] & 0x3fu);
	}
}

/* Characters that cannot be seen, or that change how their neighbours are seen. */
static bool is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       c == 0xfffe || c == 0xffff;
}

static void spell(struct ch_buf *b, uint32_t c)
{
	static const char hex[] = "0123456789ABCDEF";
	char digits[4] = { hex[c >> 12 & 15], hex[c >> 8 & 15], hex[c >> 4 & 15], hex[c & 15] };

	ch_buf_puts(b, "⟨U+");
	ch_buf_put(b, digits, sizeof(digits));
	ch_buf_puts(b, "⟩");
}

size_t ch_name_show_one(struct ch_buf *b, const char *s, size_t n)
{
	size_t len = ch_utf8_len(s, n);
	uint32_t c = len ? decode(s, len) : 0xfffd;

	if (!len)
		ch_buf_puts(b, "\xef\xbf\xbd");
	else if (is_hidden(c))
		spell(b, c);
	else
		ch_buf_put(b, s, len);
	return len ? len : 1;
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

void ch_name_show(struct ch_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t from = i;

		while (i < n && is_plain(s[i]))
			i++;
		ch_buf_put(b, s + from, i - from);
		if (i < n)
			i += ch_name_show_one(b, s + i, n - i);
	}
}

size_t ch_name_chars(const char *s, size_t n)
{
	size_t chars = 0;

	for (size_t i = 0; i < n; i++)
		chars += (s[i] & 0xc0) != 0x80;
	return chars;
}

/* The place of a name's signature, type arguments or lambda number: no package beyond it. */
static size_t head_end(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(" (<[$", s[i]))
			return i;
	return n;
}

size_t ch_name_package(const char *s, size_t n)
{
	size_t stop = head_end(s, n), end = 0, last = 0;

	for (size_t i = 1; i < stop; i++)
		if (s[i] == '`' || s[i] == '!' || (s[i] == ':' && i + 1 < stop && s[i + 1] == ':'))
			return i;
	for (size_t i = 0; i < stop; i++) {
		if (s[i] != '.' && s[i] != '/')
			continue;
		if (s[last] >= 'A' && s[last] <= 'Z')
			return end;
		end = i;
		last = i + 1;
	}
	return end;
}

/* Bytes of the first `chars` characters. */
static size_t bytes_of(const char *s, size_t n, size_t chars)
{
	size_t i = 0;

	for (; i < n; i++)
		if ((s[i] & 0xc0) != 0x80 && !chars--)
			break;
	return i;
}

size_t ch_name_cut(struct ch_buf *b, const char *s, size_t n, size_t room)
{
	size_t chars = ch_name_chars(s, n), package, left, right;

	if (chars <= room) {
		ch_buf_put(b, s, n);
		return chars;
	}
	if (room < 2)
		return 0;
	package = ch_name_package(s, n);
	right = package ? ch_name_chars(s + package + 1, n - package - 1) : 0;
	if (right && right < room) {
		left = room - 1 - right;
	} else {
		/* Class and method alone are too long: their end tells more than their start. */
		size_t skip = package ? package + 1 : 0;

		s += skip;
		n -= skip;
		chars = ch_name_chars(s, n);
		if (chars <= room) {
			ch_buf_put(b, s, n);
			return chars;
		}
		right = (room - 1) * 3 / 5;
		left = room - 1 - right;
	}
	ch_buf_put(b, s, bytes_of(s, n, left));
	ch_buf_puts(b, "…");
	chars = bytes_of(s, n, chars - right);
	ch_buf_put(b, s + chars, n - chars);
	return room;
}
