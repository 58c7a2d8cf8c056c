#include "codec/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <zlib.h>
#include <zstd.h>

#define PIECE_BYTES (64 * 1024)

struct ch_packer {
	z_stream z;
	ZSTD_CCtx *zstd; /* NULL: zlib does it */
	ch_pack_sink *sink;
	void *ctx;
	int err;
	uint8_t piece[PIECE_BYTES];
};

static bool start_zlib(struct ch_packer *k, enum ch_pack_form form, int level)
{
	/* 16 more asks zlib for the gzip wrapper. */
	int bits = form == CH_PACK_GZIP ? MAX_WBITS + 16 : MAX_WBITS;

	return deflateInit2(&k->z, level, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

static bool start_zstd(struct ch_packer *k, int level)
{
	k->zstd = ZSTD_createCCtx();
	if (!k->zstd)
		return false;
	ZSTD_CCtx_setParameter(k->zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(k->zstd, ZSTD_c_checksumFlag, 1);
	return true;
}

struct ch_packer *ch_packer_new(enum ch_pack_form form, int level, ch_pack_sink *sink, void *ctx)
{
	struct ch_packer *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	if (!(form == CH_PACK_ZSTD ? start_zstd(k, level) : start_zlib(k, form, level))) {
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

static void put_zlib(struct ch_packer *k, const uint8_t *p, size_t n)
{
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

static void put_zstd(struct ch_packer *k, const void *data, size_t n, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { k->piece, PIECE_BYTES, 0 };

		left = ZSTD_compressStream2(k->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			k->err = -ENOMEM;
		else if (out.pos)
			k->err = k->sink(k->ctx, k->piece, out.pos);
	} while (k->err >= 0 && (in.pos < in.size || (end == ZSTD_e_end && left)));
}

void ch_packer_put(struct ch_packer *k, const void *data, size_t n)
{
	if (!k->zstd)
		put_zlib(k, data, n);
	else if (n && k->err >= 0)
		put_zstd(k, data, n, ZSTD_e_continue);
}

int ch_packer_finish(struct ch_packer *k)
{
	if (k->err >= 0 && k->zstd)
		put_zstd(k, "", 0, ZSTD_e_end);
	else if (k->err >= 0)
		drain(k, Z_FINISH);
	return k->err < 0 ? k->err : 0;
}

void ch_packer_free(struct ch_packer *k)
{
	if (!k)
		return;
	if (k->zstd)
		ZSTD_freeCCtx(k->zstd);
	else
		deflateEnd(&k->z);
	free(k);
}
