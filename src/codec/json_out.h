/*
 * Writing JSON into a buffer. Commas are put by themselves; what nests how is the caller's to get
 * right. Whatever the bytes of a string, the result is valid UTF-8: broken sequences become
 * U+FFFD. Failures stick in the buffer. Long texts: hand the buffer on and reset it between calls.
 */
#ifndef CH_CODEC_JSON_OUT_H
#define CH_CODEC_JSON_OUT_H

#include "base/buf.h"

#include <stdbool.h>

struct ch_json_out {
	struct ch_buf *buf;
	/* For text inside a <script> element: `<`, U+2028 and U+2029 are escaped too. */
	bool html;
	bool comma; /* a value stands before this place */
};

static inline struct ch_json_out ch_json_out(struct ch_buf *buf, bool html)
{
	return (struct ch_json_out){ buf, html, false };
}

/* The inside of a string: s escaped, without quotes. */
void ch_json_escape(struct ch_buf *b, const char *s, size_t n, bool html);

/* bracket is one of { [ and } ]. */
void ch_json_open(struct ch_json_out *w, char bracket);
void ch_json_close(struct ch_json_out *w, char bracket);
/* A name in an object; one value must follow. */
void ch_json_put_key(struct ch_json_out *w, const char *key);
void ch_json_put_text(struct ch_json_out *w, const char *s, size_t n);
void ch_json_put_str(struct ch_json_out *w, const char *s);
void ch_json_put_i64(struct ch_json_out *w, int64_t v);
/* The shortest text that reads back as v; null when v is no finite number. */
void ch_json_put_double(struct ch_json_out *w, double v);
void ch_json_put_bool(struct ch_json_out *w, bool v);
void ch_json_put_null(struct ch_json_out *w);

/* Name and value at once; ch_json_field_open opens a container as the value. */
void ch_json_field_str(struct ch_json_out *w, const char *key, const char *s);
void ch_json_field_text(struct ch_json_out *w, const char *key, const char *s, size_t n);
void ch_json_field_i64(struct ch_json_out *w, const char *key, int64_t v);
void ch_json_field_bool(struct ch_json_out *w, const char *key, bool v);
void ch_json_field_open(struct ch_json_out *w, const char *key, char bracket);

/* Ends a record of a format with one value per line; the next value starts afresh. */
void ch_json_put_newline(struct ch_json_out *w);

#endif
