/* Strings of a recording: five encodings, made UTF-8. */
#ifndef CH_JFR_TEXT_H
#define CH_JFR_TEXT_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/span.h"

enum ch_jfr_encoding {
	CH_JFR_NULL,
	CH_JFR_EMPTY,
	CH_JFR_POOLED, /* a key of the pool of java.lang.String follows */
	CH_JFR_UTF8,
	CH_JFR_CHARS, /* a varint per UTF-16 unit */
	CH_JFR_LATIN1,
};

/*
 * Reads one string. UTF-8 is borrowed from the window; other encodings are written to `scratch`,
 * which is reset first, and borrowed from there. A pooled string gives its key in *ret_key and an
 * empty text; ret_key NULL says that none is allowed. Returns the encoding; damage sets c->bad.
 */
enum ch_jfr_encoding ch_jfr_text_read(struct ch_cursor *c, struct ch_buf *scratch,
                                      struct ch_span *ret, uint64_t *ret_key);
/* Steps over one string. */
void ch_jfr_text_skip(struct ch_cursor *c);

#endif
