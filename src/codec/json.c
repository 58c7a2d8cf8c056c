#include "codec/json.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Longer numbers are an error: no writer makes them, and strtod wants a copy. */
#define NUMBER_MAX 1100

struct ch_json ch_json(const void *data, size_t n, struct ch_buf *scratch)
{
	return (struct ch_json){
		.p = data, .start = data, .end = (const char *)data + n, .scratch = scratch
	};
}

static bool fail(struct ch_json *j, const char *what)
{
	if (!j->error)
		j->error = what;
	return false;
}

/* The first byte that is not white space, or -1 at the end and after an error. */
static inline int look(struct ch_json *j)
{
	if (CH_UNLIKELY(j->error))
		return -1;
	while (j->p < j->end) {
		unsigned char c = (unsigned char)*j->p;

		if (c > ' ' || (c != ' ' && c != '\n' && c != '\t' && c != '\r'))
			return c;
		j->p++;
	}
	return -1;
}

enum ch_json_kind ch_json_peek(struct ch_json *j)
{
	int c = look(j);

	switch (c) {
	case '{':
		return CH_JSON_OBJECT;
	case '[':
		return CH_JSON_ARRAY;
	case '"':
		return CH_JSON_STRING;
	case 't':
	case 'f':
		return CH_JSON_BOOL;
	case 'n':
		return CH_JSON_NULL;
	default:
		return c == '-' || (c >= '0' && c <= '9') ? CH_JSON_NUMBER : CH_JSON_NONE;
	}
}

/* --- containers ------------------------------------------------------------------------------ */

static bool in_object(const struct ch_json *j)
{
	return j->objects[(j->depth - 1) / 64] >> (j->depth - 1) % 64 & 1;
}

static bool enter(struct ch_json *j, bool object)
{
	uint64_t bit = UINT64_C(1) << j->depth % 64;

	if (j->depth == CH_JSON_DEPTH)
		return fail(j, "too many nested brackets");
	if (object)
		j->objects[j->depth / 64] |= bit;
	else
		j->objects[j->depth / 64] &= ~bit;
	j->p++;
	j->depth++;
	j->fresh = true;
	return true;
}

static bool more(struct ch_json *j, char close)
{
	int c = look(j);

	if (j->error)
		return false;
	if (c == close) {
		j->p++;
		j->depth--;
		j->fresh = false;
		return false;
	}
	if (!j->fresh) {
		if (c != ',')
			return fail(j, c < 0 ? "the text ends too early"
			                     : "a comma or closing bracket is missing");
		j->p++;
	}
	j->fresh = false;
	return true;
}

bool ch_json_object(struct ch_json *j)
{
	if (look(j) == '{')
		return enter(j, true);
	ch_json_skip(j);
	return false;
}

bool ch_json_array(struct ch_json *j)
{
	if (look(j) == '[')
		return enter(j, false);
	ch_json_skip(j);
	return false;
}

bool ch_json_item(struct ch_json *j)
{
	return more(j, ']');
}

/* --- strings --------------------------------------------------------------------------------- */

#define ONES UINT64_C(0x0101010101010101)
#define TOPS UINT64_C(0x8080808080808080)

/* The top bit of each byte that is zero; bytes above the first hit may be wrong. */
static inline uint64_t zero_bytes(uint64_t w)
{
	return (w - ONES) & ~w & TOPS;
}

/* The first quote, backslash or control character at or behind p. */
static const char *plain_end(const char *p, const char *end)
{
	for (; end - p >= 8; p += 8) {
		uint64_t w = ch_load64(p);
		uint64_t hit = zero_bytes(w ^ ONES * '"') | zero_bytes(w ^ ONES * '\\') |
		               ((w - ONES * 0x20) & ~w & TOPS);

		/* Which byte it was is left to the loop below: no byte order to think of. */
		if (hit)
			break;
	}
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
}

static int hex4(struct ch_json *j)
{
	int v = 0;

	if (j->end - j->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = *j->p++;

		if (ch_is_digit(c))
			v = v << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = v << 4 | ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* Behind \u. A surrogate without its partner becomes U+FFFD. `to` NULL drops the result. */
static bool unescape_unicode(struct ch_json *j, struct ch_buf *to)
{
	int c = hex4(j);
	char utf8[4];

	if (c >= 0xd800 && c < 0xdc00 && j->end - j->p >= 6 && j->p[0] == '\\' && j->p[1] == 'u') {
		const char *back = j->p;
		int low;

		j->p += 2;
		low = hex4(j);
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		else
			j->p = back; /* looked at again as an escape of its own */
	}
	if (c < 0)
		return fail(j, "\\u lacks its four digits");
	if (to)
		ch_buf_put(to, utf8, ch_utf8_put((uint32_t)c, utf8));
	return true;
}

static bool unescape(struct ch_json *j, struct ch_buf *to)
{
	static const char letters[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (++j->p == j->end)
		return fail(j, "a string does not end");
	if (*j->p == 'u') {
		j->p++;
		return unescape_unicode(j, to);
	}
	at = *j->p ? strchr(letters, *j->p) : NULL;
	if (!at)
		return fail(j, "an escape in a string is unknown");
	if (to)
		ch_buf_putc(to, meaning[at - letters]);
	j->p++;
	return true;
}

/* Behind the opening quote, checks a string up to its closing quote and drops it. */
static bool skip_string(struct ch_json *j)
{
	for (;;) {
		j->p = plain_end(j->p, j->end);
		if (CH_UNLIKELY(j->p == j->end))
			return fail(j, "a string does not end");
		if (*j->p == '"')
			break;
		if (*j->p != '\\')
			return fail(j, "a string holds a control character");
		if (!unescape(j, NULL))
			return false;
	}
	j->p++;
	return true;
}

/* At the first backslash of a string that began at `from`. */
static bool read_escaped(struct ch_json *j, const char *from, struct ch_span *ret)
{
	struct ch_buf *to = j->scratch;

	ch_buf_reset(to);
	to->err = 0; /* that the string before was too long says nothing about this one */
	while (*j->p != '"') {
		if (*j->p != '\\')
			return fail(j, "a string holds a control character");
		ch_buf_put(to, from, (size_t)(j->p - from));
		if (!unescape(j, to))
			return false;
		from = j->p;
		j->p = plain_end(j->p, j->end);
		if (j->p == j->end)
			return fail(j, "a string does not end");
	}
	ch_buf_put(to, from, (size_t)(j->p - from));
	j->p++;
	if (to->err)
		return fail(j,
		            to->err == -ENOMEM ? "no memory for a string" : "a string is too long");
	*ret = (struct ch_span){ to->data, to->len };
	return true;
}

/* At the opening quote. With ret NULL the text is checked and dropped. */
static bool read_string(struct ch_json *j, struct ch_span *ret)
{
	const char *from = ++j->p;

	if (!ret)
		return skip_string(j);
	j->p = plain_end(from, j->end);
	if (CH_UNLIKELY(j->p == j->end))
		return fail(j, "a string does not end");
	if (*j->p != '"')
		return read_escaped(j, from, ret);
	*ret = (struct ch_span){ from, (size_t)(j->p - from) };
	j->p++;
	return true;
}

static bool read_key(struct ch_json *j, struct ch_span *ret)
{
	if (look(j) != '"')
		return fail(j, "a name in quotes is missing");
	if (!read_string(j, ret))
		return false;
	if (look(j) != ':')
		return fail(j, "a colon is missing");
	j->p++;
	return true;
}

bool ch_json_key(struct ch_json *j, struct ch_span *ret)
{
	return more(j, '}') && read_key(j, ret);
}

bool ch_json_text(struct ch_json *j, struct ch_span *ret)
{
	if (look(j) == '"')
		return read_string(j, ret);
	ch_json_skip(j);
	return false;
}

/* --- numbers and words ----------------------------------------------------------------------- */

static const char *digits_end(const char *p, const char *end)
{
	while (p < end && ch_is_digit(*p))
		p++;
	return p;
}

/* The end of a number by JSON's grammar, or NULL; *integer when it has no fraction or exponent. */
static const char *number_end(const char *p, const char *end, bool *integer)
{
	const char *d;

	p += p < end && *p == '-';
	d = p;
	p = digits_end(p, end);
	if (p == d || (*d == '0' && p - d > 1))
		return NULL;
	*integer = true;
	if (p < end && *p == '.') {
		*integer = false;
		d = ++p;
		p = digits_end(p, end);
		if (p == d)
			return NULL;
	}
	if (p < end && (*p | 0x20) == 'e') {
		*integer = false;
		p++;
		p += p < end && (*p == '+' || *p == '-');
		d = p;
		p = digits_end(p, end);
		if (p == d)
			return NULL;
	}
	return p;
}

static bool parse_i64(const char *p, const char *end, int64_t *ret)
{
	bool negative = *p == '-';
	int64_t v = 0;

	/* Downwards, since the smallest number has no positive twin. */
	for (p += negative; p < end; p++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, *p - '0', &v))
			return false;
	if (!negative && v == INT64_MIN)
		return false;
	*ret = negative ? v : -v;
	return true;
}

static bool parse_double(const char *p, size_t n, struct ch_json_number *ret)
{
	char copy[NUMBER_MAX + 1];

	if (n > NUMBER_MAX)
		return false;
	memcpy(copy, p, n);
	copy[n] = 0;
	/* No program here sets LC_NUMERIC, so the point is a point. */
	ret->d = strtod(copy, NULL);
	/* Up to 2^53 each integer has a double of its own. */
	ret->whole = fabs(ret->d) <= 9007199254740992.0 && ret->d == floor(ret->d);
	ret->i = ret->whole ? (int64_t)ret->d : 0;
	return true;
}

static bool read_number(struct ch_json *j, struct ch_json_number *ret)
{
	bool integer;
	const char *end = number_end(j->p, j->end, &integer);

	if (!end)
		return fail(j, "a number is malformed");
	if (ret && integer && parse_i64(j->p, end, &ret->i)) {
		ret->d = (double)ret->i;
		ret->whole = true;
	} else if (ret && !parse_double(j->p, (size_t)(end - j->p), ret)) {
		return fail(j, "a number has too many digits");
	}
	j->p = end;
	return true;
}

bool ch_json_number(struct ch_json *j, struct ch_json_number *ret)
{
	if (ch_json_peek(j) == CH_JSON_NUMBER)
		return read_number(j, ret);
	ch_json_skip(j);
	return false;
}

bool ch_json_i64(struct ch_json *j, int64_t *ret)
{
	struct ch_json_number n;

	if (!ch_json_number(j, &n) || !n.whole)
		return false;
	*ret = n.i;
	return true;
}

static bool read_word(struct ch_json *j, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n))
		return fail(j, "a value is missing");
	j->p += n;
	return true;
}

/* --- skipping and the end -------------------------------------------------------------------- */

/* One value, or the opening bracket of one. */
static bool skip_start(struct ch_json *j)
{
	switch (look(j)) {
	case '{':
		return enter(j, true);
	case '[':
		return enter(j, false);
	case '"':
		return read_string(j, NULL);
	case 't':
		return read_word(j, "true");
	case 'f':
		return read_word(j, "false");
	case 'n':
		return read_word(j, "null");
	case -1:
		return fail(j, "the text ends too early");
	default:
		return ch_json_peek(j) == CH_JSON_NUMBER ? read_number(j, NULL)
		                                         : fail(j, "a value is missing");
	}
}

void ch_json_skip(struct ch_json *j)
{
	unsigned outside = j->depth;

	while (skip_start(j)) {
		for (;;) {
			if (j->depth == outside)
				return;
			if (in_object(j) ? more(j, '}') && read_key(j, NULL) : more(j, ']'))
				break;
			if (j->error)
				return;
		}
	}
}

int ch_json_end(struct ch_json *j)
{
	if (!j->error && look(j) >= 0)
		fail(j, "something follows the value");
	return j->error ? -EBADMSG : 0;
}

size_t ch_json_line(const struct ch_json *j)
{
	size_t line = 1;
	const char *p = j->start;

	while ((p = memchr(p, '\n', (size_t)(j->p - p)))) {
		line++;
		p++;
	}
	return line;
}
