/* Handing a buffer on to the output once it is worth it: writers of text build in a buffer. */
#ifndef CH_SYS_SPILL_H
#define CH_SYS_SPILL_H

#include "base/buf.h"
#include "sys/out.h"

#define CH_SPILL_BYTES ((size_t)64 * 1024)

static inline void ch_spill_all(struct ch_buf *b, struct ch_out *out)
{
	if (b->len)
		ch_out_write(out, b->data, b->len);
	ch_buf_reset(b);
}

static inline void ch_spill(struct ch_buf *b, struct ch_out *out)
{
	if (b->len >= CH_SPILL_BYTES)
		ch_spill_all(b, out);
}

#endif
