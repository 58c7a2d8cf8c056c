#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void ch_buf_done(struct ch_buf *b)
{
	free(b->data);
	*b = (struct ch_buf){ .max = b->max };
}

char *ch_buf_room_slow(struct ch_buf *b, size_t n)
{
	size_t cap;
	char *data;

	if (b->err)
		return NULL;
	if (n > b->max || b->len > b->max - n) {
		b->err = -E2BIG;
		return NULL;
	}
	cap = b->cap < 128 ? 256 : b->cap * 2;
	if (cap < b->len + n)
		cap = b->len + n;
	if (cap > b->max)
		cap = b->max;
	data = realloc(b->data, cap ? cap : 1);
	if (!data) {
		b->err = -ENOMEM;
		return NULL;
	}
	b->data = data;
	b->cap = cap;
	return data + b->len;
}

char *ch_decimal(int64_t v, char *end)
{
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	do {
		*--end = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		*--end = '-';
	return end;
}

void ch_buf_i64(struct ch_buf *b, int64_t v)
{
	char digits[20], *end = digits + sizeof(digits), *p = ch_decimal(v, end);

	ch_buf_put(b, p, (size_t)(end - p));
}

void ch_buf_printf(struct ch_buf *b, const char *fmt, ...)
{
	va_list args;
	int n;
	char *to;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	to = ch_buf_room(b, (size_t)n + 1);
	if (!to)
		return;
	va_start(args, fmt);
	(void)vsnprintf(to, (size_t)n + 1, fmt, args);
	va_end(args);
	b->len += (size_t)n;
}
