#include "agent/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/cpu.h"
#include "agent/governor.h"
#include "agent/perf.h"
#include "agent/labels.h"
#include "agent/sampler.h"
#include "hotspot/counters.h"
#include "sys/fault.h"

static void put(struct ch_chunk *c, uint64_t v)
{
	ch_jfr_put_int(&c->events, v);
}

/* --- samples --------------------------------------------------------------------------------- */

static const enum ch_type types[CH_EV_COUNT] = {
	[CH_EV_CPU] = CH_T_CPU_SAMPLE,   [CH_EV_ALLOC] = CH_T_ALLOC_SAMPLE,
	[CH_EV_LIVE] = CH_T_LIVE_OBJECT, [CH_EV_MONITOR] = CH_T_MONITOR_ENTER,
	[CH_EV_PARK] = CH_T_PARK,        [CH_EV_PERF] = CH_T_PERF_SAMPLE,
};

/* Locks and waits are told at their end: they began that much earlier. */
static int64_t start_of(const struct ch_rec_sample *s)
{
	bool at_end = s->event == CH_EV_MONITOR || s->event == CH_EV_PARK;

	return ch_ticks(s->time_ns - (at_end ? s->extra : 0));
}

static void put_rest(struct ch_chunk *c, struct ch_intern *in, const struct ch_rec_sample *s,
                     enum ch_event event)
{
	switch (event) {
	case CH_EV_CPU:
		put(c, s->state);
		put(c, s->weight);
		break;
	case CH_EV_ALLOC:
		put(c, ch_intern_class(in, s->class_id));
		put(c, s->weight);
		break;
	case CH_EV_LIVE:
		put(c, ch_intern_class(in, s->class_id));
		put(c, s->extra);
		put(c, (uint64_t)ch_ticks(s->ref));
		put(c, s->weight);
		break;
	case CH_EV_MONITOR:
		put(c, ch_intern_class(in, s->class_id));
		put(c, 0); /* previous owner */
		put(c, s->ref);
		break;
	case CH_EV_PARK:
		put(c, ch_intern_class(in, s->class_id));
		put(c, 0); /* timeout */
		put(c, 0); /* until */
		put(c, s->ref);
		break;
	case CH_EV_PERF:
		ch_chunk_text(c, ch_perf_name((unsigned)s->extra));
		put(c, s->weight);
		break;
	default:
		break;
	}
}

void ch_emit_sample(struct ch_chunk *c, struct ch_intern *in, const struct ch_rec_sample *s,
                    enum ch_event event)
{
	uint64_t thread, stack;
	size_t begun;

	if (event >= CH_EV_COUNT || event == CH_EV_WALL)
		return;
	thread = ch_intern_thread(in, s->name);
	stack = ch_intern_stack(in, s->frames, s->n_frames, s->end);
	begun = ch_chunk_event(c, types[event], start_of(s));
	if (event == CH_EV_MONITOR || event == CH_EV_PARK)
		put(c, ch_ticks_span(s->extra));
	put(c, thread);
	put(c, stack);
	put_rest(c, in, s, event);
	ch_jfr_event_end(&c->events, begun);
}

void ch_emit_wall(struct ch_chunk *c, struct ch_intern *in, struct ch_runs *runs,
                  const struct ch_rec_sample *s)
{
	struct ch_run sample = { .thread = ch_intern_thread(in, s->name),
		                 .stack = ch_intern_wall_stack(in, s),
		                 .state = s->state,
		                 .start_ticks = ch_ticks(s->time_ns),
		                 .samples = s->weight,
		                 .span_ns = s->extra };

	ch_runs_add(runs, c, &sample);
}

/* --- spans ----------------------------------------------------------------------------------- */

static void put_span_text(struct ch_chunk *c, const struct ch_rec_span *s, enum ch_span_text which)
{
	const char *at = s->text;

	for (unsigned i = 0; i < which; i++)
		at += s->len[i];
	if (s->len[which])
		ch_jfr_put_text(&c->events, at, s->len[which]);
	else
		ch_jfr_put_null(&c->events);
}

/* 0 says that it is open. */
static uint64_t duration_of(const struct ch_rec_span *s)
{
	uint64_t ticks = s->end_ns ? ch_ticks_span(s->end_ns - s->start_ns) : 0;

	return ticks || !s->end_ns ? ticks : 1;
}

void ch_emit_span(struct ch_chunk *c, struct ch_intern *in, uint32_t name,
                  const struct ch_rec_span *s)
{
	uint64_t thread = ch_intern_thread(in, name);
	size_t begun = ch_chunk_event(c, CH_T_TASK_SPAN, ch_ticks(s->start_ns));

	put(c, duration_of(s));
	put(c, thread);
	put(c, (uint64_t)(int64_t)s->stage);
	put(c, (uint64_t)(int64_t)s->stage_attempt);
	put(c, (uint64_t)(int64_t)s->partition);
	put(c, (uint64_t)(int64_t)s->attempt);
	put(c, (uint64_t)s->task_id);
	put_span_text(c, s, CH_SPAN_EXECUTOR);
	put(c, (uint64_t)s->sql_execution);
	put_span_text(c, s, CH_SPAN_JOB_GROUP);
	put_span_text(c, s, CH_SPAN_DESCRIPTION);
	put_span_text(c, s, CH_SPAN_RESULT);
	ch_jfr_event_end(&c->events, begun);
}

/* --- the head of a chunk --------------------------------------------------------------------- */

static void setting(struct ch_chunk *c, enum ch_type of, const char *name, const char *fmt, ...)
    CH_PRINTF(4, 5);

static void setting(struct ch_chunk *c, enum ch_type of, const char *name, const char *fmt, ...)
{
	size_t begun = ch_chunk_event(c, CH_T_SETTING, c->start_ticks);
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put(c, 0);
	put(c, 0);
	put(c, ch_type_id(of));
	ch_chunk_text(c, name);
	ch_chunk_text(c, text);
	ch_jfr_event_end(&c->events, begun);
}

static void put_settings(struct ch_chunk *c, const struct ch_args *a)
{
	setting(c, CH_T_RECORDING, "version", "%s", CH_VERSION);
	setting(c, CH_T_RECORDING, "walker", "%s", ch_agent.walker);
	if (a->cpu || a->ctimer || a->itimer)
		setting(c, CH_T_CPU_SAMPLE, "interval", "%lld ns", (long long)a->interval_ns);
	if (a->wall)
		setting(c, CH_T_WALL_SAMPLE, "interval", "%lld ns", (long long)a->wall_ns);
	if (a->alloc)
		setting(c, CH_T_ALLOC_SAMPLE, "interval", "%lld bytes", (long long)a->alloc_bytes);
	if (a->live)
		setting(c, CH_T_LIVE_OBJECT, "interval", "%lld bytes", (long long)a->alloc_bytes);
	for (unsigned i = 0; i < a->n_perf; i++)
		setting(c, CH_T_PERF_SAMPLE, ch_perf_name(i), "%llu events",
		        (unsigned long long)ch_perf_period(i));
	if (a->lock)
		setting(c, CH_T_MONITOR_ENTER, "threshold", "%lld ns", (long long)a->lock_ns);
	if (a->lock)
		setting(c, CH_T_PARK, "threshold", "%lld ns", (long long)a->lock_ns);
}

static void put_recording(struct ch_chunk *c, int64_t start_ms)
{
	size_t begun = ch_chunk_event(c, CH_T_RECORDING, c->start_ticks);

	put(c, 0);
	put(c, 0);
	put(c, 1);
	ch_chunk_text(c, "charcloth " CH_VERSION);
	ch_chunk_text(c, c->path);
	put(c, (uint64_t)INT64_MAX);
	put(c, (uint64_t)INT64_MAX);
	put(c, (uint64_t)start_ms);
	put(c, (uint64_t)INT64_MAX);
	ch_jfr_event_end(&c->events, begun);
}

/* NULL when there is none; given back by forget. */
static char *property(const char *name)
{
	char *value = NULL;

	(*ch_agent.jvmti)->GetSystemProperty(ch_agent.jvmti, name, &value);
	return value;
}

static void forget(char *value)
{
	if (value)
		(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)value);
}

static void put_property(struct ch_chunk *c, const char *name)
{
	char *value = property(name);

	ch_chunk_text(c, value);
	forget(value);
}

static void put_labels(struct ch_chunk *c, const struct ch_args *a)
{
	char *command = property("sun.java.command");

	ch_labels_write(c, a->labels, command);
	forget(command);
}

static void put_counter_text(struct ch_chunk *c, const struct ch_perfdata *p, const char *name)
{
	struct ch_span text = p ? ch_perfdata_text(p, name) : CH_NO_SPAN;

	if (text.n)
		ch_jfr_put_text(&c->events, text.s, text.n);
	else
		ch_chunk_text(c, NULL);
}

/* What no property tells is among the counters of the VM; some of it only once it runs. */
static void put_jvm(struct ch_chunk *c)
{
	struct ch_perfdata counters;
	const struct ch_perfdata *p =
	    ch_counters_open(&ch_sampler.vm, &counters) == 0 ? &counters : NULL;
	const int64_t *begin_ms = p ? ch_perfdata_number(p, "sun.rt.createVmBeginTime") : NULL;
	size_t begun = ch_chunk_event(c, CH_T_JVM_INFO, c->start_ticks);

	put_property(c, "java.vm.name");
	put_property(c, "java.vm.version");
	put_counter_text(c, p, "java.rt.vmArgs");
	put_counter_text(c, p, "java.rt.vmFlags");
	put_property(c, "sun.java.command");
	put(c, begin_ms ? (uint64_t)*begin_ms : 0);
	put(c, (uint64_t)getpid());
	ch_jfr_event_end(&c->events, begun);
}

static void put_os(struct ch_chunk *c)
{
	struct utsname os;
	char text[512];
	size_t begun;

	if (uname(&os) < 0)
		return;
	snprintf(text, sizeof(text), "%s %s %s", os.sysname, os.release, os.machine);
	begun = ch_chunk_event(c, CH_T_OS_INFO, c->start_ticks);
	ch_chunk_text(c, text);
	ch_jfr_event_end(&c->events, begun);
}

void ch_emit_head(struct ch_chunk *c, const struct ch_args *args, int64_t start_ms)
{
	put_recording(c, start_ms);
	put_settings(c, args);
	put_jvm(c);
	put_os(c);
	put_labels(c, args);
}

void ch_emit_stats(struct ch_chunk *c, uint64_t own_cpu_ns)
{
	struct ch_sampler *s = &ch_sampler;
	size_t begun = ch_chunk_event(c, CH_T_SAMPLER_STATS, ch_ticks(ch_now_ns()));
	uint64_t taken = 0;

	for (unsigned i = 0; i < CH_EV_COUNT; i++)
		taken += atomic_load(&s->taken[i]);
	put(c, taken);
	for (unsigned i = 0; i < CH_DROP_COUNT; i++)
		put(c, atomic_load(&s->dropped[i]));
	for (unsigned i = CH_WALK_TRUNCATED; i < CH_WALK_ENDS; i++)
		put(c, atomic_load(&s->ends[i]));
	put(c, ch_fault_count());
	put(c, s->interval_ns * ch_cpu_stretched());
	put(c, ch_governor_own_ns(own_cpu_ns));
	ch_jfr_event_end(&c->events, begun);
}
