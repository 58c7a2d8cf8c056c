/* Base64 as in RFC 4648 §4, padded and without line breaks. */
#ifndef CH_CODEC_BASE64_H
#define CH_CODEC_BASE64_H

#include "base/buf.h"

/*
 * Takes bytes in pieces of any size; between pieces up to two bytes wait for their third. Start
 * from an all-zero struct and end with ch_base64_finish. Failures stick in the buffer.
 */
struct ch_base64 {
	uint8_t waiting[2];
	unsigned n_waiting;
};

void ch_base64_put(struct ch_base64 *e, struct ch_buf *to, const void *data, size_t n);
void ch_base64_finish(struct ch_base64 *e, struct ch_buf *to);

#endif
