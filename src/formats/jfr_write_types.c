#include "formats/jfr_write.h"
#include "formats/jfr_read.h"

#include <errno.h>
#include <stdio.h>

/* --- fixed types ----------------------------------------------------------------------------- */

static const struct ch_jfr_field_def value_fields[] = { { "value", "java.lang.String" } };
static const struct ch_jfr_field_def name_fields[] = { { "name", "java.lang.String" } };
static const struct ch_jfr_field_def symbol_fields[] = { { "string", "java.lang.String" } };
static const struct ch_jfr_field_def frame_type_fields[] = {
	{ "description", "java.lang.String" },
};
static const struct ch_jfr_field_def thread_fields[] = {
	{ "osName", "java.lang.String" },
	{ "osThreadId", "long" },
	{ "javaName", "java.lang.String" },
	{ "javaThreadId", "long" },
};
static const struct ch_jfr_field_def class_fields[] = {
	{ "classLoader", "jdk.types.ClassLoader", .pooled = true },
	{ "name", "jdk.types.Symbol", .pooled = true },
	{ "package", "jdk.types.Package", .pooled = true },
	{ "modifiers", "int" },
};
static const struct ch_jfr_field_def loader_fields[] = {
	{ "type", "java.lang.Class", .pooled = true },
	{ "name", "jdk.types.Symbol", .pooled = true },
};
static const struct ch_jfr_field_def package_fields[] = {
	{ "name", "jdk.types.Symbol", .pooled = true },
};
static const struct ch_jfr_field_def method_fields[] = {
	{ "type", "java.lang.Class", .pooled = true },
	{ "name", "jdk.types.Symbol", .pooled = true },
	{ "descriptor", "jdk.types.Symbol", .pooled = true },
	{ "modifiers", "int" },
	{ "hidden", "boolean" },
};
static const struct ch_jfr_field_def frame_fields[] = {
	{ "method", "jdk.types.Method", .pooled = true },
	{ "lineNumber", "int" },
	{ "bytecodeIndex", "int" },
	{ "type", "jdk.types.FrameType", .pooled = true },
};
static const struct ch_jfr_field_def stack_fields[] = {
	{ "truncated", "boolean" },
	{ "frames", "jdk.types.StackFrame", .array = true },
};
static const struct ch_jfr_field_def labels_fields[] = { { "pairs", "java.lang.String" } };
static const struct ch_jfr_field_def point_fields[] = {
	{ "startTime", "long", .note = { "jdk.jfr.Timestamp", "TICKS" } },
	{ "name", "java.lang.String" },
	{ "unit", "java.lang.String" },
	{ "value", "double" },
};

#define FIELDS(f) .fields = (f), .n_fields = CH_LEN(f)
#define VALUE(name, f)                                                                             \
	{                                                                                          \
		name, FIELDS(f)                                                                    \
	}
#define SIMPLE(name, f)                                                                            \
	{                                                                                          \
		name, .simple = true, FIELDS(f)                                                    \
	}
#define ANNOTATION(name)                                                                           \
	{                                                                                          \
		name, CH_JFR_ANNOTATION, FIELDS(value_fields)                                      \
	}

static const struct ch_jfr_type_def fixed[] = {
	{ "boolean" },
	{ "byte" },
	{ "int" },
	{ "long" },
	{ "double" },
	{ "java.lang.String" },
	VALUE("java.lang.Thread", thread_fields),
	VALUE("java.lang.Class", class_fields),
	VALUE("jdk.types.ClassLoader", loader_fields),
	VALUE("jdk.types.Package", package_fields),
	VALUE("jdk.types.Method", method_fields),
	VALUE("jdk.types.StackFrame", frame_fields),
	VALUE("jdk.types.StackTrace", stack_fields),
	SIMPLE("jdk.types.Symbol", symbol_fields),
	SIMPLE("jdk.types.ThreadState", name_fields),
	SIMPLE("jdk.types.FrameType", frame_type_fields),
	SIMPLE("charcloth.types.Labels", labels_fields),
	ANNOTATION("jdk.jfr.Timestamp"),
	ANNOTATION("jdk.jfr.Timespan"),
	ANNOTATION("jdk.jfr.DataAmount"),
	ANNOTATION(CH_REC_UNIT),
	ANNOTATION(CH_REC_SCALE),
	ANNOTATION(CH_REC_INTERVAL),
	ANNOTATION(CH_REC_NAME),
	{ "charcloth.Point", CH_JFR_EVENT, FIELDS(point_fields) },
};

/* --- events ---------------------------------------------------------------------------------- */

/* Every field an event can have, and where its value comes from. */
enum column {
	END,
	TIME,
	DURATION,
	SAMPLED,
	THREAD,
	STACK,
	STATE,
	OBJECT,
	MONITOR,
	PARKED,
	THROWN,
	MESSAGE,
	ALLOCATED,
	TLAB,
	ALLOCATION_TIME,
	SIZE,
	ADDRESS,
	OWNER,
	TIMEOUT,
	UNTIL,
	FAILED,
	PERIOD,
	BIASED,
	SAMPLES,
	WEIGHT,
	LABELS,
};

#define TICKS                                                                                      \
	{                                                                                          \
		"jdk.jfr.Timespan", "TICKS"                                                        \
	}
#define BYTES                                                                                      \
	{                                                                                          \
		"jdk.jfr.DataAmount", "BYTES"                                                      \
	}
#define POOL(name, type)                                                                           \
	{                                                                                          \
		name, type, .pooled = true                                                         \
	}

static const struct {
	struct ch_jfr_field_def field;
	enum ch_recw_source source;
} columns[] = {
	[TIME] = { { "startTime", "long", .note = { "jdk.jfr.Timestamp", "TICKS" } },
	           CH_RECW_TIME },
	[DURATION] = { { "duration", "long", .note = TICKS }, CH_RECW_VALUE },
	[SAMPLED] = { POOL("sampledThread", "java.lang.Thread"), CH_RECW_THREAD },
	[THREAD] = { POOL("eventThread", "java.lang.Thread"), CH_RECW_THREAD },
	[STACK] = { POOL("stackTrace", "jdk.types.StackTrace"), CH_RECW_STACK },
	[STATE] = { POOL("state", "jdk.types.ThreadState"), CH_RECW_STATE },
	[OBJECT] = { POOL("objectClass", "java.lang.Class"), CH_RECW_CLASS },
	[MONITOR] = { POOL("monitorClass", "java.lang.Class"), CH_RECW_CLASS },
	[PARKED] = { POOL("parkedClass", "java.lang.Class"), CH_RECW_CLASS },
	[THROWN] = { POOL("thrownClass", "java.lang.Class"), CH_RECW_CLASS },
	[MESSAGE] = { { "message", "java.lang.String" }, CH_RECW_NULL },
	[ALLOCATED] = { { "allocationSize", "long", .note = BYTES }, CH_RECW_VALUE },
	[TLAB] = { { "tlabSize", "long", .note = BYTES }, CH_RECW_VALUE },
	[ALLOCATION_TIME] = { { "allocationTime", "long" }, CH_RECW_ZERO },
	[SIZE] = { { "size", "long", .note = BYTES }, CH_RECW_VALUE },
	[ADDRESS] = { { "address", "long" }, CH_RECW_ZERO },
	[OWNER] = { POOL("previousOwner", "java.lang.Thread"), CH_RECW_ZERO },
	[TIMEOUT] = { { "timeout", "long" }, CH_RECW_ZERO },
	[UNTIL] = { { "until", "long" }, CH_RECW_ZERO },
	[FAILED] = { { "failed", "boolean" }, CH_RECW_FALSE },
	[PERIOD] = { { "samplingPeriod", "long", .note = TICKS }, CH_RECW_VALUE },
	[BIASED] = { { "biased", "boolean" }, CH_RECW_FALSE },
	[SAMPLES] = { { "samples", "long" }, CH_RECW_SAMPLES },
	[WEIGHT] = { { "weight", "long" }, CH_RECW_VALUE },
	[LABELS] = { POOL("labels", "charcloth.types.Labels"), CH_RECW_LABELS },
};

/*
 * Fields as async-profiler's converter knows them: it goes by their order and stumbles over more of
 * them. Those that we add come behind, and only where they say something.
 */
static const struct layout {
	const char *type;
	enum ch_kind class_kind;
	enum column columns[CH_RECW_FIELDS_MAX];
} layouts[] = {
	{ "jdk.ExecutionSample", 0, { TIME, SAMPLED, STACK, STATE } },
	{ "jdk.NativeMethodSample", 0, { TIME, SAMPLED, STACK, STATE } },
	{ "profiler.WallClockSample", 0, { TIME, SAMPLED, STACK, STATE, SAMPLES } },
	{ "jdk.CPUTimeSample", 0, { TIME, STACK, THREAD, FAILED, PERIOD, BIASED } },
	{ "jdk.ObjectAllocationSample", CH_KIND_ALLOC, { TIME, THREAD, STACK, OBJECT, WEIGHT } },
	{ "jdk.ObjectAllocationInNewTLAB",
	  CH_KIND_ALLOC,
	  { TIME, THREAD, STACK, OBJECT, ALLOCATED, TLAB } },
	{ "jdk.ObjectAllocationOutsideTLAB",
	  CH_KIND_ALLOC,
	  { TIME, THREAD, STACK, OBJECT, ALLOCATED } },
	{ "profiler.LiveObject",
	  CH_KIND_ALLOC,
	  { TIME, THREAD, STACK, OBJECT, ALLOCATED, ALLOCATION_TIME } },
	{ "profiler.Malloc", 0, { TIME, THREAD, STACK, ADDRESS, SIZE } },
	{ "jdk.JavaMonitorEnter",
	  CH_KIND_LOCK,
	  { TIME, DURATION, THREAD, STACK, MONITOR, OWNER, ADDRESS } },
	{ "jdk.ThreadPark",
	  CH_KIND_LOCK,
	  { TIME, DURATION, THREAD, STACK, PARKED, TIMEOUT, UNTIL, ADDRESS } },
	{ "jdk.JavaExceptionThrow", CH_KIND_ALLOC, { TIME, THREAD, STACK, MESSAGE, THROWN } },
	{ "jdk.SocketRead", 0, { TIME, DURATION, THREAD, STACK } },
	{ "jdk.SocketWrite", 0, { TIME, DURATION, THREAD, STACK } },
	{ "jdk.FileRead", 0, { TIME, DURATION, THREAD, STACK } },
	{ "jdk.FileWrite", 0, { TIME, DURATION, THREAD, STACK } },
};
static const struct layout other = { NULL, 0, { TIME, THREAD, STACK } };

static const struct layout *layout_of(const char *type)
{
	for (size_t i = 0; i < CH_LEN(layouts); i++)
		if (!strcmp(layouts[i].type, type))
			return &layouts[i];
	return &other;
}

/* Names like jdk.ThreadSleep are taken as they are, others only said in an annotation. */
static bool is_type_name(const char *s)
{
	for (size_t i = 0; i < CH_LEN(fixed); i++)
		if (!strcmp(fixed[i].name, s))
			return false;
	return strchr(s, '.') && strlen(s) < 128 &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$") ==
	           strlen(s) &&
	       strncmp(s, "charcloth.Sample", 16) != 0;
}

static char *number_text(struct ch_arena *a, int64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%lld", (long long)v);

	return ch_arena_strndup(a, text, (size_t)n);
}

static int add_notes(struct ch_recw_types *t, const struct ch_profile *p, size_t i,
                     struct ch_jfr_type_def *def)
{
	const struct ch_event *e = &p->events[i];
	struct ch_jfr_note *notes = ch_arena_alloc(&t->arena, 4 * sizeof(*notes));
	size_t n = 0;

	if (!notes)
		return -ENOMEM;
	notes[n++] = (struct ch_jfr_note){ CH_REC_UNIT, ch_profile_text(p, e->unit) };
	notes[n++] = (struct ch_jfr_note){ CH_REC_SCALE, number_text(&t->arena, e->scale) };
	if (e->interval_ns)
		notes[n++] =
		    (struct ch_jfr_note){ CH_REC_INTERVAL, number_text(&t->arena, e->interval_ns) };
	if (strcmp(def->name, ch_profile_text(p, e->type)) != 0)
		notes[n++] = (struct ch_jfr_note){ CH_REC_NAME, ch_profile_text(p, e->type) };
	def->notes = notes;
	def->n_notes = n;
	return notes[1].value ? 0 : -ENOMEM;
}

/* Which of our own fields the rows of an event need, beside the usual ones. */
struct needs {
	bool samples, weight, labels;
};

static void add_column(struct ch_recw_event *e, struct ch_jfr_field_def *fields, enum column c)
{
	fields[e->n] = columns[c].field;
	e->has_state |= c == STATE;
	e->source[e->n++] = columns[c].source;
}

static bool has_source(const struct ch_recw_event *e, enum ch_recw_source source)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->source[i] == source)
			return true;
	return false;
}

static struct needs find_needs(const struct ch_recw_pools *c, size_t event,
                               const struct ch_recw_event *e)
{
	const struct ch_profile *p = c->p;
	struct needs n = { 0 };

	for (size_t i = 0; i < p->rows.n; i++) {
		if (p->rows.event[i] != event)
			continue;
		n.samples |= p->rows.samples[i] != 1;
		n.weight |= p->rows.value[i] != p->rows.samples[i];
		n.labels = n.labels || ch_recw_has_labels(c, p->rows.labels[i], !e->has_state);
	}
	n.samples &= !has_source(e, CH_RECW_SAMPLES);
	n.weight &= !has_source(e, CH_RECW_VALUE);
	return n;
}

static int add_event(struct ch_recw_types *t, const struct ch_recw_pools *pools, size_t i)
{
	const struct ch_profile *p = pools->p;
	const char *type = ch_profile_text(p, p->events[i].type);
	const struct layout *l = layout_of(type);
	struct ch_jfr_field_def *fields =
	    ch_arena_alloc(&t->arena, CH_RECW_FIELDS_MAX * sizeof(*fields));
	struct ch_recw_event *e = &t->events[i];
	struct needs needs;
	char name[32];

	if (!fields)
		return -ENOMEM;
	if (!is_type_name(type)) {
		int n = snprintf(name, sizeof(name), "charcloth.Sample%zu", i);

		type = ch_arena_strndup(&t->arena, name, (size_t)n);
	}
	*e = (struct ch_recw_event){ .type_id = ch_jfr_type_id(t->n), .class_kind = l->class_kind };
	while (l->columns[e->n] != END)
		add_column(e, fields, l->columns[e->n]);
	needs = find_needs(pools, i, e);
	if (needs.samples)
		add_column(e, fields, SAMPLES);
	if (needs.weight)
		add_column(e, fields, WEIGHT);
	if (needs.labels)
		add_column(e, fields, LABELS);
	t->defs[t->n] = (struct ch_jfr_type_def){
		.name = type, .super = CH_JFR_EVENT, .fields = fields, .n_fields = e->n
	};
	return type ? add_notes(t, p, i, &t->defs[t->n++]) : -ENOMEM;
}

int ch_recw_types_init(struct ch_recw_types *t, const struct ch_recw_pools *pools)
{
	size_t n = pools->p->n_events;
	int e = 0;

	*t = (struct ch_recw_types){ .arena = CH_ARENA((size_t)1 << 30) };
	t->defs = calloc(CH_LEN(fixed) + n, sizeof(*t->defs));
	t->events = calloc(n + 1, sizeof(*t->events));
	if (!t->defs || !t->events)
		return -ENOMEM;
	memcpy(t->defs, fixed, sizeof(fixed));
	t->n = CH_LEN(fixed);
	for (size_t i = 0; i < n && e >= 0; i++)
		e = add_event(t, pools, i);
	return e;
}

void ch_recw_types_done(struct ch_recw_types *t)
{
	free(t->defs);
	free(t->events);
	ch_arena_done(&t->arena);
}

uint64_t ch_recw_type_id(const struct ch_recw_types *t, const char *name)
{
	size_t i = 0;

	while (i < t->n && strcmp(t->defs[i].name, name) != 0)
		i++;
	return ch_jfr_type_id(i);
}
