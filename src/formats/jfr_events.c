#include "formats/jfr_read.h"
#include "formats/spans.h"
#include "base/vec.h"

#include <errno.h>
#include <stdio.h>

/* Slots of the plans for events. */
enum {
	TIME,
	STACK,
	THREAD,
	STATE,
	SAMPLES,
	VALUE,
	FALLBACK, /* stands in where VALUE is 0 or missing */
	CLASS,
	LABELS,
	TEXT_1,
	TEXT_2,
	NUMBER_1,
	NUMBER_2,
};

/* What the value of a sample is. */
enum value {
	VALUE_ONE,   /* nothing but a count */
	VALUE_PLAIN, /* a field as it is */
	VALUE_TICKS, /* a field in ticks, as ns */
};

/* One row per event that is read without being asked for by its type name. */
struct desc {
	const char *type, *unit;
	enum value how;
	const char *value, *fallback; /* fields */
	const char *class_field;      /* its class becomes the leaf */
	enum ch_kind class_kind;
};

static const struct desc descs[] = {
	{ "jdk.ExecutionSample", "count", VALUE_ONE },
	{ "jdk.NativeMethodSample", "count", VALUE_ONE },
	{ "jdk.CPUTimeSample", "ns", VALUE_TICKS, "samplingPeriod" },
	{ "profiler.WallClockSample", "count", VALUE_ONE },
	{ "jdk.ObjectAllocationSample", "bytes", VALUE_PLAIN, "weight", NULL, "objectClass",
	  CH_KIND_ALLOC },
	{ "jdk.ObjectAllocationInNewTLAB", "bytes", VALUE_PLAIN, "tlabSize", "allocationSize",
	  "objectClass", CH_KIND_ALLOC },
	{ "jdk.ObjectAllocationOutsideTLAB", "bytes", VALUE_PLAIN, "allocationSize", NULL,
	  "objectClass", CH_KIND_ALLOC },
	{ "profiler.LiveObject", "bytes", VALUE_PLAIN, "weight", "allocationSize", "objectClass",
	  CH_KIND_ALLOC },
	{ "jdk.OldObjectSample", "bytes", VALUE_PLAIN, "objectSize", NULL, "object",
	  CH_KIND_ALLOC },
	{ "profiler.Malloc", "bytes", VALUE_PLAIN, "size" },
	{ "jdk.JavaMonitorEnter", "ns", VALUE_TICKS, "duration", NULL, "monitorClass",
	  CH_KIND_LOCK },
	{ "jdk.ThreadPark", "ns", VALUE_TICKS, "duration", NULL, "parkedClass", CH_KIND_LOCK },
	{ "jdk.SocketRead", "ns", VALUE_TICKS, "duration" },
	{ "jdk.SocketWrite", "ns", VALUE_TICKS, "duration" },
	{ "jdk.FileRead", "ns", VALUE_TICKS, "duration" },
	{ "jdk.FileWrite", "ns", VALUE_TICKS, "duration" },
	{ "jdk.JavaExceptionThrow", "count", VALUE_ONE, NULL, NULL, "thrownClass", CH_KIND_ALLOC },
	{ "charcloth.PerfSample", "count", VALUE_PLAIN, "weight" },
};

/* Any other event with a stack, asked for by its type name: how long, how much, or how often. */
static const struct desc others[] = {
	{ NULL, "ns", VALUE_TICKS, "duration" },
	{ NULL, "bytes", VALUE_PLAIN, "allocationSize" },
	{ NULL, "count", VALUE_PLAIN, "weight" },
	{ NULL, "count", VALUE_ONE },
};

/* More types of interest than this are no recording. */
#define HANDLERS_MAX 4096

struct ch_rec_handler {
	/* NULL: a sample that nobody will look at is counted, all else of it is stepped over. */
	void (*run)(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v);
	const struct ch_jfr_plan *plan;
	const struct desc *desc;
	const char *type; /* NUL-terminated name */
	enum value how;
	bool old_object;
	int event; /* number in the profile, -1 not yet */
	int64_t n_unread;
	const char *unit;
	int64_t scale, interval_ns; /* as a Charcloth recording says; else 1, and 0 for unknown */
	enum ch_rec_text text[2];
};

static bool has(const struct ch_rec_handler *h, unsigned slot)
{
	return h->plan->kept >> slot & 1;
}

/* --- samples --------------------------------------------------------------------------------- */

/* Keys become things of the profile. */
static void add_group(struct ch_rec *r, const struct ch_rec_group *g, int64_t time_ns)
{
	struct ch_rec_handler *h = &r->handlers[g->handler];
	struct ch_sample s = { .samples = g->samples, .value = g->value, .time_ns = time_ns };
	int64_t lift;

	if (h->event < 0) {
		h->event = ch_profile_event(r->p, h->type, h->unit);
		ch_profile_interval(r->p, (uint16_t)h->event, h->interval_ns);
		ch_profile_rescale(r->p, (uint16_t)h->event, h->scale);
	}
	s.event = (uint16_t)h->event;
	if (h->how == VALUE_TICKS)
		s.value = ch_jfr_ns_of(&r->chunk.head, g->value);
	/* Chunks of another recording, put behind this one, may be of another scale. */
	lift = r->p->events[s.event].scale / h->scale;
	if (CH_UNLIKELY(lift > 1)) {
		s.samples = ch_sat_mul(s.samples, lift);
		s.value = ch_sat_mul(s.value, lift);
	}
	s.stack = ch_rec_stack(r, g->stack, g->samples);
	if (has(h, CLASS))
		s.stack =
		    ch_rec_push_class(r, s.stack, g->class_key, h->desc->class_kind, h->old_object);
	s.labels = ch_rec_labels(r, g);
	ch_profile_add(r->p, &s);
}

static void empty_groups(struct ch_rec *r)
{
	for (size_t i = 0; i < r->groups->n; i++)
		add_group(r, &r->groups->items[i], CH_NO_TIME);
	ch_rec_groups_clear(r->groups);
}

void ch_rec_events_flush(struct ch_rec *r)
{
	while (!ch_rec_groups_settle(r->groups))
		empty_groups(r);
	empty_groups(r);
}

static void tell_unread(struct ch_rec *r)
{
	for (size_t i = 0; i < r->n_handlers; i++) {
		struct ch_rec_handler *h = &r->handlers[i];

		if (h->n_unread)
			ch_profile_unread(r->p, ch_profile_event(r->p, h->type, h->unit),
			                  h->n_unread);
	}
}

void ch_rec_sample(struct ch_rec *r, const struct ch_rec_group *g)
{
	if (CH_LIKELY(ch_rec_groups_add(r->groups, g)))
		return;
	if (r->later) {
		r->later->full = true;
		return;
	}
	empty_groups(r);
	if (!ch_rec_groups_add(r->groups, g))
		add_group(r, g, CH_NO_TIME);
}

/* The value as recorded: groups keep ticks as they are. */
static int64_t value_of(const struct ch_rec_handler *h, const uint64_t *v, int64_t samples)
{
	switch (h->how) {
	case VALUE_PLAIN:
	case VALUE_TICKS:
		return (int64_t)(v[VALUE] ? v[VALUE] : v[FALLBACK]);
	case VALUE_ONE:
		break;
	}
	return samples;
}

static void on_sample(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	int64_t samples = has(h, SAMPLES) ? (int64_t)v[SAMPLES] : 1;
	struct ch_rec_group g = {
		.handler = (uint32_t)(h - r->handlers),
		.stack = v[STACK],
		.class_key = v[CLASS],
		.thread = v[THREAD],
		.state = has(h, STATE) ? (uint32_t)v[STATE] : CH_REC_NO_STATE,
		.labels = v[LABELS],
		.samples = samples,
		.value = value_of(h, v, samples),
	};

	if (r->spans)
		g.span = ch_spans_at(r->spans, ch_rec_thread(r, g.thread)->identity,
		                     ch_jfr_ns_at(&r->chunk.head, (int64_t)v[TIME]));
	if (r->p->want.times)
		add_group(r, &g, ch_jfr_ns_at(&r->chunk.head, (int64_t)v[TIME]));
	else
		ch_rec_sample(r, &g);
}

/* --- the rest -------------------------------------------------------------------------------- */

static void on_setting(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	const struct ch_jfr_type *of = ch_jfr_type_by_id(&r->types, v[NUMBER_1]);
	struct ch_span name = ch_rec_text(r, h->text[0], v[TEXT_1]);

	ch_buf_reset(&r->name);
	ch_buf_put(&r->name, name.s, name.n);
	if (!of || r->name.err)
		return;
	ch_rec_setting(&r->sums->settings, of->name, (struct ch_span){ r->name.data, r->name.len },
	               ch_rec_text(r, h->text[1], v[TEXT_2]));
}

static void on_data_loss(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	(void)h;
	r->sums->lost_bytes += v[NUMBER_1];
}

static void on_samples_lost(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	(void)h;
	r->sums->lost_samples += v[NUMBER_1];
}

static int64_t time_of(const struct ch_rec *r, const uint64_t *v)
{
	return ch_jfr_ns_at(&r->chunk.head, (int64_t)v[TIME]);
}

static void on_cpu_load(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	int64_t at = time_of(r, v);

	(void)h;
	ch_profile_point(r->p, "CPU of the machine", "%", at, 100 * ch_jfr_double(v[VALUE]));
	ch_profile_point(r->p, "CPU of the JVM", "%", at,
	                 100 * (ch_jfr_double(v[NUMBER_1]) + ch_jfr_double(v[NUMBER_2])));
}

static void on_heap(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	int64_t at = time_of(r, v);

	ch_profile_point(r->p, "heap used", "bytes", at, (double)v[VALUE]);
	if (has(h, NUMBER_1))
		ch_profile_point(r->p, "heap committed", "bytes", at, (double)v[NUMBER_1]);
}

static void on_process(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	(void)h;
	if ((int64_t)v[VALUE] >= 0) /* -1: the machine hides it */
		ch_profile_point(r->p, "RSS of the JVM", "bytes", time_of(r, v), (double)v[VALUE]);
}

static void on_threads(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	(void)h;
	ch_profile_point(r->p, "Java threads", "count", time_of(r, v), (double)v[VALUE]);
}

/* A point of a series that has no event of its own. */
static void on_point(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	struct ch_span name = ch_rec_text(r, h->text[0], v[TEXT_1]), unit;
	char text[2][128];

	(void)snprintf(text[0], sizeof(text[0]), "%.*s", (int)(name.n < 127 ? name.n : 127),
	               name.s);
	unit = ch_rec_text(r, h->text[1], v[TEXT_2]);
	(void)snprintf(text[1], sizeof(text[1]), "%.*s", (int)(unit.n < 127 ? unit.n : 127),
	               unit.s);
	ch_profile_point(r->p, text[0], text[1], time_of(r, v), ch_jfr_double(v[VALUE]));
}

/* Parts of a recording say so each: what was measured in them is of one process. */
static void on_jvm(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	char text[64];

	(void)h;
	(void)snprintf(text, sizeof(text), "%lld since %lld", (long long)v[NUMBER_1],
	               (long long)v[NUMBER_2]);
	r->p->process = ch_profile_strz(r->p, text);
}

static void on_collection(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v)
{
	(void)h;
	ch_profile_point(r->p, "GC pause", "ms", time_of(r, v),
	                 (double)ch_jfr_ns_of(&r->chunk.head, (int64_t)v[VALUE]) / 1e6);
}

/* Events that are no samples. */
static const struct {
	const char *type;
	bool series;
	void (*run)(struct ch_rec *r, struct ch_rec_handler *h, const uint64_t *v);
	struct ch_jfr_keep keep[4];
	const char *texts[2]; /* fields in TEXT_1 and TEXT_2 */
} facts[] = {
	{ "jdk.ActiveSetting",
	  false,
	  on_setting,
	  { { "id", NUMBER_1 }, { "name", TEXT_1 }, { "value", TEXT_2 } },
	  { "name", "value" } },
	{ "jdk.DataLoss", false, on_data_loss, { { "amount", NUMBER_1 } } },
	{ "jdk.CPUTimeSamplesLost", false, on_samples_lost, { { "lostSamples", NUMBER_1 } } },
	{ "jdk.CPULoad",
	  true,
	  on_cpu_load,
	  { { "startTime", TIME },
	    { "machineTotal", VALUE },
	    { "jvmUser", NUMBER_1 },
	    { "jvmSystem", NUMBER_2 } } },
	{ "jdk.GCHeapSummary",
	  true,
	  on_heap,
	  { { "startTime", TIME },
	    { "heapUsed", VALUE },
	    { "heapSpace.committedSize", NUMBER_1 } } },
	{ "jdk.GarbageCollection",
	  true,
	  on_collection,
	  { { "startTime", TIME }, { "sumOfPauses", VALUE } } },
	{ "charcloth.ProcessStats", true, on_process, { { "startTime", TIME }, { "rss", VALUE } } },
	{ "jdk.JVMInformation",
	  true,
	  on_jvm,
	  { { "pid", NUMBER_1 }, { "jvmStartTime", NUMBER_2 } } },
	{ "jdk.JavaThreadStatistics",
	  true,
	  on_threads,
	  { { "startTime", TIME }, { "activeCount", VALUE } } },
	{ "charcloth.Point",
	  true,
	  on_point,
	  { { "startTime", TIME }, { "name", TEXT_1 }, { "unit", TEXT_2 }, { "value", VALUE } },
	  { "name", "unit" } },
};

/* --- handlers -------------------------------------------------------------------------------- */

static int add_handler(struct ch_rec *r, const struct ch_jfr_type *type, struct ch_rec_handler h)
{
	if (!h.plan)
		return 0;
	if (CH_ROOM(r->handlers, r->handlers_cap, r->n_handlers + 1) < 0)
		return -ENOMEM;
	h.event = -1;
	r->handlers[r->n_handlers++] = h;
	return ch_jfr_idmap_put(&r->by_type, type->id, r->n_handlers);
}

static size_t keep(struct ch_jfr_keep *to, size_t n, const char *path, unsigned slot)
{
	if (path)
		to[n++] = (struct ch_jfr_keep){ path, slot };
	return n;
}

/* What our own recordings say about an event in its annotations. */
struct remarks {
	const struct ch_jfr_type *unit, *scale, *interval, *name;
};

static void apply_remarks(struct ch_rec *r, const struct ch_jfr_type *type, const struct remarks *m,
                          struct ch_rec_handler *h)
{
	struct ch_span unit = ch_jfr_remark(&r->types, type, m->unit);

	if (unit.n && !(h->unit = ch_arena_strndup(&r->types.arena, unit.s, unit.n)))
		return;
	h->scale = ch_span_number(ch_jfr_remark(&r->types, type, m->scale));
	if (!h->scale)
		h->scale = 1;
	h->interval_ns = ch_span_number(ch_jfr_remark(&r->types, type, m->interval));
}

/* The name under which the profile knows the type. */
static struct ch_span name_of(const struct ch_rec *r, const struct ch_jfr_type *type,
                              const struct remarks *m)
{
	struct ch_span name = ch_jfr_remark(&r->types, type, m->name);

	return name.n ? name : type->name;
}

static const struct ch_jfr_plan *plan_sample(struct ch_rec *r, const struct ch_jfr_type *type,
                                             const struct desc *d, bool weighed)
{
	struct ch_jfr_keep fields[CH_JFR_SLOTS];
	bool named = r->want_thread || r->want_tid || r->want_task || r->spans;
	size_t n = 0;

	n = keep(fields, n, "stackTrace", STACK);
	n = keep(fields, n, "samples", SAMPLES);
	n = keep(fields, n, weighed ? "weight" : d->value, VALUE);
	n = keep(fields, n, weighed ? NULL : d->fallback, FALLBACK);
	n = keep(fields, n, d->class_field, CLASS);
	n = keep(fields, n, r->p->want.times || r->spans ? "startTime" : NULL, TIME);
	n = keep(fields, n, named ? "eventThread" : NULL, THREAD);
	n = keep(fields, n, named ? "sampledThread" : NULL, THREAD);
	n = keep(fields, n, r->want_state ? "state" : NULL, STATE);
	n = keep(fields, n, r->want_labels ? "labels" : NULL, LABELS);
	return ch_jfr_plan_new(&r->types, type, fields, n, false);
}

static bool is_old_object(const struct ch_rec *r, const struct ch_jfr_type *type, const char *field)
{
	const struct ch_jfr_field *f = field ? ch_jfr_field(&r->types, type, field) : NULL;
	const struct ch_jfr_type *t = f ? ch_jfr_type_by_id(&r->types, f->type_id) : NULL;

	return t && ch_span_is(t->name, "jdk.types.OldObject");
}

static int add_sample(struct ch_rec *r, const struct ch_jfr_type *type, const struct desc *d,
                      const struct remarks *m)
{
	bool weighed = ch_jfr_field(&r->types, type, "weight") != NULL;
	struct ch_span name = name_of(r, type, m);
	struct ch_rec_handler h = {
		.desc = d,
		.unit = d->unit,
		.scale = 1,
		.how = weighed ? VALUE_PLAIN : d->how,
		.old_object = is_old_object(r, type, d->class_field),
		.type = ch_arena_strndup(&r->types.arena, name.s, name.n),
	};

	apply_remarks(r, type, m, &h);
	if (!h.type || !h.unit)
		return -ENOMEM;
	if (ch_profile_wants_event(r->p, h.type)) {
		h.run = on_sample;
		h.plan = plan_sample(r, type, d, weighed);
	} else {
		h.plan = ch_jfr_plan_new(&r->types, type, NULL, 0, false);
	}
	return add_handler(r, type, h);
}

/* What to do with a type: the table says it, or a Charcloth recording, or it was asked for. */
static const struct desc *desc_of(const struct ch_rec *r, const struct ch_jfr_type *type,
                                  const struct remarks *m)
{
	struct ch_span name = name_of(r, type, m);
	bool own = ch_jfr_remark(&r->types, type, m->unit).n > 0;

	for (size_t i = 0; i < CH_LEN(descs); i++)
		if (ch_span_is(name, descs[i].type))
			return &descs[i];
	if (!own && (!r->p->want.event || !ch_span_is(name, r->p->want.event)))
		return NULL;
	for (size_t i = 0; i < CH_LEN(others); i++)
		if (!others[i].value || ch_jfr_field(&r->types, type, others[i].value))
			return &others[i];
	return NULL;
}

static int add_fact(struct ch_rec *r, const struct ch_jfr_type *type)
{
	for (size_t i = 0; i < CH_LEN(facts); i++) {
		struct ch_rec_handler h = { .run = facts[i].run };
		size_t n = 0;

		if (!ch_span_is(type->name, facts[i].type) ||
		    (facts[i].series && !r->p->want.series))
			continue;
		while (n < CH_LEN(facts[i].keep) && facts[i].keep[n].path)
			n++;
		h.plan = ch_jfr_plan_new(&r->types, type, facts[i].keep, n, false);
		for (size_t k = 0; k < CH_LEN(h.text); k++)
			h.text[k] = ch_rec_text_of(r, type, facts[i].texts[k]);
		return add_handler(r, type, h);
	}
	return 0;
}

int ch_rec_events_init(struct ch_rec *r)
{
	const struct remarks m = {
		.unit = ch_jfr_type_by_name(&r->types, CH_REC_UNIT),
		.scale = ch_jfr_type_by_name(&r->types, CH_REC_SCALE),
		.interval = ch_jfr_type_by_name(&r->types, CH_REC_INTERVAL),
		.name = ch_jfr_type_by_name(&r->types, CH_REC_NAME),
	};
	int e = 0;

	for (size_t i = 0; i < r->types.n && e >= 0 && r->n_handlers < HANDLERS_MAX; i++) {
		const struct ch_jfr_type *type = &r->types.items[i];
		const struct desc *d = desc_of(r, type, &m);

		if (d && ch_jfr_field(&r->types, type, "stackTrace"))
			e = add_sample(r, type, d, &m);
		else
			e = add_fact(r, type);
	}
	return e;
}

static void read_event(struct ch_rec *r, struct ch_rec_handler *h, struct ch_cursor body)
{
	uint64_t v[CH_JFR_SLOTS] = { 0 };

	ch_jfr_plan_run(h->plan, &body, v);
	if (CH_UNLIKELY(body.bad))
		r->n_bad++;
	else
		h->run(r, h, v);
}

void ch_rec_event(struct ch_rec *r, uint64_t type, struct ch_cursor body)
{
	const uint64_t *at = ch_jfr_idmap_find(&r->by_type, type);
	struct ch_rec_handler *h;

	if (!at)
		return;
	h = &r->handlers[*at - 1];
	if (!h->run)
		h->n_unread++;
	else if (r->later && h->run != on_sample)
		r->later->full |= !ch_rec_later_add(r->later, type, body);
	else
		read_event(r, h, body);
}

struct ch_rec_handler *ch_rec_handlers_copy(const struct ch_rec *r)
{
	struct ch_rec_handler *copy = calloc(r->n_handlers + 1, sizeof(*copy));

	if (copy && r->n_handlers)
		memcpy(copy, r->handlers, r->n_handlers * sizeof(*copy));
	return copy;
}

void ch_rec_handlers_join(struct ch_rec *r, const struct ch_rec_handler *from)
{
	for (size_t i = 0; i < r->n_handlers; i++)
		r->handlers[i].n_unread += from[i].n_unread;
}

void ch_rec_events_done(struct ch_rec *r)
{
	tell_unread(r);
	free(r->handlers);
	ch_jfr_idmap_done(&r->by_type);
}
