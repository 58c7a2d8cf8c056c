#include "jfr/text.h"
#include "jfr/varint.h"
#include "base/utf8.h"

/* Units of UTF-16 as UTF-8; halves of a pair that stand alone become U+FFFD. */
static void read_chars(struct ch_cursor *c, uint64_t n, struct ch_buf *out)
{
	uint32_t high = 0;
	char utf8[4];

	for (; n && !c->bad && !out->err; n--) {
		uint32_t unit = (uint32_t)(ch_jfr_varint(c) & 0xffff);

		if (high && unit >> 10 == 0x37) {
			unit = 0x10000 + ((high & 0x3ff) << 10 | (unit & 0x3ff));
			high = 0;
		}
		if (high)
			ch_buf_put(out, utf8, ch_utf8_put(high, utf8));
		high = unit >> 10 == 0x36 ? unit : 0;
		if (!high)
			ch_buf_put(out, utf8, ch_utf8_put(unit, utf8));
	}
	if (high)
		ch_buf_put(out, utf8, ch_utf8_put(high, utf8));
}

static void read_latin1(const uint8_t *s, size_t n, struct ch_buf *out)
{
	char utf8[4];

	for (size_t i = 0; i < n; i++)
		ch_buf_put(out, utf8, ch_utf8_put(s[i], utf8));
}

enum ch_jfr_encoding ch_jfr_text_read(struct ch_cursor *c, struct ch_buf *scratch,
                                      struct ch_span *ret, uint64_t *ret_key)
{
	uint8_t encoding = ch_cursor_u8(c);
	const uint8_t *s;
	uint64_t n;

	*ret = CH_NO_SPAN;
	if (encoding <= CH_JFR_EMPTY)
		return encoding;
	n = ch_jfr_varint(c);
	if (encoding == CH_JFR_POOLED && ret_key) {
		*ret_key = n;
		return CH_JFR_POOLED;
	}
	/* A character takes one byte at least, so that more than the bytes left is damage. */
	if (encoding == CH_JFR_POOLED || encoding > CH_JFR_LATIN1 || n > ch_cursor_left(c)) {
		ch_cursor_fail(c);
		return CH_JFR_NULL;
	}
	if (encoding == CH_JFR_UTF8) {
		*ret = (struct ch_span){ (const char *)ch_cursor_take(c, n), n };
		return encoding;
	}
	ch_buf_reset(scratch);
	if (encoding == CH_JFR_CHARS)
		read_chars(c, n, scratch);
	else if ((s = ch_cursor_take(c, n)))
		read_latin1(s, n, scratch);
	if (scratch->len && !scratch->err)
		*ret = (struct ch_span){ scratch->data, scratch->len };
	return encoding;
}

void ch_jfr_text_skip(struct ch_cursor *c)
{
	uint8_t encoding = ch_cursor_u8(c);
	uint64_t n;

	if (encoding <= CH_JFR_EMPTY)
		return;
	n = ch_jfr_varint(c);
	if (encoding == CH_JFR_POOLED)
		return;
	if (encoding == CH_JFR_CHARS && n <= ch_cursor_left(c))
		ch_jfr_skip_varints(c, n);
	else if (encoding <= CH_JFR_LATIN1 && n <= ch_cursor_left(c))
		ch_cursor_take(c, n);
	else
		ch_cursor_fail(c);
}
