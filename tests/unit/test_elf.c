#include "unit.h"
#include "sys/elf.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/fault.h"

#define PLAIN  DATA_DIR "/elf/plain.elf"
#define PACKED DATA_DIR "/elf/packed.elf"
#define BROKEN DATA_DIR "/elf/broken-packed.elf"

static void sections_and_symbols_are_found(void **state)
{
	struct ch_elf_section s;
	struct ch_elf_symtab t;
	struct ch_elf_sym sym;
	struct ch_error err;
	struct ch_elf e;

	(void)state;
	assert_int_equal(ch_elf_open(PLAIN, &e, &err), 0);
	assert_true(ch_elf_find(&e, ".note.gnu.build-id", &s));
	assert_int_equal(s.addr, 0x200);
	assert_false(ch_elf_find(&e, ".eh_frame", &s));
	assert_true(ch_elf_symtab(&e, CH_ELF_SYMTAB, &t));
	assert_int_equal(t.n, 4);
	assert_false(ch_elf_sym(&t, 0, &sym));
	assert_true(ch_elf_sym(&t, 2, &sym));
	assert_string_equal(sym.name, "_ZL6staticv");
	assert_int_equal(sym.value, 0x1020);
	assert_int_equal(sym.size, 0x20);
	assert_true(sym.function && !sym.global);
	assert_true(ch_elf_sym(&t, 3, &sym));
	assert_false(sym.function);
	assert_true(ch_elf_symtab(&e, CH_ELF_DYNSYM, &t));
	assert_true(ch_elf_sym(&t, 1, &sym) && sym.global);
	assert_false(ch_elf_sym(&t, 2, &sym)); /* imported: defined elsewhere */
	ch_elf_release(&e);
	assert_true(ch_elf_sym(&t, 1, &sym));
	assert_string_equal(sym.name, "open_one");
	ch_elf_done(&e);
}

static void the_build_id_is_read(void **state)
{
	uint8_t id[20] = { 0 };
	struct ch_elf e;

	(void)state;
	assert_int_equal(ch_elf_open(PLAIN, &e, NULL), 0);
	assert_int_equal(ch_elf_build_id(&e, id, 4), 8);
	assert_memory_equal(id, "\1\2\3\4\0", 5);
	assert_int_equal(ch_elf_build_id(&e, id, sizeof(id)), 8);
	assert_memory_equal(id, "\1\2\3\4\5\6\7\10", 8);
	ch_elf_done(&e);
	assert_int_equal(ch_elf_open(PACKED, &e, NULL), 0);
	assert_int_equal(ch_elf_build_id(&e, id, sizeof(id)), 0);
	ch_elf_done(&e);
}

static void offsets_become_addresses_by_segment(void **state)
{
	uint64_t addr = 0;
	struct ch_elf e;

	(void)state;
	assert_int_equal(ch_elf_open(PLAIN, &e, NULL), 0);
	assert_true(ch_elf_addr(&e, 0x10, &addr));
	assert_int_equal(addr, 0x10);
	assert_true(ch_elf_addr(&e, 0x1fff, &addr));
	assert_int_equal(addr, 0x11fff);
	assert_false(ch_elf_addr(&e, 0x2000, &addr));
	assert_false(ch_elf_addr(&e, 0x900, &addr));
	assert_true(ch_elf_first_addr(&e, &addr));
	assert_int_equal(addr, 0);
	ch_elf_done(&e);
}

static void a_symbol_is_found_by_name(void **state)
{
	struct ch_error err;
	uint64_t value = 0;

	(void)state;
	assert_int_equal(ch_elf_symbol(PLAIN, "open_one", &value, &err), 0);
	assert_int_equal(value, 0x1000);
	assert_int_equal(ch_elf_symbol(PLAIN, "_ZL6staticv", &value, &err), 0);
	assert_int_equal(value, 0x1020);
	assert_int_equal(ch_elf_symbol(PLAIN, "imported", &value, &err), -ENOENT);
	assert_non_null(strstr(err.text, "has no symbol 'imported'"));
	assert_int_equal(ch_elf_symbol("/nonexistent/x.so", "a", &value, &err), -ENOENT);
	assert_string_equal(err.text, "open '/nonexistent/x.so': No such file or directory");
	assert_int_equal(ch_elf_symbol("/dev/null", "a", &value, &err), -ENOEXEC);
	assert_int_equal(ch_elf_symbol(DATA_DIR, "a", &value, &err), -ENOEXEC);
}

/* liblzma is not everywhere; without it there are only fewer names. */
static void packed_symbols_are_found(void **state)
{
	struct ch_elf e, inner;
	uint64_t value = 0;
	int r;

	(void)state;
	assert_int_equal(ch_elf_open(PACKED, &e, NULL), 0);
	r = ch_elf_debugdata(&e, &inner);
	ch_elf_done(&e);
	if (r == -ENOTSUP)
		skip();
	assert_int_equal(r, 0);
	ch_elf_release(&inner); /* is not to lose what no file has */
	ch_elf_done(&inner);
	assert_int_equal(ch_elf_symbol(PACKED, "hidden_one", &value, NULL), 0);
	assert_int_equal(value, 0x1100);
	assert_int_equal(ch_elf_open(BROKEN, &e, NULL), 0);
	assert_int_equal(ch_elf_debugdata(&e, &inner), -EBADMSG);
	ch_elf_done(&e);
	assert_int_equal(ch_elf_symbol(BROKEN, "hidden_one", &value, NULL), -ENOENT);
}

static int base_of_this_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	*(uint64_t *)ctx = info->dlpi_addr;
	return 1; /* the program comes first */
}

static void a_function_of_this_program_is_where_it_is(void **state)
{
	uint64_t base = 0, value = 0;

	(void)state;
	dl_iterate_phdr(base_of_this_program, &base);
	assert_int_equal(ch_elf_symbol("/proc/self/exe", "base_of_this_program", &value, NULL), 0);
	assert_int_equal(base + value, (uintptr_t)base_of_this_program);
}

static int base_of_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libc.so.6"))
		return 0;
	*(uint64_t *)ctx = info->dlpi_addr;
	return 1;
}

/* What a file made of memory tells is what the file itself tells. */
static void a_loaded_library_is_a_file_again(void **state)
{
	struct ch_elf image, file;
	struct ch_elf_section a, b;
	struct ch_elf_symtab t;
	struct ch_elf_sym sym;
	uint64_t base = 0, value = 0;
	Dl_info info;
	size_t n = 0;

	(void)state;
	dl_iterate_phdr(base_of_libc, &base);
	if (!base)
		skip();
	assert_int_not_equal(dladdr((void *)base, &info), 0);
	assert_int_equal(ch_elf_image(base, &image), 0);
	assert_int_equal(ch_elf_open(info.dli_fname, &file, NULL), 0);
	assert_true(ch_elf_symtab(&image, CH_ELF_DYNSYM, &t));
	for (size_t i = 0; i < t.n; i++) {
		if (!ch_elf_sym(&t, i, &sym) || strcmp(sym.name, "qsort") != 0)
			continue;
		assert_true(ch_elf_value(&file, "qsort", &value));
		assert_int_equal(sym.value, value);
		n++;
	}
	assert_true(n > 0);
	assert_true(ch_elf_find(&image, ".eh_frame_hdr", &a));
	assert_true(ch_elf_find(&file, ".eh_frame_hdr", &b));
	assert_int_equal(a.addr, b.addr);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	assert_true(ch_elf_find(&image, ".eh_frame", &a));
	assert_true(ch_elf_find(&file, ".eh_frame", &b));
	assert_int_equal(a.addr, b.addr);
	assert_memory_equal(a.data, b.data, b.size);
	ch_elf_done(&image);
	ch_elf_done(&file);
	assert_int_equal(ch_elf_image(base + 4096, &image), -ENOEXEC);
	assert_int_equal(ch_elf_image(8, &image), -ENOEXEC);
}

/* Looks at everything; what is read must lie within. */
static void look(const uint8_t *data, size_t size)
{
	static const char *const names[] = { ".eh_frame", ".eh_frame_hdr", ".note.gnu.build-id" };
	struct ch_elf_section s;
	struct ch_elf_symtab t;
	struct ch_elf_sym sym;
	struct ch_elf e;
	uint8_t id[20];
	uint64_t addr;

	if (ch_elf_from(data, size, &e, NULL) < 0)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ch_elf_find(&e, names[i], &s))
			assert_true(s.size <= size && s.data >= data &&
			            (size_t)(s.data - data) <= size - s.size);
	for (int which = CH_ELF_DYNSYM; which <= CH_ELF_SYMTAB; which++) {
		if (!ch_elf_symtab(&e, (enum ch_elf_table)which, &t))
			continue;
		for (size_t i = 0; i < t.n; i++)
			if (ch_elf_sym(&t, i, &sym))
				assert_true(strlen(sym.name) < size);
	}
	ch_elf_build_id(&e, id, sizeof(id));
	ch_elf_addr(&e, 0x1000, &addr);
	ch_elf_first_addr(&e, &addr);
}

/* Each byte of the file replaced by the largest and by a neighbour, and the file cut everywhere. */
static void damaged_files_are_read_within_their_bounds(void **state)
{
	struct ch_elf whole;
	uint8_t *copy;

	(void)state;
	assert_int_equal(ch_elf_open(PLAIN, &whole, NULL), 0);
	for (size_t i = 0; i < whole.size; i++) {
		copy = malloc(whole.size);
		assert_non_null(copy);
		memcpy(copy, whole.data, whole.size);
		copy[i] = 0xff;
		look(copy, whole.size);
		copy[i] = (uint8_t)(whole.data[i] + 1);
		look(copy, whole.size);
		free(copy);
		copy = malloc(i + 1);
		assert_non_null(copy);
		memcpy(copy, whole.data, i + 1);
		look(copy, i + 1);
		free(copy);
	}
	ch_elf_done(&whole);
}

/* --- a file that changes -------------------------------------------------------------------- */

static void copy_of(const char *path, char to[64], struct ch_elf *ret)
{
	struct ch_elf whole;
	int fd;

	strcpy(to, "/tmp/charcloth-elf-XXXXXX");
	fd = mkstemp(to);
	assert_true(fd >= 0);
	assert_int_equal(ch_elf_open(path, &whole, NULL), 0);
	assert_int_equal(write(fd, whole.data, whole.size), (ssize_t)whole.size);
	ch_elf_done(&whole);
	close(fd);
	assert_int_equal(ch_elf_open(to, ret, NULL), 0);
}

static void a_file_that_is_emptied_meanwhile_reads_as_zeros(void **state)
{
	struct ch_elf_symtab t;
	struct ch_elf_sym sym;
	struct ch_elf e;
	char path[64];

	(void)state;
	assert_int_equal(ch_fault_install(NULL), 0);
	copy_of(PLAIN, path, &e);
	assert_true(ch_elf_symtab(&e, CH_ELF_SYMTAB, &t));
	assert_true(ch_elf_sym(&t, 2, &sym));
	assert_int_equal(truncate(path, 0), 0);
	assert_false(ch_elf_sym(&t, 2, &sym));
	assert_int_equal(strlen(t.names), 0);
	assert_false(ch_elf_symtab(&e, CH_ELF_SYMTAB, &t));
	ch_elf_release(&e);
	look(e.data, e.size);
	ch_elf_done(&e);
	unlink(path);
}

static void a_name_that_loses_its_end_ends_behind_the_file(void **state)
{
	struct ch_elf_symtab t;
	struct ch_elf_sym sym;
	char path[64], all[8192];
	struct ch_elf e;
	int fd;

	(void)state;
	copy_of(PLAIN, path, &e);
	assert_true(ch_elf_symtab(&e, CH_ELF_SYMTAB, &t));
	assert_true(ch_elf_sym(&t, 2, &sym));
	memset(all, 'x', sizeof(all));
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, all, sizeof(all), 0), sizeof(all));
	assert_true(strlen(sym.name) <= sizeof(all));
	close(fd);
	ch_elf_done(&e);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_and_symbols_are_found),
		cmocka_unit_test(the_build_id_is_read),
		cmocka_unit_test(offsets_become_addresses_by_segment),
		cmocka_unit_test(a_symbol_is_found_by_name),
		cmocka_unit_test(packed_symbols_are_found),
		cmocka_unit_test(a_function_of_this_program_is_where_it_is),
		cmocka_unit_test(a_loaded_library_is_a_file_again),
		cmocka_unit_test(damaged_files_are_read_within_their_bounds),
		cmocka_unit_test(a_file_that_is_emptied_meanwhile_reads_as_zeros),
		cmocka_unit_test(a_name_that_loses_its_end_ends_behind_the_file),
	};

	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
