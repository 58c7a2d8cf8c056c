#include "profile/events.h"
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>

#define LIST_MAX 400 /* of the events in a sentence */

/*
 * One row per recorded type. Rows of one word are added together, except that a row with a higher
 * `rank` silences those with a lower one: they measure the same thing, less well. The order of the
 * words is the order in which a default is looked for.
 */
static const struct {
	const char *word, *type;
	int rank;
} words[] = {
	{ "cpu", "jdk.CPUTimeSample", 1 },
	{ "cpu", "jdk.ExecutionSample", 0 },
	{ "cpu", "cycles", 2 },
	{ "cpu", "cpu-cycles", 2 },
	{ "cpu", "cpu_core/cycles/", 2 },
	{ "cpu", "cpu_atom/cycles/", 2 },
	{ "cpu", "cpu-clock", 1 },
	{ "cpu", "task-clock", 0 },
	{ "cpu", "perf", 0 },
	{ "cpu", "samples", 0 },
	{ "cpu", "honest-profiler", 0 },
	{ "cpu", "cpu-time", 0 },
	{ "cpu", "speedscope", 0 },
	{ "wall", "profiler.WallClockSample", 0 },
	{ "wall", "threads", 0 },
	{ "wall", "Stacktrace", 0 },
	{ "wall", "pyspark-stack", 0 },
	{ "wall", "wall_time", 0 },
	{ "wall", "wall-time", 0 },
	{ "wall", "goroutine", 0 },
	{ "alloc", "jdk.ObjectAllocationSample", 0 },
	{ "alloc", "jdk.ObjectAllocationInNewTLAB", 0 },
	{ "alloc", "jdk.ObjectAllocationOutsideTLAB", 0 },
	{ "alloc", "alloc_space", 0 },
	{ "alloc", "speedscope-bytes", 0 },
	{ "alloc", "alloc_objects", 0 },
	{ "alloc", "alloc_in_new_tlab_bytes", 0 },
	{ "alloc", "alloc_outside_tlab_bytes", 0 },
	{ "lock", "jdk.JavaMonitorEnter", 0 },
	{ "lock", "jdk.ThreadPark", 0 },
	{ "lock", "delay", 0 },
	{ "lock", "contentions", 0 },
	{ "lock", "lock_duration", 0 },
	{ "lock", "mutex_duration", 0 },
	{ "lock", "block_duration", 0 },
	{ "native", "jdk.NativeMethodSample", 0 },
	{ "live", "profiler.LiveObject", 0 },
	{ "live", "jdk.OldObjectSample", 0 },
	{ "live", "inuse_space", 0 },
	{ "live", "inuse_objects", 0 },
	{ "live", "space", 0 },
	{ "malloc", "profiler.Malloc", 0 },
	{ "io", "jdk.SocketRead", 0 },
	{ "io", "jdk.SocketWrite", 0 },
	{ "io", "jdk.FileRead", 0 },
	{ "io", "jdk.FileWrite", 0 },
	{ "exception", "jdk.JavaExceptionThrow", 0 },
};

const char *ch_event_word(const char *type)
{
	for (size_t i = 0; i < CH_LEN(words); i++)
		if (!strcmp(words[i].type, type))
			return words[i].word;
	return type;
}

const char *ch_event_word_at(size_t i)
{
	for (size_t row = 0; row < CH_LEN(words); row++)
		if ((!row || strcmp(words[row].word, words[row - 1].word) != 0) && !i--)
			return words[row].word;
	return NULL;
}

static bool has_word(const struct ch_profile *p, const struct ch_event *e, const char *word)
{
	return e->samples && !strcmp(ch_profile_text(p, e->word), word);
}

static int rank_of(const struct ch_profile *p, const struct ch_event *e)
{
	for (size_t i = 0; i < CH_LEN(words); i++)
		if (!strcmp(words[i].type, ch_profile_text(p, e->type)))
			return words[i].rank;
	return 0;
}

/* The event that measures the same thing better, in this profile; NULL when there is none. */
static const struct ch_event *better(const struct ch_profile *p, const struct ch_event *than)
{
	for (size_t i = 0; i < p->n_events; i++) {
		const struct ch_event *e = &p->events[i];

		if (e->samples && e->word == than->word && rank_of(p, e) > rank_of(p, than))
			return e;
	}
	return NULL;
}

void ch_events_settle(struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct ch_event *e = &p->events[i];
		const struct ch_event *rival = better(p, e);
		char *name;

		if (!rival || asprintf(&name, "%s beside %s", ch_profile_text(p, e->type),
		                       ch_profile_text(p, rival->type)) < 0)
			continue;
		e->type = e->word = ch_profile_strz(p, name);
		free(name);
	}
}

static int choose_word(const struct ch_profile *p, const char *word, bool *chosen)
{
	int n = 0;

	for (size_t i = 0; i < p->n_events; i++) {
		const struct ch_event *e = &p->events[i];

		chosen[i] = has_word(p, e, word);
		n += chosen[i];
	}
	return n;
}

static int choose_type(const struct ch_profile *p, const char *type, bool *chosen)
{
	int n = 0;

	for (size_t i = 0; i < p->n_events; i++) {
		chosen[i] =
		    p->events[i].samples && !strcmp(ch_profile_text(p, p->events[i].type), type);
		n += chosen[i];
	}
	return n;
}

static bool seen(const struct ch_event *e)
{
	return e->samples || e->unread;
}

const char *ch_events_default(const struct ch_profile *p)
{
	for (size_t i = 0; i < CH_LEN(words); i++)
		for (size_t k = 0; k < p->n_events; k++)
			if (seen(&p->events[k]) &&
			    !strcmp(ch_profile_text(p, p->events[k].word), words[i].word))
				return words[i].word;
	for (size_t k = 0; k < p->n_events; k++)
		if (seen(&p->events[k]))
			return ch_profile_text(p, p->events[k].type);
	return NULL;
}

int64_t ch_events_count(const struct ch_profile *p, size_t event)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->n_events; i++) {
		const struct ch_event *e = &p->events[i];

		if (e->word != p->events[event].word || !seen(e))
			continue;
		if (i < event)
			return 0;
		sum = ch_sat_add(sum, ch_sat_add(e->samples / e->scale, e->unread));
	}
	return sum;
}

static int choose(const struct ch_profile *p, const char *request, bool *chosen)
{
	int n = choose_word(p, request, chosen);

	return n ? n : choose_type(p, request, chosen);
}

int ch_events_choose(const struct ch_profile *p, const char *request, bool *chosen,
                     struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf have = CH_BUF(LIST_MAX);
	const char *wanted = request ? request : ch_events_default(p);
	int n = wanted ? choose(p, wanted, chosen) : 0;

	if (n)
		return n;
	if (!request)
		return ch_fail(err, -ENODATA, "there are no samples in the input");
	for (size_t i = 0; i < p->n_events; i++)
		if (ch_events_count(p, i))
			ch_buf_printf(&have, "%s%s", have.len ? ", " : "",
			              ch_profile_text(p, p->events[i].word));
	ch_buf_putc(&have, 0);
	return ch_fail(err, -ENODATA, "there are no '%s' samples; the input has: %s", request,
	               have.err       ? "many others"
	               : have.len > 1 ? have.data
	                              : "none");
}
