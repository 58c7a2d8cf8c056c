#include "agent/events.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/agent.h"
#include "sys/perf_event.h"

/* --- what the JVM has ------------------------------------------------------------------------ */

static jvmtiCapabilities capabilities(void)
{
	jvmtiCapabilities has = { 0 };

	(*ch_agent.jvmti)->GetPotentialCapabilities(ch_agent.jvmti, &has);
	return has;
}

static int probe_alloc(struct ch_error *err)
{
	return capabilities().can_generate_sampled_object_alloc_events
	           ? 0
	           : ch_fail(err, -ENOTSUP, "this JVM does not sample allocations");
}

static int probe_lock(struct ch_error *err)
{
	return capabilities().can_generate_monitor_events
	           ? 0
	           : ch_fail(err, -ENOTSUP, "this JVM does not tell about contended locks");
}

static const struct ch_event_word words[] = {
#define FLAG(m) offsetof(struct ch_args, m)
	{ "cpu", "CPU time of each thread", FLAG(cpu), NULL },
	{ "wall", "time on the wall, of all threads, whether they run or wait", FLAG(wall), NULL },
	{ "alloc", "bytes allocated, by class", FLAG(alloc), probe_alloc },
	{ "live", "bytes allocated and still reachable at the end", FLAG(live), probe_alloc },
	{ "lock", "time spent waiting for locks", FLAG(lock), probe_lock },
	{ "ctimer", "CPU time, by a timer of each thread", FLAG(ctimer), NULL },
	{ "itimer", "CPU time, by one timer of the process", FLAG(itimer), NULL },
#undef FLAG
};

/* Forms of perf's events that are no names; each with one that is tried. */
static const struct {
	const char *form, *try, *help;
} forms[] = {
	{ "rNNN", "r3c", "a raw event of this CPU, by its number in hex" },
	{ "mem:ADDRESS", NULL, "accesses to an address or a symbol: mem:X[+N][/LENGTH][:rwx]" },
	{ "SUBSYSTEM:TRACEPOINT", "sched:sched_switch", "a tracepoint of the kernel" },
};

const struct ch_event_word *ch_events_find(const char *name)
{
	for (size_t i = 0; i < CH_LEN(words); i++)
		if (!strcmp(words[i].name, name))
			return &words[i];
	return NULL;
}

/* --- a name that is none --------------------------------------------------------------------- */

static size_t add_name(char *list, size_t room, size_t n, const char *name)
{
	if (n < room)
		n += (size_t)snprintf(list + n, room - n, "%s%s", n ? ", " : "", name);
	return n;
}

int ch_event_check(const char *name, struct ch_error *err)
{
	struct ch_perf_spec spec;
	char list[420];
	size_t n = 0;
	int r = ch_events_find(name) ? 0 : ch_perf_event_parse(name, &spec, err);

	/* What has one of perf's forms is told what is wrong with it. */
	if (r >= 0 || strchr(name, ':'))
		return r;
	for (size_t i = 0; i < CH_LEN(words); i++)
		n = add_name(list, sizeof(list), n, words[i].name);
	for (size_t i = 0; i < ch_n_perf_events; i++)
		n = add_name(list, sizeof(list), n, ch_perf_events[i].name);
	for (size_t i = 0; i < CH_LEN(forms); i++)
		n = add_name(list, sizeof(list), n, forms[i].form);
	return ch_fail(err, -EINVAL, "there is no event '%s'; the events are: %s", name, list);
}

/* --- the list -------------------------------------------------------------------------------- */

static void put_line(struct ch_buf *out, const char *name, const char *help, int r,
                     const struct ch_error *err)
{
	size_t n = strlen(name);
	const char *why = err->text;

	ch_buf_printf(out, "%-22s %s", name, help);
	if (r < 0) {
		/* `'cycles': this machine …`: the name stands at the start of the line already. */
		if (why[0] == '\'' && !strncmp(why + 1, name, n) && !strncmp(why + 1 + n, "': ", 3))
			why += n + 4;
		ch_buf_printf(out, "; missing: %s", why);
	}
	ch_buf_putc(out, '\n');
}

static int probe_perf(const char *name, struct ch_error *err)
{
	struct ch_perf_spec spec;
	int r = ch_perf_event_parse(name, &spec, err);

	return r < 0 ? r : ch_perf_event_probe(&spec, false, err);
}

static int probe_form(size_t i, struct ch_error *err)
{
	static int watched;
	char name[64];

	if (forms[i].try)
		return probe_perf(forms[i].try, err);
	snprintf(name, sizeof(name), "mem:0x%llx/4:rw", (unsigned long long)(uintptr_t)&watched);
	return probe_perf(name, err);
}

void ch_events_list(struct ch_buf *out)
{
	for (size_t i = 0; i < CH_LEN(words); i++) {
		struct ch_error err = { 0 };
		int r = words[i].probe ? words[i].probe(&err) : 0;

		put_line(out, words[i].name, words[i].help, r, &err);
	}
	for (size_t i = 0; i < ch_n_perf_events; i++) {
		struct ch_error err = { 0 };
		int r = probe_perf(ch_perf_events[i].name, &err);

		put_line(out, ch_perf_events[i].name, ch_perf_events[i].help, r, &err);
	}
	for (size_t i = 0; i < CH_LEN(forms); i++) {
		struct ch_error err = { 0 };
		int r = probe_form(i, &err);

		put_line(out, forms[i].form, forms[i].help, r, &err);
	}
}
