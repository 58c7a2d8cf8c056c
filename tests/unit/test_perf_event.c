#include "unit.h"
#include "sys/perf_event.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- names ------------------------------------------------------------------------------------- */

static void names_become_events(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config, period;
	} rows[] = {
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000000 },
		{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1 },
		{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 10 },
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000 },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000000 },
		{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 1000000 },
		{ "LLC-load-misses", PERF_TYPE_HW_CACHE, 0x10002, 1000 },
		{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003, 1000 },
		{ "r4f2e", PERF_TYPE_RAW, 0x4f2e, 1000000 },
		{ "trace:321", PERF_TYPE_TRACEPOINT, 321, 1 },
	};
	struct ch_perf_spec s;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ch_perf_event_parse(rows[i].name, &s, NULL), 0);
		assert_string_equal(s.name, rows[i].name);
		assert_int_equal(s.type, rows[i].type);
		assert_int_equal(s.config, rows[i].config);
		assert_int_equal(s.period, rows[i].period);
	}
	for (size_t i = 0; i < ch_n_perf_events; i++)
		assert_int_equal(ch_perf_event_parse(ch_perf_events[i].name, &s, NULL), 0);
	assert_int_equal(ch_perf_event_parse("sched:sched_switch", &s, NULL), 0);
	assert_string_equal(s.tracepoint, "sched/sched_switch");
	assert_true(s.kernel);
}

static void addresses_are_read(void **state)
{
	static const struct {
		const char *name, *symbol;
		uint64_t address, length;
		uint32_t access;
	} rows[] = {
		{ "mem:0x1234", "", 0x1234, 0, 0 },
		{ "mem:0x1234/4:rw", "", 0x1234, 4, HW_BREAKPOINT_RW },
		{ "mem:4096:w", "", 4096, 0, HW_BREAKPOINT_W },
		{ "mem:malloc", "malloc", 0, 0, 0 },
		{ "mem:malloc+0x10:x", "malloc", 0x10, 0, HW_BREAKPOINT_X },
		{ "mem:_ZN2os6mallocEm/8", "_ZN2os6mallocEm", 0, 8, 0 },
	};
	struct ch_perf_spec s;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ch_perf_event_parse(rows[i].name, &s, NULL), 0);
		assert_int_equal(s.type, PERF_TYPE_BREAKPOINT);
		assert_string_equal(s.symbol, rows[i].symbol);
		assert_int_equal(s.address, rows[i].address);
		assert_int_equal(s.length, rows[i].length);
		assert_int_equal(s.access, rows[i].access);
	}
}

static void what_is_no_event_is_told(void **state)
{
	static const struct {
		const char *name, *why;
	} rows[] = {
		{ "", "there is no event ''; known are cpu-clock, page-faults, " },
		{ "cycle", "there is no event 'cycle'; known are " },
		{ "rxyz", "there is no event 'rxyz'" },
		{ "mem:", "'mem:': an address or a symbol is missing" },
		{ "mem:a:q", "'mem:a:q': access is made of r, w and x, not 'q'" },
		{ "mem:a:rx", "'mem:a:rx': x does not go with r or w" },
		{ "mem:a/3", "'mem:a/3': the length is 1, 2, 4 or 8" },
		{ "mem:a/16", "'mem:a/16': the length is 1, 2, 4 or 8" },
		{ "mem:a+b", "'mem:a+b': the offset 'b' is no number" },
		{ "trace:x", "'trace:x': trace: takes the number of a tracepoint" },
		{ "../../etc:id", "'../../etc:id' is no SUBSYSTEM:TRACEPOINT" },
		{ "sched:", "'sched:' is no SUBSYSTEM:TRACEPOINT" },
	};
	struct ch_perf_spec s = { .type = 77 };
	struct ch_error err;
	char longer[300];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ch_perf_event_parse(rows[i].name, &s, &err), -EINVAL);
		assert_int_equal(strncmp(err.text, rows[i].why, strlen(rows[i].why)), 0);
	}
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(ch_perf_event_parse(longer, &s, &err), -EINVAL);
	memcpy(longer, "mem:", 4);
	longer[120] = '\0';
	assert_int_equal(ch_perf_event_parse(longer, &s, &err), -EINVAL);
	assert_int_equal(s.type, 77);
}

static int static_datum;

static void symbols_are_found_in_this_process(void **state)
{
	struct ch_perf_spec s;
	struct ch_error err;

	(void)state;
	assert_int_equal(ch_perf_event_parse("mem:symbols_are_found_in_this_process+4", &s, &err),
	                 0);
	assert_int_equal(ch_perf_event_resolve(&s, &err), 0);
	assert_int_equal(s.address, (uintptr_t)symbols_are_found_in_this_process + 4);
	assert_int_equal(s.access, HW_BREAKPOINT_X);
	assert_int_equal(s.length, sizeof(long));
	assert_int_equal(ch_perf_event_resolve(&s, &err), 0); /* again changes nothing */
	assert_int_equal(s.address, (uintptr_t)symbols_are_found_in_this_process + 4);
	assert_int_equal(ch_perf_event_parse("mem:static_datum/4", &s, &err), 0);
	assert_int_equal(ch_perf_event_resolve(&s, &err), 0);
	assert_int_equal(s.address, (uintptr_t)&static_datum);
	assert_int_equal(s.access, HW_BREAKPOINT_RW);
	assert_int_equal(s.length, 4);
	assert_int_equal(ch_perf_event_parse("mem:no_such_thing", &s, &err), 0);
	assert_int_equal(ch_perf_event_resolve(&s, &err), -ENOENT);
	assert_string_equal(err.text,
	                    "'mem:no_such_thing': no library of this process has a symbol "
	                    "'no_such_thing'");
}

/* --- why there is none ------------------------------------------------------------------------- */

/* Which of them this machine offers is unknown; that each refusal says why is not. */
static void refusals_have_a_reason(void **state)
{
	static const char *const reasons[] = { "no such hardware counter",
		                               "perf_event_paranoid",
		                               "no perf_event_open here",
		                               "cannot sample by this event",
		                               "tracefs",
		                               "no tracepoint",
		                               "only root may read" };
	struct ch_perf_spec s;
	struct ch_error err;
	bool found;

	(void)state;
	for (size_t i = 0; i <= ch_n_perf_events; i++) {
		const char *name =
		    i < ch_n_perf_events ? ch_perf_events[i].name : "nosuch:nosuchtracepoint";

		assert_int_equal(ch_perf_event_parse(name, &s, &err), 0);
		if (ch_perf_event_probe(&s, false, &err) == 0)
			continue;
		found = false;
		for (size_t k = 0; k < sizeof(reasons) / sizeof(reasons[0]); k++)
			found |= strstr(err.text, reasons[k]) != NULL;
		if (!found)
			fail_msg("%s: %s", name, err.text);
	}
	assert_int_equal(ch_perf_event_parse("nosuch:nosuchtracepoint", &s, &err), 0);
	assert_true(ch_perf_event_probe(&s, false, &err) < 0);
}

/* --- counting ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t signals, last_fd;
static struct ch_perf_ring ring;
static uint64_t chain[64];
static volatile size_t n_chain;

static void on_event(int sig, siginfo_t *info, void *uc)
{
	size_t n = ch_perf_event_chain_sig(&ring, chain, 64);

	(void)sig;
	(void)uc;
	signals++;
	last_fd = info->si_fd;
	if (n)
		n_chain = n;
}

/* Opens it for this thread with a signal; skips the test where that is not permitted. */
static int start(const char *name, bool kernel)
{
	struct sigaction sa = { .sa_sigaction = on_event, .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct ch_perf_open how = {
		.tid = (pid_t)syscall(SYS_gettid), .period = 1, .kernel = kernel, .signal = SIGUSR2
	};
	struct ch_perf_spec s;
	struct ch_error err;
	int fd;

	assert_int_equal(sigaction(SIGUSR2, &sa, NULL), 0);
	assert_int_equal(ch_perf_event_parse(name, &s, &err), 0);
	assert_int_equal(ch_perf_event_resolve(&s, &err), 0);
	signals = last_fd = 0;
	n_chain = 0;
	fd = ch_perf_event_open_thread(&s, &how, &err);
	if (fd < 0) {
		print_message("%s\n", err.text);
		skip();
	}
	return fd;
}

static uint64_t stop(int fd)
{
	uint64_t n = 0;

	assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
	close(fd);
	return n;
}

static void touch_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p =
	    mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal((void *)p, MAP_FAILED);
	(void)madvise((void *)p, n * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		p[i * page] = 1;
	munmap((void *)p, n * page);
}

static void page_faults_are_counted_and_signalled(void **state)
{
	int fd = start("page-faults", false);

	(void)state;
	touch_pages(10);
	assert_int_equal(signals, 0); /* not before it is enabled */
	assert_int_equal(ch_perf_event_enable(fd), 0);
	touch_pages(100);
	assert_true(stop(fd) >= 100);
	assert_true(signals > 0);
	assert_int_equal(last_fd, fd);
}

static void context_switches_are_counted(void **state)
{
	int fd = start("context-switches", false);

	(void)state;
	assert_int_equal(ch_perf_event_enable(fd), 0);
	for (int i = 0; i < 30; i++)
		usleep(1000);
	assert_true(stop(fd) >= 30);
	assert_true(signals > 0);
}

static void the_kernel_tells_its_part_of_the_chain(void **state)
{
	int fd = start("page-faults", true);
	struct ch_error err;

	(void)state;
	assert_int_equal(ch_perf_event_map(fd, &ring, &err), 0);
	assert_int_equal(ch_perf_event_enable(fd), 0);
	/* A fault within a system call: the kernel writes to a page that is not there yet. */
	for (int i = 0; i < 10; i++) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);
		char *p =
		    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_ptr_not_equal(p, MAP_FAILED);
		assert_int_equal(syscall(SYS_getcwd, p, page) > 0, 1);
		munmap(p, page);
	}
	assert_true(stop(fd) >= 10);
	assert_true(signals > 0);
	assert_true(n_chain > 1);
	for (size_t i = 0; i < n_chain; i++)
		assert_true(chain[i] >> 63);
	assert_int_equal(ch_perf_event_chain_sig(&ring, chain, 64), 0); /* all were taken */
	ch_perf_event_unmap(&ring);
	assert_int_equal(ch_perf_event_chain_sig(&ring, chain, 64), 0);
}

static __attribute__((noinline)) void watched(void)
{
	__asm__ volatile("" ::: "memory");
}

static void each_call_of_a_function_is_counted(void **state)
{
	int fd = start("mem:watched", false);

	(void)state;
	assert_int_equal(ch_perf_event_enable(fd), 0);
	for (int i = 0; i < 50; i++)
		watched();
	assert_int_equal(stop(fd), 50);
	assert_true(signals > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_events),
		cmocka_unit_test(addresses_are_read),
		cmocka_unit_test(what_is_no_event_is_told),
		cmocka_unit_test(symbols_are_found_in_this_process),
		cmocka_unit_test(refusals_have_a_reason),
		cmocka_unit_test(page_faults_are_counted_and_signalled),
		cmocka_unit_test(context_switches_are_counted),
		cmocka_unit_test(the_kernel_tells_its_part_of_the_chain),
		cmocka_unit_test(each_call_of_a_function_is_counted),
	};

	static_datum = 1;
	return cmocka_run_group_tests_name("perf_event", tests, NULL, NULL);
}
