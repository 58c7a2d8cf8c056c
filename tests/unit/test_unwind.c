#include "unit.h"
#include "sys/symbols.h"
#include "sys/unwind.h"
#include "sys/unwind_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#define TABLES ((size_t)16 << 20)
#define FRAMES 64

/* --- a stack taken by a handler ---------------------------------------------------------------- */

static struct ch_unwind *tables;
static uint64_t stack_low, stack_high;
static uint64_t walked[FRAMES];
static int how[FRAMES];
static volatile sig_atomic_t n_walked;
static void *expected[FRAMES + 8];
static int n_expected;

static void find_stack(void)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	stack_low = (uintptr_t)low;
	stack_high = stack_low + size;
}

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	struct ch_unwind_libs l = ch_unwind_enter_sig(tables);
	struct ch_regs regs = ch_arch_regs(uc);
	int n = 0, step;

	(void)sig;
	(void)info;
	walked[n++] = regs.pc;
	while (n < FRAMES &&
	       (step = ch_unwind_step_sig(l.libs, l.n, &regs, stack_low, stack_high)) > 0) {
		how[n] = step;
		walked[n++] = regs.pc;
	}
	ch_unwind_leave_sig(tables);
	/* What libgcc makes of the same stack. No handler of ours would call it; this one may, as it
	 * interrupts nothing but the test. */
	n_expected = backtrace(expected, FRAMES + 8);
	n_walked = n;
}

/* --- a deep chain with libc in the middle ------------------------------------------------------ */

#define NOINLINE __attribute__((noinline))

static bool by_timer;
static volatile sig_atomic_t keep;

static NOINLINE void leaf(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 1000 };

	if (by_timer)
		setitimer(ITIMER_PROF, &soon, NULL);
	else
		raise(SIGPROF);
	while (!n_walked) /* interrupted anywhere in here */
		keep++;
	keep++;
}

static NOINLINE int compare(const void *a, const void *b)
{
	char room[100];

	memset(room, *(const int *)a, sizeof(room));
	__asm__ volatile("" ::"r"(room) : "memory");
	if (!n_walked)
		leaf();
	return *(const int *)a - *(const int *)b + (room[0] == 127);
}

static NOINLINE int sort_them(int n)
{
	int *items = malloc((size_t)n * sizeof(*items)), sum = 0;

	assert_non_null(items);
	for (int i = 0; i < n; i++)
		items[i] = (i * 7) % n;
	qsort(items, (size_t)n, sizeof(*items), compare);
	for (int i = 1; i < n; i++)
		sum += items[i] - items[i - 1];
	free(items);
	return sum;
}

static NOINLINE int down(int depth)
{
	volatile char room[200];

	room[depth] = (char)depth;
	if (depth == 0)
		return sort_them(50) + room[0];
	return down(depth - 1) + room[depth];
}

static void check_names(void)
{
	static const char *const wanted[] = { "leaf", "compare", "qsort", "sort_them",
		                              "down", "down",    "down",  "down" };
	struct ch_symbols *s = ch_symbols_new(TABLES);
	struct ch_symbol sym;
	size_t at = 0;

	assert_non_null(s);
	assert_int_equal(ch_symbols_refresh(s), 1);
	for (int i = 0; i < n_walked && at < sizeof(wanted) / sizeof(wanted[0]); i++) {
		/* A return address may stand behind the last byte of its function. */
		if (!ch_symbols_find(s, walked[i] - (i > 0), &sym))
			continue;
		if (strstr(sym.name, wanted[at]))
			at++;
	}
	assert_int_equal(at, sizeof(wanted) / sizeof(wanted[0]));
	ch_symbols_free(s);
}

/* Behind the handler and the trampoline the two walks are to be the same, frame by frame. */
static void check_against_libgcc(void)
{
	int skip_frames = 0;

	while (skip_frames < n_expected && (uint64_t)expected[skip_frames] != walked[0])
		skip_frames++;
	assert_true(skip_frames < n_expected);
	assert_true(n_walked >= n_expected - skip_frames);
	for (int i = 0; i < n_expected - skip_frames; i++)
		assert_int_equal(walked[i], (uint64_t)expected[i + skip_frames]);
	for (int i = 1; i < n_walked; i++)
		assert_int_equal(how[i], CH_UNWIND_TABLE);
}

static void walk_once(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, old;

#ifdef __SANITIZE_THREAD__
	skip(); /* runs handlers later, with registers that are no longer true */
#endif
	(void)backtrace(expected, 1); /* loads what it needs */
	find_stack();
	n_walked = 0;
	tables = ch_unwind_new(TABLES, NULL, NULL);
	assert_non_null(tables);
	assert_int_equal(ch_unwind_refresh(tables), 1);
	assert_int_equal(sigaction(SIGPROF, &sa, &old), 0);
	assert_int_equal(down(3), 49 + 3 + 2 + 1);
	sigaction(SIGPROF, &old, NULL);
	ch_unwind_free(tables);
	check_names();
	check_against_libgcc();
}

static void a_chain_through_qsort_is_recovered_within_a_call(void **state)
{
	(void)state;
	by_timer = false;
	walk_once();
}

static void a_chain_through_qsort_is_recovered_wherever_a_timer_strikes(void **state)
{
	(void)state;
	by_timer = true;
	walk_once();
}

/* --- steps by hand ----------------------------------------------------------------------------- */

static void frame_pointers_serve_where_there_is_no_table(void **state)
{
	uint64_t stack[16] = { 0 };
	uint64_t low = (uintptr_t)stack, high = low + sizeof(stack);
	struct ch_regs r = { .pc = 0x1000, .sp = low, .fp = low + 16 };

	(void)state;
	stack[2] = low + 64;
	stack[3] = 0x2000;
	stack[8] = 0;
	stack[9] = 0x3000;
	assert_int_equal(ch_unwind_step_sig(NULL, 0, &r, low, high), CH_UNWIND_FRAME);
	assert_int_equal(r.pc, 0x2000);
	assert_int_equal(r.sp, low + 32);
	assert_true(r.caller);
	assert_int_equal(ch_unwind_step_sig(NULL, 0, &r, low, high), CH_UNWIND_FRAME);
	assert_int_equal(r.pc, 0x3000);
	assert_int_equal(ch_unwind_step_sig(NULL, 0, &r, low, high), CH_UNWIND_END);
}

static void only_the_stack_is_read(void **state)
{
	uint64_t stack[16] = { 0 };
	uint64_t low = (uintptr_t)stack, high = low + sizeof(stack);
	const uint64_t bad[] = { 8, low - 8, high - 8, high, low + 3, low + 8, UINT64_MAX - 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* The second but last is on the stack, but below the frame that is walked. */
		struct ch_regs r = { .pc = 0x1000, .sp = low + 16, .fp = bad[i], .caller = true };

		assert_int_equal(ch_unwind_step_sig(NULL, 0, &r, low, high), -1);
		assert_int_equal(r.pc, 0x1000);
	}
}

/* As at the last instruction of a function: all was popped, only the return address is left. */
static void what_was_popped_is_in_its_register(void **state)
{
	struct ch_unwind_table *t = calloc(1, sizeof(*t) + 2 * sizeof(t->rows[0]));
	struct ch_unwind_lib lib = { 0x10000, 0x11000, 0x10000, t };
	uint64_t stack[16] = { 0 };
	uint64_t low = (uintptr_t)stack, high = low + sizeof(stack);
	struct ch_regs r = { .pc = 0x10180, .sp = low + 64, .fp = 0x77, .lr = 0x10210 };

	(void)state;
	assert_non_null(t);
	t->n = 2;
	t->rows[0] =
	    (struct ch_unwind_row){ 0x100, ch_rule(CH_RULE_SP, CH_RULE_RA_REGISTER, 1, 6) };
	t->rows[1] = (struct ch_unwind_row){ 0x200, CH_RULE_END };
	stack[3] = 0x66; /* where the frame pointer was saved, below the stack by now */
	stack[8] = 0x10210;
	assert_int_equal(ch_unwind_step_sig(&lib, 1, &r, low, high), CH_UNWIND_TABLE);
	assert_int_equal(r.pc, 0x10210);
	assert_int_equal(r.sp, low + 72);
	assert_int_equal(r.fp, 0x77);
	assert_int_equal(ch_unwind_step_sig(&lib, 1, &r, low, high), CH_UNWIND_END);
	free(t);
}

/* --- tables ------------------------------------------------------------------------------------ */

static const char *path_of_libc(void)
{
	static char path[256];
	Dl_info info;

	assert_true(dladdr((void *)qsort, &info) || dladdr(dlsym(RTLD_DEFAULT, "qsort"), &info));
	(void)snprintf(path, sizeof(path), "%s", info.dli_fname);
	return path;
}

static void tables_keep_to_their_limit(void **state)
{
	struct ch_unwind_table *t;
	struct ch_error err;

	(void)state;
	assert_int_equal(ch_unwind_build(path_of_libc(), TABLES, &t, &err), 0);
	assert_true(ch_unwind_table_rows(t) > 1000);
	assert_true(ch_unwind_table_bytes(t) <= ch_unwind_table_rows(t) * 8 + 64);
	ch_unwind_table_free(t);
	assert_int_equal(ch_unwind_build(path_of_libc(), 1000, &t, &err), -E2BIG);
	assert_int_equal(ch_unwind_build(DATA_DIR "/elf/plain.elf", TABLES, &t, &err), -ENODATA);
	assert_string_equal(err.text, "there is no call frame information");
	assert_int_equal(ch_unwind_build("/nonexistent/x.so", TABLES, &t, &err), -ENOENT);
	ch_unwind_table_free(NULL);
}

static bool only_stripped(void *ctx, const char *path)
{
	(*(int *)ctx)++;
	return strstr(path, "libstripped") != NULL;
}

static void a_library_comes_and_goes(void **state)
{
	int asked = 0;
	struct ch_unwind *u = ch_unwind_new(TABLES, only_stripped, &asked);
	struct ch_unwind_libs none, one;
	void *lib;

	(void)state;
	assert_non_null(u);
	assert_int_equal(ch_unwind_enter_sig(u).n, 0);
	ch_unwind_leave_sig(u);
	assert_int_equal(ch_unwind_refresh(u), 1);
	assert_true(asked > 1);
	none = ch_unwind_enter_sig(u);
	assert_int_equal(none.n, 0);
	ch_unwind_leave_sig(u);
	assert_int_equal(ch_unwind_refresh(u), 0);

	lib = dlopen(STRIPPED, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(lib);
	assert_int_equal(ch_unwind_refresh(u), 1);
	one = ch_unwind_enter_sig(u);
	assert_int_equal(one.n, 1);
	assert_true(ch_unwind_bytes(u) > 0);

	/* While a handler is inside, what it sees stays; once it has left, it goes. */
	dlclose(lib);
	assert_int_equal(ch_unwind_refresh(u), 1);
	assert_int_equal(ch_unwind_refresh(u), 0);
	assert_true(ch_unwind_bytes(u) > 0);
	assert_true(ch_unwind_table_rows(one.libs[0].table) > 0);
	ch_unwind_leave_sig(u);
	assert_int_equal(ch_unwind_refresh(u), 0);
	assert_int_equal(ch_unwind_bytes(u), 0);
	ch_unwind_free(u);
	ch_unwind_free(NULL);
}

/* --- handlers beside a refresh ----------------------------------------------------------------- */

static atomic_bool over;

static void *look_all_the_time(void *ctx)
{
	uint64_t *rows = ctx;

	while (!over) {
		struct ch_unwind_libs l = ch_unwind_enter_sig(tables);

		for (size_t i = 0; i < l.n; i++)
			*rows += l.libs[i].table->rows[l.libs[i].table->n - 1].pc;
		ch_unwind_leave_sig(tables);
	}
	return NULL;
}

static void lists_change_under_handlers(void **state)
{
	uint64_t rows[2] = { 0 };
	pthread_t threads[2];
	int asked = 0;

	(void)state;
	tables = ch_unwind_new(TABLES, only_stripped, &asked);
	assert_non_null(tables);
	over = 0;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, look_all_the_time, &rows[i]), 0);
	for (int i = 0; i < 50; i++) {
		void *lib = dlopen(STRIPPED, RTLD_NOW | RTLD_LOCAL);

		assert_non_null(lib);
		assert_int_equal(ch_unwind_refresh(tables), 1);
		dlclose(lib);
		assert_int_equal(ch_unwind_refresh(tables), 1);
	}
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(ch_unwind_refresh(tables), 0);
	assert_int_equal(ch_unwind_bytes(tables), 0);
	ch_unwind_free(tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_through_qsort_is_recovered_within_a_call),
		cmocka_unit_test(a_chain_through_qsort_is_recovered_wherever_a_timer_strikes),
		cmocka_unit_test(frame_pointers_serve_where_there_is_no_table),
		cmocka_unit_test(only_the_stack_is_read),
		cmocka_unit_test(what_was_popped_is_in_its_register),
		cmocka_unit_test(tables_keep_to_their_limit),
		cmocka_unit_test(a_library_comes_and_goes),
		cmocka_unit_test(lists_change_under_handlers),
	};

	return cmocka_run_group_tests_name("unwind", tests, NULL, NULL);
}
