#include "unit.h"
#include "codec/base64.h"
#include "codec/pack.h"
#include "codec/proto.h"
#include "codec/unpack.h"

#include <errno.h>

static void check_base64(const char *plain, const char *expected)
{
	for (size_t cut = 0; cut <= strlen(plain); cut++) {
		struct ch_buf b = CH_BUF(1000);
		struct ch_base64 e = { 0 };

		ch_base64_put(&e, &b, plain, cut);
		ch_base64_put(&e, &b, plain + cut, strlen(plain) - cut);
		ch_base64_finish(&e, &b);
		ch_buf_putc(&b, 0);
		assert_string_equal(b.data, expected);
		ch_buf_done(&b);
	}
}

static void base64_comes_in_any_pieces(void **state)
{
	struct ch_buf b = CH_BUF(1000);
	struct ch_base64 e = { 0 };

	(void)state;
	check_base64("", "");
	check_base64("f", "Zg==");
	check_base64("fo", "Zm8=");
	check_base64("foo", "Zm9v");
	check_base64("foob", "Zm9vYg==");
	check_base64("fooba", "Zm9vYmE=");
	check_base64("foobar\xff\xfe", "Zm9vYmFy//4=");
	for (const char *p = "foobarbaz"; *p; p++)
		ch_base64_put(&e, &b, p, 1);
	ch_base64_finish(&e, &b);
	assert_int_equal(b.len, 12);
	assert_memory_equal(b.data, "Zm9vYmFyYmF6", 12);
	ch_buf_done(&b);
}

static int collect(void *ctx, const uint8_t *data, size_t n)
{
	struct ch_buf *b = ctx;

	ch_buf_put(b, data, n);
	return b->err;
}

static void pack_and_unpack(enum ch_pack_form form, enum ch_packing packing)
{
	struct ch_buf plain = CH_BUF(1 << 22), packed = CH_BUF(1 << 22), back = CH_BUF(1 << 22);
	struct ch_packer *k = ch_packer_new(form, 6, collect, &packed);
	uint32_t x = 1;

	for (int i = 0; i < 300000; i++) {
		x = x * 1103515245 + 12345;
		ch_buf_putc(&plain, (char)(x >> 24 & (i & 4096 ? 0xff : 3)));
	}
	ch_packer_put(k, plain.data, 100000);
	ch_packer_put(k, plain.data, 0);
	ch_packer_put(k, plain.data + 100000, 200000);
	assert_int_equal(ch_packer_finish(k), 0);
	ch_packer_free(k);
	assert_int_equal(ch_packing_of((uint8_t *)packed.data, packed.len), packing);
	assert_int_equal(
	    ch_unpack(packing, (uint8_t *)packed.data, packed.len, 1 << 20, collect, &back), 0);
	assert_int_equal(back.len, plain.len);
	assert_memory_equal(back.data, plain.data, plain.len);
	ch_buf_done(&plain);
	ch_buf_done(&packed);
	ch_buf_done(&back);
}

static void packing_is_undone_by_unpacking(void **state)
{
	(void)state;
	pack_and_unpack(CH_PACK_GZIP, CH_PACKING_GZIP);
	pack_and_unpack(CH_PACK_ZSTD, CH_PACKING_ZSTD);
}

static int full(void *ctx, const uint8_t *data, size_t n)
{
	(void)ctx, (void)data, (void)n;
	return -ENOSPC;
}

static int pack(enum ch_pack_form form, ch_pack_sink *sink, void *ctx)
{
	struct ch_packer *k = ch_packer_new(form, 9, sink, ctx);
	int r;

	ch_packer_put(k, "abc", 3);
	r = ch_packer_finish(k);
	ch_packer_free(k);
	return r;
}

static void a_failing_sink_ends_the_packing(void **state)
{
	struct ch_buf b = CH_BUF(1000);

	(void)state;
	assert_int_equal(pack(CH_PACK_GZIP, full, NULL), -ENOSPC);
	assert_int_equal(pack(CH_PACK_ZSTD, full, NULL), -ENOSPC);
	assert_int_equal(pack(CH_PACK_ZLIB, collect, &b), 0);
	assert_int_equal(b.data[0], 0x78);
	ch_buf_done(&b);
}

static void proto_fields_come_back(void **state)
{
	struct ch_buf b = CH_BUF(1000);
	struct ch_cursor c;
	struct ch_proto f;
	uint64_t v;
	bool done = false;

	(void)state;
	ch_proto_put_i64(&b, 1, -2);
	ch_proto_put_u64(&b, 2, 0);
	ch_proto_put_bytes(&b, 3, "\x01\x80\x02", 3);
	ch_buf_put(&b, "\x21\1\2\3\4\5\6\7\x08\x2d\1\0\0\x80", 14);
	c = ch_cursor(b.data, b.len);
	assert_true(ch_proto_next(&c, &f));
	assert_int_equal(f.number, 1);
	assert_int_equal((int64_t)f.value, -2);
	assert_true(ch_proto_each(&f, &done, &v));
	assert_int_equal((int64_t)v, -2);
	assert_false(ch_proto_each(&f, &done, &v));
	assert_true(ch_proto_next(&c, &f));
	assert_int_equal(f.number, 3);
	assert_true(ch_proto_each(&f, &done, &v));
	assert_int_equal(v, 1);
	assert_true(ch_proto_each(&f, &done, &v));
	assert_int_equal(v, 256);
	assert_false(ch_proto_each(&f, &done, &v));
	assert_true(ch_proto_next(&c, &f));
	assert_true(f.number == 4 && f.value == UINT64_C(0x0807060504030201));
	assert_true(ch_proto_next(&c, &f));
	assert_true(f.number == 5 && f.value == 0x80000001);
	assert_false(ch_proto_next(&c, &f));
	assert_false(c.bad);
	ch_buf_done(&b);
}

static void expect_bad(const char *bytes, size_t n)
{
	struct ch_cursor c = ch_cursor(bytes, n);
	struct ch_proto f;

	while (ch_proto_next(&c, &f))
		;
	assert_true(c.bad);
}

static void damaged_proto_is_seen(void **state)
{
	(void)state;
	expect_bad("\x08", 1); /* a value is missing */
	expect_bad("\x0a\x05"
	           "abc",
	           5);                                                  /* a body is cut */
	expect_bad("\x0b", 1);                                          /* a group */
	expect_bad("\x00\x00", 2);                                      /* field 0 */
	expect_bad("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11); /* 2^64 - 1 bytes */
	expect_bad("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_comes_in_any_pieces),
		cmocka_unit_test(packing_is_undone_by_unpacking),
		cmocka_unit_test(a_failing_sink_ends_the_packing),
		cmocka_unit_test(proto_fields_come_back),
		cmocka_unit_test(damaged_proto_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
