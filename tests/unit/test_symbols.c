#include "unit.h"
#include "sys/symbols.h"
#include "sys/symlist.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIMIT ((size_t)8 << 20)

/* Functions are asked for a little behind their start: a return address is never the start. */
static uint64_t inside(const void *function)
{
	return (uintptr_t)function + 2;
}

static struct ch_symbols *fresh(void)
{
	struct ch_symbols *s = ch_symbols_new(LIMIT);

	assert_non_null(s);
	assert_int_equal(ch_symbols_refresh(s), 1);
	return s;
}

static void own_functions_have_their_names(void **state)
{
	struct ch_symbols *s = fresh();
	struct ch_symbol sym, again;

	(void)state;
	assert_true(ch_symbols_find(s, inside(own_functions_have_their_names), &sym));
	assert_string_equal(sym.name, "own_functions_have_their_names");
	assert_string_equal(sym.library, "test_symbols");
	assert_int_equal(sym.start, (uintptr_t)own_functions_have_their_names);
	assert_true(sym.size > 2);
	assert_true(ch_symbols_find(s, sym.start + sym.size - 1, &again));
	assert_ptr_equal(again.name, sym.name);
	assert_true(ch_symbols_find(s, inside(fresh), &again));
	assert_string_equal(again.name, "fresh");
	ch_symbols_free(s);
	ch_symbols_free(NULL);
}

static void functions_of_libc_have_their_names(void **state)
{
	struct ch_symbols *s = fresh();
	const char *const names[] = { "qsort", "malloc", "read", "nanosleep",
		                      "pthread_mutex_lock" };
	struct ch_symbol sym;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
		const char *at = libc ? dlsym(libc, names[i]) : NULL;

		if (!at)
			skip();
		assert_true(ch_symbols_find(s, inside(at), &sym));
		assert_string_equal(sym.library, "libc.so.6");
		assert_string_equal(sym.name, names[i]);
		assert_int_equal(sym.start, (uintptr_t)at);
	}
	ch_symbols_free(s);
}

static void a_new_library_is_known_after_refresh(void **state)
{
	struct ch_symbols *s = fresh();
	uintptr_t (*hidden_address)(void);
	struct ch_symbol sym, again;
	void *lib;

	(void)state;
	assert_int_equal(ch_symbols_refresh(s), 0);
	lib = dlopen(STRIPPED, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(lib);
	hidden_address = (uintptr_t(*)(void))dlsym(lib, "stripped_hidden_address");
	assert_non_null(hidden_address);
	assert_false(ch_symbols_find(s, inside(hidden_address), &sym));
	assert_int_equal(ch_symbols_refresh(s), 1);
	assert_true(ch_symbols_find(s, inside(hidden_address), &sym));
	assert_string_equal(sym.name, "stripped_hidden_address");

	/* One name for all addresses of a function that has none. */
	assert_true(ch_symbols_find(s, hidden_address(), &sym));
	assert_int_equal(strncmp(sym.name, "libstripped.so+0x", 17), 0);
	assert_true(sym.start <= hidden_address());
	assert_true(ch_symbols_find(s, hidden_address() + 1, &again));
	assert_ptr_equal(again.name, sym.name);
	dlclose(lib);
	ch_symbols_free(s);
}

static void copy_file(const char *from, const char *to)
{
	char chunk[4096];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0700);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, chunk, sizeof(chunk))) > 0)
		assert_int_equal(write(out, chunk, (size_t)n), n);
	close(in);
	close(out);
}

/* As some libraries of JNI do: unpacked to /tmp, loaded, deleted. */
static void a_deleted_library_keeps_its_names(void **state)
{
	uintptr_t (*hidden_address)(void);
	struct ch_symbols *s = fresh();
	struct ch_symbol sym;
	char path[64];
	void *lib;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/charcloth-test-%d.so", getpid());
	copy_file(STRIPPED, path);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	unlink(path);
	assert_non_null(lib);
	hidden_address = (uintptr_t(*)(void))dlsym(lib, "stripped_hidden_address");
	assert_non_null(hidden_address);
	assert_int_equal(ch_symbols_refresh(s), 1);
	assert_true(ch_symbols_find(s, inside(hidden_address), &sym));
	assert_string_equal(sym.name, "stripped_hidden_address");
	assert_string_equal(sym.library, strrchr(path, '/') + 1);
	assert_true(ch_symbols_find(s, hidden_address(), &sym));
	assert_int_equal(strncmp(sym.name, "charcloth-test-", 15), 0);
	dlclose(lib);
	ch_symbols_free(s);
}

static void little_memory_leaves_addresses(void **state)
{
	struct ch_symbols *s = ch_symbols_new(1024);
	struct ch_symbol sym;

	(void)state;
	assert_non_null(s);
	assert_int_equal(ch_symbols_refresh(s), 1);
	assert_true(ch_symbols_find(s, inside(own_functions_have_their_names), &sym));
	assert_int_equal(strncmp(sym.name, "test_symbols+0x", 15), 0);
	assert_true(ch_symbols_bytes(s) <= 64 * 1024 + 1024); /* names come in blocks */
	ch_symbols_free(s);
}

static void the_vdso_has_symbols(void **state)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR), value;
	struct ch_symbols *s = fresh();
	struct ch_symbol sym;
	struct ch_elf_symtab t;
	struct ch_elf_sym elf_sym;
	struct ch_elf e;
	size_t checked = 0;

	(void)state;
	if (!start)
		skip();
	assert_int_equal(ch_elf_from((const void *)start, 4096, &e, NULL), 0);
	assert_true(ch_elf_addr(&e, 0, &value));
	e.size = 2 * 4096;
	if (ch_elf_symtab(&e, CH_ELF_DYNSYM, &t)) {
		for (size_t i = 0; i < t.n; i++) {
			if (!ch_elf_sym(&t, i, &elf_sym) || !elf_sym.function)
				continue;
			assert_true(ch_symbols_find(s, start + elf_sym.value + 1, &sym));
			assert_string_equal(sym.library, "[vdso]");
			assert_int_equal(sym.start, start + elf_sym.value);
			checked++;
		}
		assert_true(checked > 0);
	}
	ch_symbols_free(s);
}

static void what_is_no_code_is_not_known(void **state)
{
	struct ch_symbols *s = fresh();
	struct ch_symbol sym = { .start = 17 };

	(void)state;
	assert_false(ch_symbols_find(s, 0, &sym));
	assert_false(ch_symbols_find(s, (uintptr_t)&sym, &sym));
	assert_false(ch_symbols_find(s, 1, &sym));
	assert_int_equal(sym.start, 17);
	ch_symbols_free(s);
}

/* --- lists ------------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void perf_maps_are_read_and_read_again(void **state)
{
	struct ch_symbols *s = fresh();
	struct ch_symbol sym;
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "100000 40 py::main\n100080 20 Interpreter  \nnonsense\n100040 zz a\n");
	assert_int_equal(ch_symbols_refresh(s), 1);
	assert_true(ch_symbols_find(s, 0x10003f, &sym));
	assert_string_equal(sym.name, "py::main");
	assert_string_equal(sym.library, "[perf map]");
	assert_int_equal(sym.start, 0x100000);
	assert_int_equal(sym.size, 0x40);
	assert_true(ch_symbols_find(s, 0x100080, &sym));
	assert_string_equal(sym.name, "Interpreter");
	assert_false(ch_symbols_find(s, 0x100040, &sym));
	assert_int_equal(ch_symbols_refresh(s), 0);
	write_file(path, "100000 40 other\n");
	assert_int_equal(ch_symbols_refresh(s), 1);
	assert_true(ch_symbols_find(s, 0x100000, &sym));
	assert_string_equal(sym.name, "other");
	unlink(path);
	assert_int_equal(ch_symbols_refresh(s), 1);
	assert_false(ch_symbols_find(s, 0x100000, &sym));
	ch_symbols_free(s);
}

static void perf_maps_of_others_are_not_read(void **state)
{
	struct ch_symtable t;
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/charcloth-test-%d.map", getpid());
	assert_int_equal(symlink("/proc/self/maps", path), 0);
	assert_int_equal(ch_symlist_perf(path, &t, LIMIT), -ELOOP);
	ch_symtable_done(&t);
	unlink(path);
	assert_int_equal(ch_symlist_perf("/tmp", &t, LIMIT), -EPERM);
	ch_symtable_done(&t);
	assert_int_equal(ch_symlist_perf(path, &t, LIMIT), -ENOENT);
	ch_symtable_done(&t);
}

static void the_kernel_lists_its_functions(void **state)
{
	struct ch_symtable_hit hit;
	struct ch_symtable t;
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/charcloth-test-%d.kallsyms", getpid());
	write_file(path, "ffffffff81000000 T _text\n"
	                 "ffffffffc0001000 t ext4_read\t[ext4]\n"
	                 "ffffffff81000100 D some_data\n"
	                 "ffffffff810001f0 t __pfx_do_syscall_64\n"
	                 "ffffffff81000200 W do_syscall_64\n"
	                 "ffffffff81000300 T last\n");
	assert_int_equal(ch_symlist_kernel(path, &t, LIMIT), 0);
	assert_int_equal(t.n, 4);
	assert_true(ch_symtable_find(&t, 0xffffffff810001ff, NULL, &hit));
	assert_string_equal(hit.name, "_text");
	assert_true(ch_symtable_find(&t, 0xffffffff810002ff, NULL, &hit));
	assert_string_equal(hit.name, "do_syscall_64");
	assert_true(ch_symtable_find(&t, 0xffffffffc0001004, NULL, &hit));
	assert_string_equal(hit.name, "ext4_read");
	assert_false(ch_symtable_find(&t, 0xffffffff80000000, NULL, &hit));
	ch_symtable_done(&t);
	write_file(path, "0000000000000000 T _text\n0000000000000000 T b\n");
	assert_int_equal(ch_symlist_kernel(path, &t, LIMIT), -EACCES);
	assert_int_equal(t.n, 0);
	ch_symtable_done(&t);
	write_file(path, "ffffffff81000000 T a_name\nffffffff81000010 T b_name\n");
	assert_int_equal(ch_symlist_kernel(path, &t, 20), 0); /* room for one */
	assert_int_equal(t.n, 1);
	ch_symtable_done(&t);
	unlink(path);
}

static void the_best_of_several_names_is_shown(void **state)
{
	struct ch_symtable_hit hit;
	struct ch_symtable t;

	(void)state;
	ch_symtable_init(&t, 0x1000, LIMIT);
	assert_int_equal(ch_symtable_add(&t, 0x2000, 0x100, "outer", 5), 0);
	assert_int_equal(ch_symtable_add(&t, 0x2010, 0x10, "inner", 5), 0);
	assert_int_equal(ch_symtable_add(&t, 0x3000, 0, "end", 3), 0);
	assert_int_equal(ch_symtable_add(&t, 0x10, 0, "below the base", 14), 0);
	ch_symtable_finish(&t);
	assert_int_equal(t.n, 3);
	assert_true(ch_symtable_find(&t, 0x2018, NULL, &hit));
	assert_string_equal(hit.name, "inner");
	assert_true(ch_symtable_find(&t, 0x2020, NULL, &hit));
	assert_string_equal(hit.name, "outer");
	assert_false(ch_symtable_find(&t, 0x2100, NULL, &hit));
	assert_true(ch_symtable_find(&t, 0x3fff, NULL, &hit));
	assert_false(ch_symtable_find(&t, 0x4000, NULL, &hit));
	assert_false(ch_symtable_find(&t, 0x10, NULL, &hit));
	ch_symtable_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_functions_have_their_names),
		cmocka_unit_test(functions_of_libc_have_their_names),
		cmocka_unit_test(a_new_library_is_known_after_refresh),
		cmocka_unit_test(a_deleted_library_keeps_its_names),
		cmocka_unit_test(little_memory_leaves_addresses),
		cmocka_unit_test(the_vdso_has_symbols),
		cmocka_unit_test(what_is_no_code_is_not_known),
		cmocka_unit_test(perf_maps_are_read_and_read_again),
		cmocka_unit_test(perf_maps_of_others_are_not_read),
		cmocka_unit_test(the_kernel_lists_its_functions),
		cmocka_unit_test(the_best_of_several_names_is_shown),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
