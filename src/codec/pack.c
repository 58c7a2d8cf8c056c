#include "codec/pack.h"

#include <errno.h>
#include <zlib.h>

#define PIECE_BYTES (64 * 1024)

struct ch_packer {
	z_stream z;
	ch_pack_sink *sink;
	void *ctx;
	int err;
	uint8_t piece[PIECE_BYTES];
};

struct ch_packer *ch_packer_new(enum ch_pack_form form, int level, ch_pack_sink *sink, void *ctx)
{
	struct ch_packer *k = calloc(1, sizeof(*k));
	/* 16 more asks zlib for the gzip wrapper. */
	int bits = form == CH_PACK_GZIP ? MAX_WBITS + 16 : MAX_WBITS;

	if (!k)
		return NULL;
	if (deflateInit2(&k->z, level, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(k);
		return NULL;
	}
	k->sink = sink;
	k->ctx = ctx;
	return k;
}

/* Runs zlib over its present input until it has nothing more to say. */
static void drain(struct ch_packer *k, int flush)
{
	int r;

	do {
		k->z.next_out = k->piece;
		k->z.avail_out = PIECE_BYTES;
		/* Z_BUF_ERROR only says that there was nothing to do. */
		r = deflate(&k->z, flush);
		if (r == Z_STREAM_ERROR)
			k->err = -EINVAL;
		else if (k->z.avail_out < PIECE_BYTES)
			k->err = k->sink(k->ctx, k->piece, PIECE_BYTES - k->z.avail_out);
	} while (k->err >= 0 && (flush == Z_FINISH ? r != Z_STREAM_END : !k->z.avail_out));
}

void ch_packer_put(struct ch_packer *k, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n && k->err >= 0) {
		/* zlib counts in unsigned int. */
		uInt now = n < (1u << 30) ? (uInt)n : 1u << 30;

		k->z.next_in = (Bytef *)p;
		k->z.avail_in = now;
		drain(k, Z_NO_FLUSH);
		p += now;
		n -= now;
	}
}

int ch_packer_finish(struct ch_packer *k)
{
	if (k->err >= 0)
		drain(k, Z_FINISH);
	return k->err < 0 ? k->err : 0;
}

void ch_packer_free(struct ch_packer *k)
{
	if (!k)
		return;
	deflateEnd(&k->z);
	free(k);
}
