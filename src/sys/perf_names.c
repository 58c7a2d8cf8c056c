#include "sys/perf_event.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "sys/elf.h"
#include "sys/maps.h"

#define HW(id)           PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id)           PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define CACHE_MISS(id)   PERF_TYPE_HW_CACHE, READ_MISS(PERF_COUNT_HW_CACHE_##id)
#define READ_MISS(cache) ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | MISS << 16)
#define MISS             PERF_COUNT_HW_CACHE_RESULT_MISS
#define MANY             1000000 /* events that happen all the time */
#define FEW              1000    /* and those that are the exception */
#define SWITCHES         10      /* threads that take turns at a lock have ten thousands a second */
#define CPU_CLOCK_NS     10000000
#define RAW_PERIOD       MANY

const struct ch_perf_event ch_perf_events[] = {
	{ "cpu-clock", NULL, SW(CPU_CLOCK), CPU_CLOCK_NS, false, "CPU time in ns, by a timer" },
	{ "page-faults", "faults", SW(PAGE_FAULTS), 1, false, "pages touched for the first time" },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES), SWITCHES, true,
	  "times the thread lost its core" },
	{ "cycles", "cpu-cycles", HW(CPU_CYCLES), MANY, false, "cycles of the CPU" },
	{ "instructions", NULL, HW(INSTRUCTIONS), MANY, false, "instructions completed" },
	{ "cache-references", NULL, HW(CACHE_REFERENCES), MANY, false,
	  "accesses to the last cache" },
	{ "cache-misses", NULL, HW(CACHE_MISSES), FEW, false, "accesses that no cache served" },
	{ "branch-instructions", "branches", HW(BRANCH_INSTRUCTIONS), MANY, false, "branches" },
	{ "branch-misses", NULL, HW(BRANCH_MISSES), FEW, false, "branches predicted wrongly" },
	{ "bus-cycles", NULL, HW(BUS_CYCLES), MANY, false, "cycles of the bus" },
	{ "L1-dcache-load-misses", NULL, CACHE_MISS(L1D), MANY, false,
	  "loads not in the first cache" },
	{ "LLC-load-misses", NULL, CACHE_MISS(LL), FEW, false, "loads not in the last cache" },
	{ "dTLB-load-misses", NULL, CACHE_MISS(DTLB), FEW, false, "loads of pages not in the TLB" },
};
const size_t ch_n_perf_events = CH_LEN(ch_perf_events);

/* --- reading what was asked for ---------------------------------------------------------------- */

static int unknown(const char *name, struct ch_error *err)
{
	char known[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < ch_n_perf_events && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "",
		                      ch_perf_events[i].name);
	return ch_fail(err, -EINVAL,
	               "there is no event '%s'; known are %s, rNNN, mem:ADDRESS and "
	               "SUBSYSTEM:TRACEPOINT",
	               name, known);
}

static const struct ch_perf_event *in_table(const char *name)
{
	for (size_t i = 0; i < ch_n_perf_events; i++) {
		const struct ch_perf_event *e = &ch_perf_events[i];

		if (!strcmp(e->name, name) || (e->alias && !strcmp(e->alias, name)))
			return e;
	}
	return NULL;
}

/* All of the text as a number: 0x…, or decimal. */
static bool whole_number(const char *s, int base, uint64_t *ret)
{
	char *end;

	if (!ch_is_hex(*s))
		return false;
	errno = 0;
	*ret = strtoull(s, &end, base);
	return !*end && !errno;
}

static bool is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (!ch_is_digit(c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_' &&
		    c != '-')
			return false;
	}
	return n > 0;
}

static int parse_access(const char *letters, struct ch_perf_spec *s, struct ch_error *err)
{
	for (; *letters; letters++) {
		if (*letters == 'r')
			s->access |= HW_BREAKPOINT_R;
		else if (*letters == 'w')
			s->access |= HW_BREAKPOINT_W;
		else if (*letters == 'x')
			s->access |= HW_BREAKPOINT_X;
		else
			return ch_fail(err, -EINVAL, "'%s': access is made of r, w and x, not '%c'",
			               s->name, *letters);
	}
	if ((s->access & HW_BREAKPOINT_X) && s->access != HW_BREAKPOINT_X)
		return ch_fail(err, -EINVAL, "'%s': x does not go with r or w", s->name);
	return 0;
}

/* Cuts the text at the last `c` and returns what stands behind it, or NULL. */
static char *cut(char *text, char c)
{
	char *at = strrchr(text, c);

	if (at)
		*at++ = '\0';
	return at;
}

static int parse_mem(const char *text, struct ch_perf_spec *s, struct ch_error *err)
{
	char copy[sizeof(s->symbol)];
	const char *part;

	if (strlen(text) >= sizeof(copy))
		return ch_fail(err, -EINVAL, "'%s' is too long", s->name);
	memcpy(copy, text, strlen(text) + 1);
	s->type = PERF_TYPE_BREAKPOINT;
	s->period = 1;
	part = cut(copy, ':');
	if (part && parse_access(part, s, err) < 0)
		return -EINVAL;
	part = cut(copy, '/');
	if (part && (!whole_number(part, 0, &s->length) || s->length > 8 ||
	             __builtin_popcountll(s->length) != 1))
		return ch_fail(err, -EINVAL, "'%s': the length is 1, 2, 4 or 8", s->name);
	if (whole_number(copy, 0, &s->address))
		return 0;
	part = cut(copy, '+');
	if (part && !whole_number(part, 0, &s->address))
		return ch_fail(err, -EINVAL, "'%s': the offset '%s' is no number", s->name, part);
	if (!copy[0])
		return ch_fail(err, -EINVAL, "'%s': an address or a symbol is missing", s->name);
	memcpy(s->symbol, copy, sizeof(copy));
	return 0;
}

static int parse_tracepoint(const char *name, const char *colon, struct ch_perf_spec *s,
                            struct ch_error *err)
{
	size_t n = (size_t)(colon - name), rest = strlen(colon + 1);

	s->type = PERF_TYPE_TRACEPOINT;
	s->period = 1;
	s->kernel = true;
	if (n == 5 && !memcmp(name, "trace", n)) {
		if (!whole_number(colon + 1, 10, &s->config))
			return ch_fail(err, -EINVAL,
			               "'%s': trace: takes the number of a tracepoint", name);
		return 0;
	}
	if (!is_word(name, n) || !is_word(colon + 1, rest) || n + rest + 2 > sizeof(s->tracepoint))
		return ch_fail(err, -EINVAL, "'%s' is no SUBSYSTEM:TRACEPOINT", name);
	(void)snprintf(s->tracepoint, sizeof(s->tracepoint), "%.*s/%s", (int)n, name, colon + 1);
	return 0;
}

int ch_perf_event_parse(const char *name, struct ch_perf_spec *ret, struct ch_error *err)
{
	const struct ch_perf_event *e = in_table(name);
	const char *colon = strchr(name, ':');
	struct ch_perf_spec s = { 0 };
	int r = 0;

	if (strlen(name) >= sizeof(s.name))
		return ch_fail(err, -EINVAL, "the name of an event has less than %zu letters",
		               sizeof(s.name));
	memcpy(s.name, name, strlen(name) + 1);
	if (e) {
		s.type = e->type;
		s.config = e->config;
		s.period = e->period;
		s.kernel = e->kernel;
	} else if (!strncmp(name, "mem:", 4)) {
		r = parse_mem(name + 4, &s, err);
	} else if (colon) {
		r = parse_tracepoint(name, colon, &s, err);
	} else if (name[0] == 'r' && whole_number(name + 1, 16, &s.config)) {
		s.type = PERF_TYPE_RAW;
		s.period = RAW_PERIOD;
	} else {
		r = unknown(name, err);
	}
	if (r >= 0)
		*ret = s;
	return r;
}

/* --- finding what it stands for ---------------------------------------------------------------- */

static int tracepoint_id(const struct ch_perf_spec *s, uint64_t *ret, struct ch_error *err)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[256], text[32] = "";
	bool mounted = false;

	for (size_t i = 0; i < CH_LEN(mounts); i++) {
		CH_CLEANUP(ch_closep) int fd = -1;

		(void)snprintf(path, sizeof(path), "%s/events/%s/id", mounts[i], s->tracepoint);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0) {
			*ret = strtoull(text, NULL, 10);
			return 0;
		}
		if (fd < 0 && (errno == EACCES || errno == EPERM))
			return ch_fail(err, -errno, "'%s': only root may read '%s': %m", s->name,
			               path);
		(void)snprintf(path, sizeof(path), "%s/events", mounts[i]);
		mounted |= access(path, F_OK) == 0;
	}
	if (mounted)
		return ch_fail(err, -ENOENT, "this kernel has no tracepoint '%s'", s->name);
	return ch_fail(err, -ENOENT,
	               "'%s': tracepoints need tracefs, which is not mounted (mount -t tracefs "
	               "tracefs %s)",
	               s->name, mounts[0]);
}

/* A symbol that only .symtab has: in the first library that has it. */
static bool symbol_in_files(const struct ch_maps *m, const char *symbol, uint64_t *ret)
{
	uint64_t value, addr;

	for (size_t i = 0; i < m->n; i++) {
		const struct ch_maps_range *r = &m->ranges[i];
		struct ch_elf e = { 0 };
		bool found;

		if (!ch_maps_is_file(r) || (i && r[-1].path == r->path) || ch_maps_open(r, &e) < 0)
			continue;
		found = ch_elf_value(&e, symbol, &value) && ch_elf_addr(&e, r->offset, &addr);
		ch_elf_done(&e);
		if (!found)
			continue;
		*ret = r->start - addr + value;
		return true;
	}
	return false;
}

static int find_address(struct ch_perf_spec *s, const struct ch_maps *m, struct ch_error *err)
{
	uint64_t at = (uintptr_t)dlsym(RTLD_DEFAULT, s->symbol);

	if (!at && !symbol_in_files(m, s->symbol, &at))
		return ch_fail(err, -ENOENT, "'%s': no library of this process has a symbol '%s'",
		               s->name, s->symbol);
	s->address += at;
	s->symbol[0] = '\0';
	return 0;
}

static int resolve_mem(struct ch_perf_spec *s, struct ch_error *err)
{
	struct ch_maps m = { 0 };
	int r = ch_maps_read(&m, 0, err);

	if (r >= 0 && s->symbol[0])
		r = find_address(s, &m, err);
	if (r >= 0 && !s->access)
		s->access = ch_maps_find(&m, s->address) ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW;
	if (s->access == HW_BREAKPOINT_X)
		s->length = sizeof(long); /* the only one the kernel takes */
	else if (!s->length)
		s->length = 1;
	ch_maps_done(&m);
	return r < 0 ? r : 0;
}

int ch_perf_event_resolve(struct ch_perf_spec *spec, struct ch_error *err)
{
	int r = 0;

	if (spec->type == PERF_TYPE_BREAKPOINT) {
		r = resolve_mem(spec, err);
	} else if (spec->tracepoint[0]) {
		r = tracepoint_id(spec, &spec->config, err);
		if (r >= 0)
			spec->tracepoint[0] = '\0';
	}
	return r;
}
