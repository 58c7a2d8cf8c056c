#include "codec/unpack.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define PIECE (256 * 1024)

struct pour {
	ch_unpack_sink *sink;
	void *ctx;
	uint64_t left; /* bytes that may still come out */
};

static int pour(struct pour *to, const uint8_t *data, size_t n)
{
	if (n > to->left)
		return -E2BIG;
	to->left -= n;
	return n ? to->sink(to->ctx, data, n) : 0;
}

enum ch_packing ch_packing_of(const uint8_t *data, size_t n)
{
	if (n >= 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8)
		return CH_PACKING_GZIP;
	if (n >= 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4))
		return CH_PACKING_ZSTD;
	return CH_PACKING_NONE;
}

/* Tapes and block devices leave zeros behind the last member; anything else got lost there. */
static bool is_padding(const uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (data[i])
			return false;
	return true;
}

/* One member after the other, then nothing or padding. */
static int unpack_gzip(const uint8_t *data, size_t n, struct pour *to, uint8_t *piece)
{
	z_stream z = { .next_in = (Bytef *)data };
	size_t left = n; /* not yet handed to zlib, whose counter is 32 bits wide */
	int r = 0, zr;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return -ENOMEM;
	for (;;) {
		if (!z.avail_in) {
			z.avail_in = left > INT_MAX ? INT_MAX : (uInt)left;
			left -= z.avail_in;
		}
		z.next_out = piece;
		z.avail_out = PIECE;
		zr = inflate(&z, Z_NO_FLUSH);
		r = pour(to, piece, PIECE - z.avail_out);
		if (r < 0)
			break;
		if (zr == Z_STREAM_END) {
			size_t rest = z.avail_in + left;

			if (ch_packing_of(z.next_in, rest) != CH_PACKING_GZIP) {
				r = is_padding(z.next_in, rest) ? 0 : -EBADMSG;
				break;
			}
			zr = inflateReset(&z);
		}
		if (zr != Z_OK) {
			r = zr == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
			break;
		}
	}
	inflateEnd(&z);
	return r;
}

static int zstd_failure(size_t code)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		return -EFBIG;
	default:
		return -EBADMSG;
	}
}

static int unpack_zstd(const uint8_t *data, size_t n, struct pour *to, uint8_t *piece)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { data, n, 0 };
	size_t hint = 1;
	int r = 0;

	if (!z)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 20 + __builtin_ctz(CH_UNPACK_WINDOW_MIB));
	while (!r) {
		ZSTD_outBuffer out = { piece, PIECE, 0 };
		size_t before = in.pos;

		hint = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(hint)) {
			r = zstd_failure(hint);
			break;
		}
		r = pour(to, piece, out.pos);
		if (in.pos == in.size && out.pos < out.size) {
			if (!r && hint)
				r = -EBADMSG;
			break;
		}
		if (in.pos == before && !out.pos)
			break;
	}
	ZSTD_freeDStream(z);
	return r;
}

int ch_unpack(enum ch_packing packing, const uint8_t *data, size_t n, uint64_t max_bytes,
              ch_unpack_sink *sink, void *ctx)
{
	CH_CLEANUP(ch_freep) uint8_t *piece = malloc(PIECE);
	struct pour to = { sink, ctx, max_bytes };

	if (!piece)
		return -ENOMEM;
	return packing == CH_PACKING_ZSTD ? unpack_zstd(data, n, &to, piece)
	                                  : unpack_gzip(data, n, &to, piece);
}
