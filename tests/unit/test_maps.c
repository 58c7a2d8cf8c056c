#include "unit.h"
#include "sys/maps.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static int parse(struct ch_maps *m, const char *text)
{
	return ch_maps_parse(m, text, strlen(text), NULL);
}

#define LIBC_TEXT                                                                                  \
	"7f00000000-7f00001000 r--p 00000000 fe:00 316526                     /lib/libc.so.6\n"    \
	"7f00001000-7f00005000 r-xp 00001000 fe:00 316526                     /lib/libc.so.6\n"
#define VDSO "7fff0000-7fff2000 r-xp 00000000 00:00 0                          [vdso]\n"
#define JIT  "6000000-7000000 rwxp 00000000 00:00 0 \n"
#define GONE "7f10000000-7f10001000 r-xp 00002000 08:01 12 /tmp/a b.so (deleted)\n"

static void code_is_listed_with_its_file(void **state)
{
	struct ch_maps m = { 0 };
	const struct ch_maps_range *r;

	(void)state;
	assert_int_equal(parse(&m, JIT VDSO LIBC_TEXT GONE), 1);
	assert_int_equal(m.n, 4);
	r = ch_maps_find(&m, 0x7f00001000);
	assert_non_null(r);
	assert_int_equal(r->end, 0x7f00005000);
	assert_int_equal(r->offset, 0x1000);
	assert_int_equal(r->inode, 316526);
	assert_int_equal(r->device, UINT64_C(0xfe) << 32);
	assert_string_equal(r->path, "/lib/libc.so.6");
	assert_ptr_equal(ch_maps_find(&m, 0x7f00004fff), r);
	assert_null(ch_maps_find(&m, 0x7f00005000));
	assert_null(ch_maps_find(&m, 0x7f00000fff)); /* there, but no code */
	assert_string_equal(ch_maps_find(&m, 0x6000000)->path, "");
	assert_string_equal(ch_maps_find(&m, 0x7fff0001)->path, "[vdso]");
	assert_string_equal(ch_maps_find(&m, 0x7f10000000)->path, "/tmp/a b.so (deleted)");
	ch_maps_done(&m);
	assert_null(ch_maps_find(&m, 0x6000000));
}

static void only_a_change_is_told(void **state)
{
	struct ch_maps m = { 0 };

	(void)state;
	assert_int_equal(parse(&m, ""), 0);
	assert_int_equal(parse(&m, VDSO LIBC_TEXT), 1);
	assert_int_equal(parse(&m, VDSO LIBC_TEXT), 0);
	assert_int_equal(parse(&m, VDSO "7e00000000-7e00001000 rw-p 00000000 00:00 0 \n" LIBC_TEXT),
	                 0); /* data */
	assert_int_equal(parse(&m, VDSO), 1);
	assert_int_equal(parse(&m, VDSO GONE), 1);
	ch_maps_done(&m);
}

static void lines_that_are_none_are_left_out(void **state)
{
	static const char *const rows[] = {
		"\n",
		"x\n",
		"7f-",
		"7f00-7f01",
		"7f00-7f01 r-xp\n",
		"7f00-7f01 r-xp 0 fe:00\n",
		"7f00-7f01 r-xp 0 fe:00 zz /a\n",
		"7f01-7f00 r-xp 00000000 fe:00 1 /a\n",
		"fffffffffffffffffff-7f00 r-xp 00000000 fe:00 1 /a\n",
		"7f00-7f01 r-xp 00000000 fe:00 1 /cut",
		"-7f01 r-xp 00000000 fe:00 1 /a\n",
	};
	struct ch_maps m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(&m, rows[i]), 0);
		assert_int_equal(m.n, 0);
	}
	assert_int_equal(parse(&m, GONE VDSO), 1); /* out of order */
	assert_int_equal(m.n, 1);
	ch_maps_done(&m);
}

static void this_process_maps_its_own_code(void **state)
{
	struct ch_maps m = { 0 };
	struct ch_error err;

	(void)state;
	assert_int_equal(ch_maps_read(&m, 0, &err), 1);
	assert_non_null(ch_maps_find(&m, (uintptr_t)this_process_maps_its_own_code));
	assert_non_null(ch_maps_find(&m, (uintptr_t)dlsym(RTLD_DEFAULT, "qsort")));
	assert_null(ch_maps_find(&m, (uintptr_t)&m));
	assert_int_equal(ch_maps_read(&m, 0, &err), 0);
	assert_int_equal(ch_maps_read(&m, INT32_MAX, &err), -ENOENT);
	assert_non_null(ch_maps_find(&m, (uintptr_t)this_process_maps_its_own_code));
	ch_maps_done(&m);
}

static void a_library_more_is_noticed(void **state)
{
	uint64_t before = ch_maps_stamp();
	void *lib;

	(void)state;
	assert_int_equal(ch_maps_stamp(), before);
	lib = dlopen("libutil.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!lib || dlopen("libutil.so.1", RTLD_LAZY | RTLD_NOLOAD) == NULL)
		skip();
	assert_int_not_equal(ch_maps_stamp(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_listed_with_its_file),
		cmocka_unit_test(only_a_change_is_told),
		cmocka_unit_test(lines_that_are_none_are_left_out),
		cmocka_unit_test(this_process_maps_its_own_code),
		cmocka_unit_test(a_library_more_is_noticed),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
