/*
 * Compressing by deflate or zstd, in pieces: bytes go in as they are made, compressed pieces come out at a
 * sink. The mirror of unpack.h.
 */
#ifndef CH_CODEC_PACK_H
#define CH_CODEC_PACK_H

#include "base/error.h"

enum ch_pack_form {
	CH_PACK_ZLIB, /* RFC 1950: what browsers call "deflate" */
	CH_PACK_GZIP, /* RFC 1952, without name and time: equal input gives equal output */
	CH_PACK_ZSTD, /* RFC 8878, with a checksum */
};

/* Takes a compressed piece; a negative result ends the work with that result. */
typedef int ch_pack_sink(void *ctx, const uint8_t *data, size_t n);

struct ch_packer;

/*
 * level 1 (fast) to 9 (small). NULL when out of memory. Not thread-safe; the sink is called from
 * within put and finish.
 */
struct ch_packer *ch_packer_new(enum ch_pack_form form, int level, ch_pack_sink *sink, void *ctx);
/* The first failure sticks and comes back from ch_packer_finish. */
void ch_packer_put(struct ch_packer *k, const void *data, size_t n);
/* Ends the stream. 0, or the first failure: what the sink returned, or -ENOMEM. */
int ch_packer_finish(struct ch_packer *k);
void ch_packer_free(struct ch_packer *k);

#endif
