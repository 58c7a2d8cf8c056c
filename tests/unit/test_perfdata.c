#include "unit.h"
#include "hotspot/perfdata.h"

#include <errno.h>

/* The memory of a JVM in miniature: a prologue and two counters. */
struct memory {
	_Alignas(8) uint8_t bytes[256];
	size_t n;
};

static void put32(uint8_t *to, uint32_t v)
{
	memcpy(to, &v, sizeof(v));
}

/* A name of at most 11 characters, so that the value stands aligned 32 bytes behind the start. */
static uint8_t *add(struct memory *m, const char *name, char type, uint32_t length,
                    const void *value, size_t size)
{
	uint8_t *e = m->bytes + m->n;

	put32(e, (uint32_t)(32 + (size + 7) / 8 * 8));
	put32(e + 4, 20);
	put32(e + 8, length);
	e[12] = (uint8_t)type;
	e[14] = type == 'J' ? 4 : 5;
	put32(e + 16, 32);
	(void)snprintf((char *)e + 20, 12, "%s", name);
	memcpy(e + 32, value, size);
	m->n += 32 + (size + 7) / 8 * 8;
	put32(m->bytes + 28, m->bytes[28] + 1);
	return e;
}

static struct memory made(void)
{
	struct memory m = { .bytes = { 0xca, 0xfe, 0xc0, 0xc0,
		                       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, 2, 0, 1 },
		            .n = 32 };

	put32(m.bytes + 24, 32);
	add(&m, "sun.rt.n", 'J', 0, &(int64_t){ 42 }, 8);
	add(&m, "sun.rt.s", 'B', 8, "text\0\0\0", 8);
	return m;
}

static void counters_are_found_by_name(void **state)
{
	struct memory m = made();
	struct ch_perfdata p;
	struct ch_perf_counter c;

	(void)state;
	assert_int_equal(ch_perfdata_open(m.bytes, m.n, &p), 0);
	assert_int_equal(*ch_perfdata_number(&p, "sun.rt.n"), 42);
	assert_true(ch_span_is(ch_perfdata_text(&p, "sun.rt.s"), "text"));
	assert_null(ch_perfdata_number(&p, "sun.rt.s"));
	assert_int_equal(ch_perfdata_text(&p, "sun.rt.n").n, 0);
	assert_null(ch_perfdata_number(&p, "sun.rt"));
	assert_true(ch_perfdata_next(&p, &c) && ch_perfdata_next(&p, &c));
	assert_false(ch_perfdata_next(&p, &c));
}

static void a_number_is_read_where_it_lives(void **state)
{
	struct memory m = made();
	struct ch_perfdata p;
	const int64_t *n;

	(void)state;
	assert_int_equal(ch_perfdata_open(m.bytes, m.n, &p), 0);
	n = ch_perfdata_number(&p, "sun.rt.n");
	memcpy(m.bytes + 64, &(int64_t){ 43 }, 8);
	assert_int_equal(*n, 43);
}

static void other_memory_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
		int result;
	} wrong[] = {
		{ 0, 0, -EBADMSG },                                         /* magic */
		{ 4, __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__, -EBADMSG }, /* byte order */
		{ 5, 1, -EBADMSG },                                         /* version */
		{ 7, 0, -EAGAIN },                                          /* not filled yet */
		{ 24, 255, -EBADMSG },                                      /* first entry */
		{ 28, 200, -EBADMSG },                                      /* entries */
	};

	(void)state;
	for (size_t i = 0; i < CH_LEN(wrong); i++) {
		struct memory m = made();
		struct ch_perfdata p;

		m.bytes[wrong[i].at] = wrong[i].byte;
		assert_int_equal(ch_perfdata_open(m.bytes, m.n, &p), wrong[i].result);
	}
	for (size_t n = 0; n < 32; n++)
		assert_int_equal(ch_perfdata_open(made().bytes, n, &(struct ch_perfdata){ 0 }),
		                 -EBADMSG);
}

/* An entry that points outside itself is passed over, the one behind it is still found. */
static void a_damaged_entry_hides_only_itself(void **state)
{
	static const size_t fields[] = { 4, 8, 16 }; /* name, length, value */

	(void)state;
	for (size_t i = 0; i < CH_LEN(fields); i++) {
		struct memory m = made();
		struct ch_perfdata p;

		put32(m.bytes + 32 + fields[i], 0x7fffffff);
		assert_int_equal(ch_perfdata_open(m.bytes, m.n, &p), 0);
		assert_null(ch_perfdata_number(&p, "sun.rt.n"));
		assert_true(ch_span_is(ch_perfdata_text(&p, "sun.rt.s"), "text"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_found_by_name),
		cmocka_unit_test(a_number_is_read_where_it_lives),
		cmocka_unit_test(other_memory_is_refused),
		cmocka_unit_test(a_damaged_entry_hides_only_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
