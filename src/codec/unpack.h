/* Seeing through compression: gzip (also concatenated members) and zstd, as a stream. */
#ifndef CH_CODEC_UNPACK_H
#define CH_CODEC_UNPACK_H

#include "base/error.h"

enum ch_packing {
	CH_PACKING_NONE,
	CH_PACKING_GZIP,
	CH_PACKING_ZSTD,
};

/* What the zstd tool itself accepts without being asked. */
#define CH_UNPACK_WINDOW_MIB 128

/* By the first bytes. */
enum ch_packing ch_packing_of(const uint8_t *data, size_t n);

/* Takes a piece of the unpacked stream; a negative result ends the work with that result. */
typedef int ch_unpack_sink(void *ctx, const uint8_t *data, size_t n);

/*
 * Unpacks data[0..n) piece by piece. Returns 0; -EBADMSG when the stream is damaged or cut short
 * or followed by something else (the pieces before it were delivered); -E2BIG when it expands
 * beyond max_bytes; -EFBIG when it needs a window of more than CH_UNPACK_WINDOW_MIB; -ENOMEM; or
 * what the sink returned. No sentence: the caller knows the name.
 */
int ch_unpack(enum ch_packing packing, const uint8_t *data, size_t n, uint64_t max_bytes,
              ch_unpack_sink *sink, void *ctx);

#endif
