#include "formats/uber.h"
#include "base/vec.h"
#include "codec/json.h"
#include "formats/readers.h"

#include <errno.h>
#include <math.h>

#define PROBE_BYTES (64 * 1024)
#define STRING_MAX  (1 << 20)
#define FIELDS_MAX  8
#define NS_PER_MS   INT64_C(1000000)
/* Fractions of a count are kept to this part. */
#define FRACTION 1000000

/* Stands before a record in console output, followed by the profiler's name and a colon. */
static const char marker[] = "ConsoleOutputReporter - ";

struct reading {
	const struct ch_input *in;
	struct ch_profile *p;
	struct ch_buf scratch, name;
	uint32_t keys[FIELDS_MAX]; /* label keys as in ch_uber_fields, 0 when not wanted */
	uint32_t rdd_key;
	uint32_t *frames; /* of the present record, leaf first */
	size_t n_frames, frames_cap;
	size_t line, records, repaired;
	size_t bad, first_bad; /* malformed records; the line of the first */
	const char *bad_why;
};

/* One record, as far as it is of use. */
struct record {
	struct ch_json stack; /* place of the value */
	bool has_stack, has_count, is_python;
	struct ch_json_number count;
	uint32_t labels;
	int64_t start_ms, end_ms, epoch_ms; /* INT64_MIN unknown */
};

static bool holds(const char *s, size_t n, const char *word)
{
	return memmem(s, n, word, strlen(word)) != NULL;
}

bool ch_uber_find(const struct ch_input *in)
{
	return memmem(in->data, in->size, marker, strlen(marker)) != NULL;
}

int ch_uber_probe(const struct ch_input *in)
{
	const char *s = (const char *)in->data;
	size_t n = in->size < PROBE_BYTES ? in->size : PROBE_BYTES;

	if (holds(s, n, marker) && holds(s, n, "\"processUuid\""))
		return 95;
	/* One object a line: anything else with such keys is some other JSON. */
	if (!n || *s != '{')
		return 0;
	if (holds(s, n, "\"stacktrace\":[") || holds(s, n, "\"stacktrace\": ["))
		return 95;
	if (holds(s, n, "\"processUuid\"") || holds(s, n, "\"pmem_rss\""))
		return 80;
	return 0;
}

/* --- stacks ------------------------------------------------------------------------------------ */

static int add_frame(struct reading *r, const char *s, size_t n, bool python)
{
	struct ch_frame f = { .kind = CH_KIND_PYTHON };

	if (CH_ROOM(r->frames, r->frames_cap, r->n_frames + 1) < 0)
		return -ENOMEM;
	if (python || n > CH_NAME_MAX) {
		f.name = ch_profile_str(r->p, s, n);
	} else {
		ch_buf_reset(&r->name);
		f.kind = ch_uber_to_slash(&r->name, s, n) ? CH_KIND_JAVA : CH_KIND_OTHER;
		f.name = ch_profile_buf(r->p, &r->name);
	}
	r->frames[r->n_frames++] = ch_profile_frame(r->p, f);
	return 0;
}

static bool has_control(struct ch_span t)
{
	for (size_t i = 0; i < t.n; i++)
		if ((unsigned char)t.s[i] < 0x20)
			return true;
	return false;
}

/*
 * Collects the frames of a well-formed record. PySpark's records are written without escaping: a
 * control character there was a backslash and a letter, and the record must be read raw. Returns 1
 * then, else 0 or -ENOMEM.
 */
static int read_stack(struct reading *r, struct record *rec)
{
	struct ch_span t;

	r->n_frames = 0;
	if (!ch_json_array(&rec->stack))
		return 0;
	while (ch_json_item(&rec->stack)) {
		if (!ch_json_text(&rec->stack, &t))
			continue;
		if (rec->is_python && has_control(t))
			return 1;
		if (add_frame(r, t.s, t.n, rec->is_python) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void add_sample(struct reading *r, const struct record *rec)
{
	const char *type = rec->is_python ? CH_PYSPARK_EVENT : CH_UBER_EVENT;
	struct ch_sample s = { .labels = rec->labels, .time_ns = CH_NO_TIME };
	int64_t ms = rec->end_ms != INT64_MIN ? rec->end_ms : rec->start_ms, scale;

	if (!ch_profile_wants_event(r->p, type))
		return;
	s.event = ch_profile_event(r->p, type, "count");
	if (s.event >= r->p->n_events)
		return;
	if (!rec->count.whole && r->p->events[s.event].scale % FRACTION)
		ch_profile_rescale(r->p, s.event,
		                   ch_sat_mul(r->p->events[s.event].scale, FRACTION));
	scale = r->p->events[s.event].scale;
	s.samples = rec->count.whole ? ch_sat_mul(rec->count.i, scale)
	                             : ch_sat_round(rec->count.d * (double)scale);
	s.value = s.samples;
	if (ms != INT64_MIN)
		s.time_ns = ch_sat_mul(ms, NS_PER_MS);
	for (size_t i = r->n_frames; i--;)
		s.stack = ch_profile_push(r->p, s.stack, r->frames[i]);
	ch_profile_add(r->p, &s);
}

static void widen(struct ch_profile *p, const struct record *rec)
{
	int64_t start = rec->start_ms != INT64_MIN ? rec->start_ms : rec->end_ms;

	if (start == INT64_MIN)
		return;
	start = ch_sat_mul(start, NS_PER_MS);
	if (p->start_ns == CH_NO_TIME || start < p->start_ns)
		p->start_ns = start;
	start = rec->end_ms != INT64_MIN ? ch_sat_mul(rec->end_ms, NS_PER_MS) : start;
	if (p->end_ns == CH_NO_TIME || start > p->end_ns)
		p->end_ns = start;
}

/* --- PySpark records with names that break the JSON ------------------------------------------- */

static const char *last_of(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = end - n; p >= s; p--)
		if (!memcmp(p, word, n))
			return p;
	return NULL;
}

/*
 * {"stacktrace":["…","…"],"count":N,"i_d":"…"} by its outer shape: the names are what stands
 * between `","`, byte for byte. False when even the shape is broken.
 */
static bool repair(struct reading *r, const char *s, size_t n, struct record *rec)
{
	static const char head[] = "{\"stacktrace\":[\"", middle[] = "\"],\"count\":";
	const char *end = s + n, *at = s + strlen(head), *tail, *cut;
	struct ch_span count;

	if (n < strlen(head) || memcmp(s, head, strlen(head)) || !last_of(at, end, "\"i_d\":"))
		return false;
	tail = last_of(at, end, middle);
	if (!tail)
		return false;
	count = (struct ch_span){ tail + strlen(middle), (size_t)(end - tail) - strlen(middle) };
	rec->count = (struct ch_json_number){ .whole = true, .i = ch_span_number(count) };
	rec->is_python = true;
	r->n_frames = 0;
	for (;; at = cut + 3) {
		cut = memmem(at, (size_t)(tail - at), "\",\"", 3);
		if (add_frame(r, at, (size_t)((cut ? cut : tail) - at), true) < 0)
			return false;
		if (!cut)
			return true;
	}
}

/* --- records ----------------------------------------------------------------------------------- */

static void read_label(struct reading *r, struct record *rec, size_t field, struct ch_json *j)
{
	struct ch_span t;

	if (r->keys[field] && ch_json_peek(j) == CH_JSON_STRING && ch_json_text(j, &t))
		rec->labels = ch_profile_label(r->p, rec->labels, r->keys[field],
		                               ch_profile_str(r->p, t.s, t.n));
	else
		ch_json_skip(j);
}

static void read_python_id(struct reading *r, struct record *rec, struct ch_json *j)
{
	static const size_t cut = sizeof(CH_PYSPARK_SUFFIX) - 1;
	struct ch_span t;

	rec->is_python = true;
	if (!ch_json_text(j, &t) || !r->rdd_key)
		return;
	if (t.n >= cut && !memcmp(t.s + t.n - cut, CH_PYSPARK_SUFFIX, cut))
		t.n -= cut;
	rec->labels =
	    ch_profile_label(r->p, rec->labels, r->rdd_key, ch_profile_str(r->p, t.s, t.n));
}

/* Metrics by their field. A "NaN" is a string and so no number: no point, rather than a wrong one. */
static const struct {
	const char *field, *series, *unit;
	double factor;
} metrics[] = {
	{ "processCpuLoad", "CPU of the JVM", "%", 100 },
	{ "systemCpuLoad", "CPU of the machine", "%", 100 },
	{ "heapMemoryTotalUsed", "heap used", "bytes", 1 },
	{ "heapMemoryCommitted", "heap committed", "bytes", 1 },
	{ "vmRSS", "RSS of the JVM", "bytes", 1 },
	{ "pmem_rss", "RSS of Python", "bytes", 1 },
	{ "cpu_percent", "CPU of Python", "%", 1 },
};

struct values {
	double v[CH_LEN(metrics)];
	bool set[CH_LEN(metrics)];
};

static bool read_metric(struct ch_json *j, struct ch_span key, struct values *to)
{
	struct ch_json_number n;

	for (size_t i = 0; i < CH_LEN(metrics); i++) {
		if (!ch_span_is(key, metrics[i].field))
			continue;
		if (ch_json_number(j, &n)) {
			to->v[i] = n.d * metrics[i].factor;
			to->set[i] = true;
		}
		return true;
	}
	return false;
}

static void add_points(struct reading *r, const struct record *rec, const struct values *v)
{
	if (rec->epoch_ms == INT64_MIN)
		return;
	for (size_t i = 0; i < CH_LEN(metrics); i++)
		if (v->set[i])
			ch_profile_point(r->p, metrics[i].series, metrics[i].unit,
			                 ch_sat_mul(rec->epoch_ms, NS_PER_MS), v->v[i]);
}

static void read_key(struct reading *r, struct record *rec, struct ch_span key, struct ch_json *j)
{
	if (ch_span_is(key, "stacktrace")) {
		rec->has_stack = ch_json_peek(j) == CH_JSON_ARRAY;
		rec->stack = *j;
		ch_json_skip(j);
	} else if (ch_span_is(key, "count")) {
		rec->has_count = ch_json_number(j, &rec->count);
	} else if (ch_span_is(key, "startEpoch")) {
		ch_json_i64(j, &rec->start_ms);
	} else if (ch_span_is(key, "endEpoch")) {
		ch_json_i64(j, &rec->end_ms);
	} else if (ch_span_is(key, "epochMillis")) {
		ch_json_i64(j, &rec->epoch_ms);
	} else if (ch_span_is(key, "i_d")) {
		read_python_id(r, rec, j);
	} else {
		for (size_t i = 0; i < ch_n_uber_fields; i++) {
			if (ch_span_is(key, ch_uber_fields[i].field)) {
				read_label(r, rec, i, j);
				return;
			}
		}
		ch_json_skip(j);
	}
}

static void malformed(struct reading *r, const char *why)
{
	if (!r->bad++) {
		r->first_bad = r->line;
		r->bad_why = why;
	}
}

/* A count that makes sense: hostile ones may be endless or negative. */
static bool good_count(const struct record *rec)
{
	if (!rec->has_count)
		return false;
	return rec->count.whole ? rec->count.i >= 0
	                        : rec->count.d >= 0 && rec->count.d < 0x1p62 / FRACTION;
}

/*
 * The object at s could not be read. `alone` when it begins its line, so that it may be PySpark's.
 * True when it was saved.
 */
static bool rescue(struct reading *r, const char *s, size_t n, bool alone, const char *why,
                   struct record *rec)
{
	if (alone && repair(r, s, n, rec)) {
		r->repaired++;
		rec->has_stack = rec->has_count = true;
		return true;
	}
	/* Broken objects of somebody else are not our concern. */
	if (!alone || holds(s, n, "\"stacktrace\":["))
		malformed(r, why);
	return false;
}

static void keep_record(struct reading *r, const struct record *rec, const struct values *values)
{
	if (rec->has_stack && !good_count(rec)) {
		malformed(r, "the count is missing or absurd");
		return;
	}
	if (rec->has_stack) {
		add_sample(r, rec);
		widen(r->p, rec);
	}
	add_points(r, rec, values);
	r->records += rec->has_stack || rec->epoch_ms != INT64_MIN;
}

/* Reads the object at s and returns how many bytes were looked at, at least one; or -ENOMEM. */
static ssize_t read_record(struct reading *r, const char *s, size_t n, bool alone)
{
	struct ch_json j = ch_json(s, n, &r->scratch);
	struct record rec = { .start_ms = INT64_MIN, .end_ms = INT64_MIN, .epoch_ms = INT64_MIN };
	struct values values = { 0 };
	struct ch_span key;
	int garbled = 0;

	ch_json_object(&j);
	while (ch_json_key(&j, &key))
		if (!r->p->want.series || !read_metric(&j, key, &values))
			read_key(r, &rec, key, &j);
	if (!j.error && rec.has_stack)
		garbled = read_stack(r, &rec);
	if (garbled < 0)
		return garbled;
	if ((!j.error && !garbled) ||
	    rescue(r, s, n, alone, j.error ? j.error : "a name is garbled", &rec))
		keep_record(r, &rec, &values);
	return (ssize_t)ch_json_offset(&j);
}

/* --- lines ------------------------------------------------------------------------------------- */

/* A line of console output may hold records anywhere, even several. */
static int read_line(struct reading *r, const char *s, size_t n)
{
	ssize_t used = 0;

	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	if (n && *s == '{')
		used = read_record(r, s, n, true);
	while (used >= 0) {
		const char *at = memmem(s + used, n - (size_t)used, marker, strlen(marker));

		at = at ? memchr(at, '{', (size_t)(s + n - at)) : NULL;
		if (!at)
			return 0;
		n -= (size_t)(at - s);
		s = at;
		used = read_record(r, s, n, false);
	}
	return (int)used;
}

static void prepare(struct reading *r)
{
	for (size_t i = 0; i < ch_n_uber_fields; i++)
		if (ch_profile_wants(r->p, ch_uber_fields[i].label))
			r->keys[i] = ch_profile_strz(r->p, ch_uber_fields[i].label);
	if (ch_profile_wants(r->p, CH_PYSPARK_LABEL))
		r->rdd_key = ch_profile_strz(r->p, CH_PYSPARK_LABEL);
}

static int read_lines(struct reading *r, struct ch_error *err)
{
	const char *s = (const char *)r->in->data, *end = s + r->in->size;

	while (s < end) {
		const char *eol = memchr(s, '\n', (size_t)(end - s));
		size_t n = (size_t)((eol ? eol : end) - s);

		r->line++;
		if (n && s[n - 1] == '\r')
			n--;
		if (read_line(r, s, n) < 0)
			return ch_fail(err, -ENOMEM, "'%s': %m", r->in->name);
		if (r->p->err)
			return ch_profile_status(r->p, err);
		s = eol ? eol + 1 : end;
	}
	return 0;
}

static int finish(struct reading *r, struct ch_error *err)
{
	const char *name = r->in->name;

	if (r->repaired)
		ch_profile_note(r->p, "'%s': repaired %zu records with names that were not escaped",
		                name, r->repaired);
	if (!r->records && r->bad)
		return ch_fail(err, -EBADMSG, "'%s' line %zu: %s", name, r->first_bad, r->bad_why);
	if (!r->records)
		return ch_fail(err, -ENODATA, "'%s' holds no records of a profiler", name);
	if (r->bad)
		ch_profile_damage(r->p,
		                  "'%s': left out %zu malformed records, first on line %zu: %s",
		                  name, r->bad, r->first_bad, r->bad_why);
	return 0;
}

int ch_uber_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct reading r = {
		.in = in, .p = p, .scratch = CH_BUF(STRING_MAX), .name = CH_BUF(2 * CH_NAME_MAX)
	};
	int code;

	prepare(&r);
	code = read_lines(&r, err);
	if (!code)
		code = finish(&r, err);
	ch_buf_done(&r.scratch);
	ch_buf_done(&r.name);
	free(r.frames);
	return code;
}
