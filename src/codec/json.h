/*
 * Reading JSON by pulling: the caller asks for what it expects, in the order of the text, and no
 * tree is built.
 *
 *	struct ch_json j = ch_json(data, n, &scratch);
 *	struct ch_span key, name = CH_NO_SPAN;
 *	int64_t count = 0;
 *
 *	if (ch_json_object(&j))
 *		while (ch_json_key(&j, &key)) {
 *			if (ch_span_is(key, "name"))
 *				ch_json_text(&j, &name);
 *			else if (ch_span_is(key, "count"))
 *				ch_json_i64(&j, &count);
 *			else
 *				ch_json_skip(&j);
 *		}
 *	if (ch_json_end(&j) < 0)
 *		… j.error, ch_json_line(&j) …
 *
 * A value of another type than the one asked for is skipped and the question answered with false:
 * only bad syntax is an error. The first error sticks: from then on everything answers false, so
 * that callers check once. After ch_json_key or ch_json_item said true, exactly one value must be
 * asked for or skipped. Nothing is allocated but the text of strings with escapes.
 */
#ifndef CH_CODEC_JSON_H
#define CH_CODEC_JSON_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

/* Deeper nesting is an error. */
#define CH_JSON_DEPTH 256

enum ch_json_kind {
	CH_JSON_NONE, /* end of the text, or no value at all */
	CH_JSON_NULL,
	CH_JSON_BOOL,
	CH_JSON_NUMBER,
	CH_JSON_STRING,
	CH_JSON_ARRAY,
	CH_JSON_OBJECT,
};

struct ch_json {
	const char *p, *start, *end;
	struct ch_buf *scratch;
	const char *error; /* what is wrong at p, as words for a sentence; NULL while all is well */
	unsigned depth;
	bool fresh;                           /* just behind an opening bracket */
	uint64_t objects[CH_JSON_DEPTH / 64]; /* which of the open containers are objects */
};

struct ch_json_number {
	double d;
	int64_t i;  /* exact when whole, else 0 */
	bool whole; /* an integer that fits, however written: 12, 12.0, 1.2E1 */
};

/* scratch is borrowed; its limit is the limit of strings with escapes. */
struct ch_json ch_json(const void *data, size_t n, struct ch_buf *scratch);

/* What comes next; nothing is consumed but white space. */
enum ch_json_kind ch_json_peek(struct ch_json *j);

/* Enters an object; then ch_json_key until it says false, which leaves it. */
bool ch_json_object(struct ch_json *j);
bool ch_json_key(struct ch_json *j, struct ch_span *ret);
/* Enters an array; then ch_json_item until it says false, which leaves it. */
bool ch_json_array(struct ch_json *j);
bool ch_json_item(struct ch_json *j);

/* Values; *ret is written only when the answer is true. */
/*
 * The bytes are in the input where nothing had to be unescaped, else in scratch, where they last
 * until the next string is read. They may hold NUL and, if the input did, broken UTF-8.
 */
bool ch_json_text(struct ch_json *j, struct ch_span *ret);
bool ch_json_number(struct ch_json *j, struct ch_json_number *ret);
/* Only a whole number. */
bool ch_json_i64(struct ch_json *j, int64_t *ret);
/* Any value, however deep; its syntax is checked all the same. */
void ch_json_skip(struct ch_json *j);

/* 0 when all was well and nothing but white space is left, else -EBADMSG with j->error set. */
int ch_json_end(struct ch_json *j);
/* Line of p, counted from 1. */
size_t ch_json_line(const struct ch_json *j);
static inline size_t ch_json_offset(const struct ch_json *j)
{
	return (size_t)(j->p - j->start);
}

#endif
