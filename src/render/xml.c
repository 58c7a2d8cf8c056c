#include "render/xml.h"
#include "render/names.h"

#include <stdbool.h>

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void ch_xml_put(struct ch_buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t from = i;

		while (i < n && is_plain(s[i]) && !entity(s[i]))
			i++;
		ch_buf_put(b, s + from, i - from);
		if (i == n)
			return;
		if (is_plain(s[i]))
			ch_buf_puts(b, entity(s[i++]));
		else
			i += ch_name_show_one(b, s + i, n - i);
	}
}

void ch_xml_number(struct ch_buf *b, double v, unsigned decimals)
{
	static const uint64_t powers[] = { 1, 10, 100, 1000, 10000 };
	uint64_t power = powers[decimals];
	double size = v > 0 ? v * (double)power + 0.5 : 0;
	uint64_t scaled = size < 0x1p63 ? (uint64_t)size : (uint64_t)1 << 63;
	uint64_t whole = scaled / power, rest = scaled % power;
	char digits[32], *p = digits + sizeof(digits);

	while (decimals && rest % 10 == 0) {
		rest /= 10;
		decimals--;
	}
	for (unsigned left = decimals; left--; rest /= 10)
		*--p = (char)('0' + rest % 10);
	if (decimals)
		*--p = '.';
	do {
		*--p = (char)('0' + whole % 10);
		whole /= 10;
	} while (whole);
	ch_buf_put(b, p, (size_t)(digits + sizeof(digits) - p));
}

void ch_xml_attr(struct ch_buf *b, const char *name, double v, unsigned decimals)
{
	ch_buf_puts(b, name);
	ch_buf_puts(b, "=\"");
	ch_xml_number(b, v, decimals);
	ch_buf_putc(b, '"');
}
