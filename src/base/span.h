/* Text as a piece of something larger: a span of bytes, looked at and never owned. */
#ifndef CH_BASE_SPAN_H
#define CH_BASE_SPAN_H

#include "base/util.h"

#include <stdbool.h>
#include <string.h>

/* Not terminated, and s is never NULL, also when it is empty. */
struct ch_span {
	const char *s;
	size_t n;
};

#define CH_SPAN(literal) ((struct ch_span){ (literal), sizeof(literal) - 1 })
#define CH_NO_SPAN       CH_SPAN("")

static inline bool ch_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ch_is_hex(char c)
{
	return ch_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Blanks within a line. */
static inline bool ch_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool ch_span_equal(struct ch_span a, struct ch_span b)
{
	return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

static inline bool ch_span_is(struct ch_span t, const char *word)
{
	size_t n = strlen(word);

	return t.n == n && !memcmp(t.s, word, n);
}

static inline bool ch_span_starts(struct ch_span t, const char *with)
{
	size_t n = strlen(with);

	return t.n >= n && !memcmp(t.s, with, n);
}

static inline bool ch_span_ends(struct ch_span t, const char *with)
{
	size_t n = strlen(with);

	return t.n >= n && !memcmp(t.s + t.n - n, with, n);
}

/* Where `what` stands first, or NULL. */
static inline const char *ch_span_find(struct ch_span t, const char *what)
{
	return memmem(t.s, t.n, what, strlen(what));
}

/* Without the blanks at both ends. */
static inline struct ch_span ch_span_trim(struct ch_span t)
{
	while (t.n && ch_is_space(t.s[0]))
		t.s++, t.n--;
	while (t.n && ch_is_space(t.s[t.n - 1]))
		t.n--;
	return t;
}

/* How many digits the text starts with. */
static inline size_t ch_span_digits(struct ch_span t)
{
	size_t i = 0;

	while (i < t.n && ch_is_digit(t.s[i]))
		i++;
	return i;
}

/* Those digits as a number: 0 when there are none, INT64_MAX when there are too many. */
static inline int64_t ch_span_number(struct ch_span t)
{
	int64_t v = 0;

	for (size_t i = 0; i < t.n && ch_is_digit(t.s[i]); i++)
		v = ch_sat_add(ch_sat_mul(v, 10), t.s[i] - '0');
	return v;
}

#endif
