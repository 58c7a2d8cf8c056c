#include "codec/json_out.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes what stands for the control character or special byte c. */
static void escape_byte(struct ch_buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;

	if (at) {
		ch_buf_put(b, (char[]){ '\\', to[at - from] }, 2);
		return;
	}
	ch_buf_put(b, "\\u00", 4);
	ch_buf_put(b, (char[]){ hex[c >> 4], hex[c & 15] }, 2);
}

static inline bool is_plain(unsigned char c, bool html)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && !(html && c == '<');
}

/* Line separators end a statement in older JavaScript. */
static bool is_separator(const char *s, size_t len)
{
	return len == 3 && !memcmp(s, "\xe2\x80", 2) && ((unsigned char)s[2] & 0xfe) == 0xa8;
}

void ch_json_escape(struct ch_buf *b, const char *s, size_t n, bool html)
{
	size_t i = 0;

	while (i < n) {
		size_t from = i, len;

		while (i < n && is_plain((unsigned char)s[i], html))
			i++;
		ch_buf_put(b, s + from, i - from);
		if (i == n)
			return;
		len = ch_utf8_len(s + i, n - i);
		if (!len)
			ch_buf_put(b, "\xef\xbf\xbd", 3);
		else if (len == 1)
			escape_byte(b, (unsigned char)s[i]);
		else if (html && is_separator(s + i, len))
			ch_buf_puts(b, (s[i + 2] & 1) ? "\\u2029" : "\\u2028");
		else
			ch_buf_put(b, s + i, len);
		i += len ? len : 1;
	}
}

static void before_value(struct ch_json_out *w)
{
	if (w->comma)
		ch_buf_putc(w->buf, ',');
	w->comma = true;
}

void ch_json_open(struct ch_json_out *w, char bracket)
{
	before_value(w);
	ch_buf_putc(w->buf, bracket);
	w->comma = false;
}

void ch_json_close(struct ch_json_out *w, char bracket)
{
	ch_buf_putc(w->buf, bracket);
	w->comma = true;
}

void ch_json_put_key(struct ch_json_out *w, const char *key)
{
	ch_json_put_str(w, key);
	ch_buf_putc(w->buf, ':');
	w->comma = false;
}

void ch_json_put_text(struct ch_json_out *w, const char *s, size_t n)
{
	before_value(w);
	ch_buf_putc(w->buf, '"');
	ch_json_escape(w->buf, s, n, w->html);
	ch_buf_putc(w->buf, '"');
}

void ch_json_put_str(struct ch_json_out *w, const char *s)
{
	ch_json_put_text(w, s, strlen(s));
}

void ch_json_put_i64(struct ch_json_out *w, int64_t v)
{
	before_value(w);
	ch_buf_i64(w->buf, v);
}

void ch_json_put_double(struct ch_json_out *w, double v)
{
	char text[40];

	if (!isfinite(v)) {
		ch_json_put_null(w);
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		(void)snprintf(text, sizeof(text), "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	before_value(w);
	ch_buf_puts(w->buf, text);
}

void ch_json_put_bool(struct ch_json_out *w, bool v)
{
	before_value(w);
	ch_buf_puts(w->buf, v ? "true" : "false");
}

void ch_json_put_null(struct ch_json_out *w)
{
	before_value(w);
	ch_buf_puts(w->buf, "null");
}

void ch_json_field_str(struct ch_json_out *w, const char *key, const char *s)
{
	ch_json_put_key(w, key);
	ch_json_put_str(w, s);
}

void ch_json_field_text(struct ch_json_out *w, const char *key, const char *s, size_t n)
{
	ch_json_put_key(w, key);
	ch_json_put_text(w, s, n);
}

void ch_json_field_i64(struct ch_json_out *w, const char *key, int64_t v)
{
	ch_json_put_key(w, key);
	ch_json_put_i64(w, v);
}

void ch_json_field_bool(struct ch_json_out *w, const char *key, bool v)
{
	ch_json_put_key(w, key);
	ch_json_put_bool(w, v);
}

void ch_json_field_open(struct ch_json_out *w, const char *key, char bracket)
{
	ch_json_put_key(w, key);
	ch_json_open(w, bracket);
}

void ch_json_put_newline(struct ch_json_out *w)
{
	ch_buf_putc(w->buf, '\n');
	w->comma = false;
}
