#include "unit.h"
#include "formats/readers.h"
#include "formats/spans.h"
#include "formats/writers.h"
#include "jfr/idmap.h"
#include "jfr/writer.h"
#include "sys/par.h"

#include <stdlib.h>

static void the_span_that_began_last_holds(void **state)
{
	struct ch_spans s;

	(void)state;
	ch_spans_init(&s);
	ch_spans_add(&s, 7, 100, 200, ch_spans_set(&s, "span\0outer", 11));
	ch_spans_add(&s, 7, 120, 150, ch_spans_set(&s, "span\0inner", 11));
	ch_spans_add(&s, 7, 300, INT64_MAX, ch_spans_set(&s, "span\0open", 10));
	ch_spans_add(&s, 7, 400, 410, ch_spans_set(&s, "span\0last", 10));
	assert_int_equal(ch_spans_ready(&s), 0);
	assert_int_equal(ch_spans_at(&s, 7, 99), 0);
	assert_int_equal(ch_spans_at(&s, 7, 100), 1);
	assert_int_equal(ch_spans_at(&s, 7, 149), 2);
	assert_int_equal(ch_spans_at(&s, 7, 150), 1);
	assert_int_equal(ch_spans_at(&s, 7, 250), 0);
	assert_int_equal(ch_spans_at(&s, 7, 399), 3);
	assert_int_equal(ch_spans_at(&s, 7, 405), 4);
	assert_int_equal(ch_spans_at(&s, 7, 500), 0);
	assert_int_equal(ch_spans_at(&s, 8, 100), 0);
	ch_spans_done(&s);
}

/* --- a chunk by hand ------------------------------------------------------------------------- */

enum {
	T_STRING,
	T_LONG,
	T_BOOLEAN,
	T_INT,
	T_THREAD,
	T_SYMBOL,
	T_CLASS,
	T_METHOD,
	T_FRAME_TYPE,
	T_FRAME,
	T_STACK,
	T_SAMPLE,
	T_SPAN,
	T_TASK,
	T_LABELS,
	T_SETTING,
	T_SLEEP,
};

#define KEY(name, type)                                                                            \
	{                                                                                          \
		name, type, .pooled = true                                                         \
	}
#define TYPE(name, f)                                                                              \
	{                                                                                          \
		name, .fields = (f), .n_fields = CH_LEN(f)                                         \
	}

static const struct ch_jfr_field_def thread_fields[] = { { "osName", "java.lang.String" },
	                                                 { "osThreadId", "long" },
	                                                 { "javaName", "java.lang.String" } };
static const struct ch_jfr_field_def symbol_fields[] = { { "string", "java.lang.String" } };
static const struct ch_jfr_field_def class_fields[] = { KEY("name", "jdk.types.Symbol") };
static const struct ch_jfr_field_def method_fields[] = { KEY("type", "java.lang.Class"),
	                                                 KEY("name", "jdk.types.Symbol") };
static const struct ch_jfr_field_def frame_type_fields[] = { { "description",
	                                                       "java.lang.String" } };
static const struct ch_jfr_field_def frame_fields[] = { KEY("method", "jdk.types.Method"),
	                                                { "lineNumber", "int" },
	                                                KEY("type", "jdk.types.FrameType") };
static const struct ch_jfr_field_def stack_fields[] = {
	{ "truncated", "boolean" }, { "frames", "jdk.types.StackFrame", .array = true }
};
static const struct ch_jfr_field_def sample_fields[] = { { "startTime", "long" },
	                                                 KEY("sampledThread", "java.lang.Thread"),
	                                                 KEY("stackTrace",
	                                                     "jdk.types.StackTrace") };
static const struct ch_jfr_field_def span_fields[] = { { "startTime", "long" },
	                                               { "duration", "long" },
	                                               KEY("eventThread", "java.lang.Thread"),
	                                               { "tag", "java.lang.String" } };
static const struct ch_jfr_field_def task_fields[] = { { "startTime", "long" },
	                                               { "duration", "long" },
	                                               KEY("eventThread", "java.lang.Thread"),
	                                               { "stage", "int" },
	                                               { "taskId", "long" },
	                                               { "sqlExecution", "long" },
	                                               { "executor", "java.lang.String" } };
static const struct ch_jfr_field_def labels_fields[] = { { "key", "java.lang.String" },
	                                                 { "value", "java.lang.String" } };
static const struct ch_jfr_field_def setting_fields[] = { { "id", "long" },
	                                                  { "name", "java.lang.String" },
	                                                  { "value", "java.lang.String" } };
static const struct ch_jfr_field_def sleep_fields[] = { { "startTime", "long" },
	                                                { "duration", "long" },
	                                                KEY("stackTrace", "jdk.types.StackTrace") };

static const struct ch_jfr_type_def types[] = {
	[T_STRING] = { "java.lang.String" },
	[T_LONG] = { "long" },
	[T_BOOLEAN] = { "boolean" },
	[T_INT] = { "int" },
	[T_THREAD] = TYPE("java.lang.Thread", thread_fields),
	[T_SYMBOL] = TYPE("jdk.types.Symbol", symbol_fields),
	[T_CLASS] = TYPE("java.lang.Class", class_fields),
	[T_METHOD] = TYPE("jdk.types.Method", method_fields),
	[T_FRAME_TYPE] = TYPE("jdk.types.FrameType", frame_type_fields),
	[T_FRAME] = TYPE("jdk.types.StackFrame", frame_fields),
	[T_STACK] = TYPE("jdk.types.StackTrace", stack_fields),
	[T_SAMPLE] = TYPE("jdk.ExecutionSample", sample_fields),
	[T_SPAN] = TYPE("profiler.Span", span_fields),
	[T_TASK] = TYPE("charcloth.TaskSpan", task_fields),
	[T_LABELS] = TYPE("charcloth.Labels", labels_fields),
	[T_SETTING] = TYPE("jdk.ActiveSetting", setting_fields),
	[T_SLEEP] = TYPE("jdk.ThreadSleep", sleep_fields),
};

/* A chunk as it grows; ticks are milliseconds here, the clock began at 1000 s. */
struct maker {
	struct ch_buf b;
	struct ch_jfr_header h;
};

static void text(struct ch_buf *b, const char *s)
{
	ch_jfr_put_text(b, s, strlen(s));
}

static void begin(struct maker *m)
{
	*m = (struct maker){ .b = CH_BUF(1 << 20),
		             .h = { .start_ns = INT64_C(1000000000000),
		                    .duration_ns = INT64_C(5000000000),
		                    .start_ticks = 100,
		                    .ticks_per_s = 1000 } };
	memset(ch_buf_room(&m->b, CH_JFR_HEADER_SIZE), 0, CH_JFR_HEADER_SIZE);
	m->b.len = CH_JFR_HEADER_SIZE;
	m->h.types_at = m->b.len;
	ch_jfr_put_types(&m->b, types, CH_LEN(types), 0);
}

static void sample(struct maker *m, uint64_t ticks, uint64_t thread, uint64_t stack)
{
	size_t at = ch_jfr_event_begin(&m->b, ch_jfr_type_id(T_SAMPLE));

	ch_jfr_put_int(&m->b, ticks);
	ch_jfr_put_int(&m->b, thread);
	ch_jfr_put_int(&m->b, stack);
	ch_jfr_event_end(&m->b, at);
}

static void span(struct maker *m, uint64_t ticks, uint64_t duration, const char *tag)
{
	size_t at = ch_jfr_event_begin(&m->b, ch_jfr_type_id(T_SPAN));

	ch_jfr_put_int(&m->b, ticks);
	ch_jfr_put_int(&m->b, duration);
	ch_jfr_put_int(&m->b, 1);
	text(&m->b, tag);
	ch_jfr_event_end(&m->b, at);
}

static void task(struct maker *m, uint64_t ticks, uint64_t duration, uint64_t stage)
{
	size_t at = ch_jfr_event_begin(&m->b, ch_jfr_type_id(T_TASK));

	ch_jfr_put_int(&m->b, ticks);
	ch_jfr_put_int(&m->b, duration);
	ch_jfr_put_int(&m->b, 1);
	ch_jfr_put_int(&m->b, stage);
	ch_jfr_put_int(&m->b, 17);
	ch_jfr_put_int(&m->b, (uint64_t)-1);
	text(&m->b, "exec-4");
	ch_jfr_event_end(&m->b, at);
}

static void two_texts(struct maker *m, int type, bool with_id, const char *a, const char *b)
{
	size_t at = ch_jfr_event_begin(&m->b, ch_jfr_type_id((size_t)type));

	if (with_id)
		ch_jfr_put_int(&m->b, ch_jfr_type_id(T_SAMPLE));
	text(&m->b, a);
	text(&m->b, b);
	ch_jfr_event_end(&m->b, at);
}

static void pool(struct ch_buf *b, int type, uint64_t n)
{
	ch_jfr_put_int(b, ch_jfr_type_id((size_t)type));
	ch_jfr_put_int(b, n);
}

static void keyed_text(struct ch_buf *b, uint64_t key, const char *s)
{
	ch_jfr_put_int(b, key);
	text(b, s);
}

/* Methods 1 and 2 are main and work of a/b/App: three pools. */
static void method_pools(struct ch_buf *b)
{
	pool(b, T_METHOD, 2);
	ch_buf_put(b, "\1\1\2\2\1\3", 6);
	pool(b, T_CLASS, 1);
	ch_buf_put(b, "\1\1", 2);
	pool(b, T_SYMBOL, 3);
	keyed_text(b, 1, "a/b/App");
	keyed_text(b, 2, "main");
	keyed_text(b, 3, "work");
}

/* Stack 1 is main;work, 2 the same but cut, thread 1 a Spark task, as the JDK would write them. */
static void constants(struct maker *m)
{
	struct ch_buf *b = &m->b;
	size_t at;

	m->h.pools_at = b->len;
	at = ch_jfr_checkpoint_begin(b, 0, 0, 6);
	pool(b, T_STACK, 2);
	for (char cut = 0; cut < 2; cut++) {
		ch_jfr_put_int(b, (uint64_t)cut + 1);
		ch_buf_putc(b, cut);
		ch_buf_put(b, "\2\2\7\1\1\3\0", 7); /* two frames: method, line, type */
	}
	method_pools(b);
	pool(b, T_FRAME_TYPE, 2);
	keyed_text(b, 0, "Interpreted");
	keyed_text(b, 1, "JIT compiled");
	pool(b, T_THREAD, 1);
	keyed_text(b, 1, "java");
	ch_jfr_put_int(b, 4242);
	text(b, "Executor task launch worker for task 1.0 in stage 3.0 (TID 17)");
	ch_jfr_event_end(b, at);
}

static void end(struct maker *m)
{
	m->h.size = m->b.len;
	assert_int_equal(m->b.err, 0);
	ch_jfr_header_put(&m->h, (uint8_t *)m->b.data);
}

static struct ch_profile *read_bytes(const void *data, size_t n, const struct ch_want *want,
                                     struct ch_error *err)
{
	char name[] = "x.jfr";
	/* Exactly as large as the bytes, so that the sanitizer sees a read past the end. */
	uint8_t *copy = malloc(n ? n : 1);
	struct ch_input in = { .name = name, .data = copy, .size = n, .map.slot = -1 };
	struct ch_profile *p = ch_profile_new(want);

	memcpy(copy, data, n);
	*err = (struct ch_error){ 0 };
	if (ch_jfr_read(&in, p, err) < 0) {
		ch_profile_free(p);
		p = NULL;
	}
	free(copy);
	return p;
}

static struct ch_profile *read_made(struct maker *m, const struct ch_want *want)
{
	struct ch_error err;
	struct ch_profile *p = read_bytes(m->b.data, m->b.len, want, &err);

	assert_string_equal(err.text, "");
	assert_non_null(p);
	return p;
}

static const char *frame_name(const struct ch_profile *p, uint32_t node)
{
	return ch_profile_text(p, p->frames[p->trie.frame[node]].name);
}

static const char *label(const struct ch_profile *p, size_t row, const char *key)
{
	uint32_t id = ch_strtab_find(&p->strings, key, strlen(key));

	return id ? ch_profile_text(p, ch_profile_label_of(p, p->rows.labels[row], id)) : "";
}

static void samples_become_stacks(void **state)
{
	struct maker m;
	struct ch_profile *p;
	uint32_t leaf;

	(void)state;
	begin(&m);
	sample(&m, 200, 1, 1);
	sample(&m, 300, 1, 1);
	sample(&m, 300, 1, 0);
	two_texts(&m, T_SETTING, true, "period", "20 ms");
	constants(&m);
	end(&m);
	p = read_made(&m, &(struct ch_want){ .lines = true });
	assert_int_equal(p->n_events, 1);
	assert_int_equal(p->events[0].samples, 3);
	assert_int_equal(p->events[0].value, 3);
	assert_int_equal(p->events[0].interval_ns, 20000000);
	assert_string_equal(ch_profile_text(p, p->events[0].unit), "count");
	assert_int_equal(p->rows.n, 2);
	leaf = p->rows.stack[0];
	assert_string_equal(frame_name(p, leaf), "a/b/App.work");
	assert_int_equal(p->frames[p->trie.frame[leaf]].kind, CH_KIND_JAVA);
	assert_int_equal(p->frames[p->trie.frame[leaf]].line, 7);
	assert_string_equal(frame_name(p, p->trie.parent[leaf]), "a/b/App.main");
	assert_string_equal(frame_name(p, p->rows.stack[1]), "[no stack]");
	assert_int_equal(p->start_ns, INT64_C(1000000000000));
	assert_int_equal(p->end_ns, INT64_C(1005000000000));
	assert_false(p->damaged);
	ch_profile_free(p);
	ch_buf_done(&m.b);
}

static void a_stack_that_was_cut_says_so_at_its_root(void **state)
{
	struct maker m;
	struct ch_profile *p;
	uint32_t node;

	(void)state;
	begin(&m);
	sample(&m, 200, 1, 2);
	constants(&m);
	end(&m);
	p = read_made(&m, &(struct ch_want){ 0 });
	node = p->rows.stack[0];
	assert_string_equal(frame_name(p, node), "a/b/App.work");
	node = p->trie.parent[p->trie.parent[node]];
	assert_string_equal(frame_name(p, node), "[truncated]");
	assert_int_equal(p->trie.parent[node], 0);
	ch_profile_free(p);
	ch_buf_done(&m.b);
}

static void labels_come_from_thread_and_spans(void **state)
{
	struct maker m, later;
	struct ch_profile *p;

	(void)state;
	begin(&m);
	sample(&m, 200, 1, 1);
	sample(&m, 600, 1, 1);
	constants(&m);
	end(&m);
	/* Spans may come a chunk later than their samples. */
	begin(&later);
	span(&later, 150, 100, "request");
	two_texts(&later, T_LABELS, false, "app", "demo");
	constants(&later);
	end(&later);
	ch_buf_put(&m.b, later.b.data, later.b.len);
	p = read_made(&m, &(struct ch_want){ .all_labels = true, .times = true });
	assert_int_equal(p->rows.n, 2);
	assert_string_equal(label(p, 0, "span"), "request");
	assert_string_equal(label(p, 1, "span"), "");
	assert_string_equal(label(p, 0, "stage"), "3");
	assert_string_equal(label(p, 0, "stage_attempt"), "0");
	assert_string_equal(label(p, 0, "partition"), "1");
	assert_string_equal(label(p, 0, "attempt"), "0");
	assert_string_equal(label(p, 0, "task"), "17");
	assert_string_equal(label(p, 0, "tid"), "4242");
	assert_string_equal(label(p, 1, "app"), "demo");
	assert_int_equal(p->rows.time_ns[0], INT64_C(1000100000000));
	ch_profile_free(p);
	ch_buf_done(&m.b);
	ch_buf_done(&later.b);
}

static void task_spans_win_over_thread_names(void **state)
{
	static const char *keys[] = { "stage", "executor", "sql", NULL };
	struct maker m;
	struct ch_profile *p;

	(void)state;
	begin(&m);
	sample(&m, 200, 1, 1);
	task(&m, 150, 100, 9);
	constants(&m);
	end(&m);
	p = read_made(&m, &(struct ch_want){ .labels = keys });
	assert_int_equal(p->rows.n, 1);
	assert_string_equal(label(p, 0, "stage"), "9");
	assert_string_equal(label(p, 0, "executor"), "exec-4");
	assert_string_equal(label(p, 0, "sql"), "");
	assert_string_equal(label(p, 0, "task"), "");
	ch_profile_free(p);
	ch_buf_done(&m.b);
}

static void other_events_are_read_when_asked_for(void **state)
{
	struct maker m;
	struct ch_profile *p;
	size_t at;

	(void)state;
	begin(&m);
	at = ch_jfr_event_begin(&m.b, ch_jfr_type_id(T_SLEEP));
	ch_jfr_put_int(&m.b, 200);
	ch_jfr_put_int(&m.b, 3);
	ch_jfr_put_int(&m.b, 1);
	ch_jfr_event_end(&m.b, at);
	sample(&m, 200, 1, 1);
	constants(&m);
	end(&m);
	p = read_made(&m, &(struct ch_want){ .event = "jdk.ThreadSleep" });
	at = ch_profile_event(p, "jdk.ThreadSleep", "ns");
	assert_int_equal(p->events[at].value, 3000000);
	at = ch_profile_event(p, "jdk.ExecutionSample", "count");
	assert_int_equal(p->events[at].samples, 0);
	assert_int_equal(p->events[at].unread, 1);
	ch_profile_free(p);
	p = read_made(&m, &(struct ch_want){ .one_event = true });
	assert_int_equal(p->n_events, 1);
	assert_int_equal(p->events[0].samples, 1);
	ch_profile_free(p);
	ch_buf_done(&m.b);
}

/* --- damage ---------------------------------------------------------------------------------- */

static void made(struct maker *m)
{
	begin(m);
	sample(m, 200, 1, 1);
	constants(m);
	end(m);
}

static void assert_fails(const void *data, size_t n, const char *sentence)
{
	struct ch_error err;

	assert_null(read_bytes(data, n, &(struct ch_want){ 0 }, &err));
	assert_string_equal(err.text, sentence);
}

static void assert_damaged(struct maker *m, const char *sentence)
{
	struct ch_profile *p = read_made(m, &(struct ch_want){ 0 });

	assert_true(p->damaged);
	assert_int_equal(p->events[0].samples, 1);
	assert_string_equal(p->notes[0], sentence);
	ch_profile_free(p);
}

static void what_cannot_be_read_says_why(void **state)
{
	struct maker m;

	(void)state;
	made(&m);
	assert_fails("", 0, "'x.jfr' has no chunk of a flight recording");
	assert_fails("FLR", 4, "'x.jfr' has no chunk of a flight recording");
	assert_fails(m.b.data, 100,
	             "'x.jfr': the chunk at byte 0 cannot be read: it has no metadata, without "
	             "which its events mean nothing");
	assert_fails(m.b.data, m.h.pools_at + 3,
	             "'x.jfr': the chunk at byte 0 cannot be read: it was cut short before its "
	             "stacks were written (the recorder was killed)");
	m.b.data[67] = 0;
	assert_fails(m.b.data, m.b.len,
	             "'x.jfr': the chunk at byte 0 cannot be read: its integers are not "
	             "compressed, as no JDK writes");
	m.b.data[67] = 1;
	m.b.data[m.h.types_at + 6] = 0x7f;
	assert_fails(m.b.data, m.b.len,
	             "'x.jfr': the chunk at byte 0 cannot be read: its metadata is damaged");
	ch_buf_done(&m.b);
}

static void what_can_be_read_is(void **state)
{
	struct maker m;
	char sentence[128];

	(void)state;
	made(&m);
	ch_buf_put(&m.b, "\0\0\0\0", 4);
	(void)snprintf(sentence, sizeof(sentence),
	               "'x.jfr': 4 bytes from byte %llu belong to no chunk",
	               (unsigned long long)m.h.size);
	assert_damaged(&m, sentence);
	ch_buf_done(&m.b);

	made(&m); /* a size that was never written */
	memset(m.b.data + 8, 0, 16);
	assert_damaged(&m, "'x.jfr': the chunk at byte 0 was not finished");
	ch_buf_done(&m.b);

	made(&m); /* killed in the middle of a flush */
	m.b.data[64] = 6;
	assert_damaged(&m, "'x.jfr': the chunk at byte 0 was not finished");
	ch_buf_done(&m.b);

	made(&m); /* a checkpoint that is not where the header says */
	m.b.data[23]++;
	assert_damaged(&m, "'x.jfr': some constants of the chunk at byte 0 are damaged");
	ch_buf_done(&m.b);
}

static void every_cut_ends_well(void **state)
{
	struct maker m;
	struct ch_error err;

	(void)state;
	made(&m);
	for (size_t n = 0; n < m.b.len; n++) {
		struct ch_profile *p =
		    read_bytes(m.b.data, n, &(struct ch_want){ .all_labels = true }, &err);

		assert_true(p ? p->damaged : *err.text);
		ch_profile_free(p);
	}
	ch_buf_done(&m.b);
}

/* --- several cores --------------------------------------------------------------------------- */

#define N_STACKS 1000

/* Stack i is main;work, with i as the line of work. */
static void many_constants(struct maker *m)
{
	struct ch_buf *b = &m->b;
	size_t at;

	m->h.pools_at = b->len;
	at = ch_jfr_checkpoint_begin(b, 0, 0, 4);
	pool(b, T_STACK, N_STACKS);
	for (uint64_t i = 1; i <= N_STACKS; i++) {
		ch_jfr_put_int(b, i);
		ch_buf_put(b, "\0\2\2", 3); /* not truncated, two frames, the method of the first */
		ch_jfr_put_int(b, i);
		ch_buf_put(b, "\1\1\3\0", 4);
	}
	method_pools(b);
	ch_jfr_event_end(b, at);
}

/* One chunk of several ranges: new stacks come up all along, between samples is all else there is. */
static void make_large(struct maker *m)
{
	begin(m);
	m->b.max = (size_t)64 << 20;
	for (uint64_t i = 0; m->b.len < (size_t)9 << 20; i++) {
		sample(m, 200 + i, 1, i % 7 ? 1 + i / 1000 % N_STACKS : 1 + i % N_STACKS);
		if (i % 1000 == 0)
			span(m, 200 + i, 3, "request");
		if (i % 100000 == 0) {
			ch_jfr_event_end(&m->b,
			                 ch_jfr_event_begin(&m->b, ch_jfr_type_id(T_SAMPLE)));
			two_texts(m, T_SETTING, true, "period", i ? "20 ms" : "10 ms");
		}
	}
	sample(m, 900, 1, N_STACKS + 1); /* lost */
	many_constants(m);
	end(m);
}

static struct ch_profile *read_on(struct maker *m, const struct ch_want *want, unsigned cores)
{
	struct ch_profile *p;

	ch_par_limit(cores);
	p = read_made(m, want);
	ch_par_limit(0);
	return p;
}

static void assert_same(const struct ch_profile *a, const struct ch_profile *b)
{
	assert_int_equal(a->n_events, b->n_events);
	assert_int_equal(a->events[0].samples, b->events[0].samples);
	assert_int_equal(a->events[0].unread, b->events[0].unread);
	assert_int_equal(a->events[0].interval_ns, b->events[0].interval_ns);
	assert_int_equal(a->rows.n, b->rows.n);
	assert_int_equal(a->trie.n, b->trie.n);
	for (size_t i = 0; i < a->rows.n; i++) {
		assert_int_equal(a->rows.stack[i], b->rows.stack[i]);
		assert_int_equal(a->rows.samples[i], b->rows.samples[i]);
		assert_int_equal(a->frames[a->trie.frame[a->rows.stack[i]]].line,
		                 b->frames[b->trie.frame[b->rows.stack[i]]].line);
	}
	assert_int_equal(a->n_notes, b->n_notes);
	for (size_t i = 0; i < a->n_notes; i++)
		assert_string_equal(a->notes[i], b->notes[i]);
}

static void two_cores_read_of_one_chunk_what_one_reads(void **state)
{
	static const struct ch_want wants[] = { { .lines = true },
		                                { .lines = true, .event = "alloc" } };
	struct maker m;

	(void)state;
	make_large(&m);
	for (size_t i = 0; i < CH_LEN(wants); i++) {
		struct ch_profile *one = read_on(&m, &wants[i], 1);
		struct ch_profile *two = read_on(&m, &wants[i], 2);

		assert_same(one, two);
		assert_int_equal(one->rows.n, i ? 0 : N_STACKS + 1);
		assert_true(one->events[0].samples + one->events[0].unread > 500000);
		assert_int_equal(one->events[0].interval_ns, 20000000);
		ch_profile_free(one);
		ch_profile_free(two);
	}
	ch_buf_done(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_span_that_began_last_holds),
		cmocka_unit_test(samples_become_stacks),
		cmocka_unit_test(a_stack_that_was_cut_says_so_at_its_root),
		cmocka_unit_test(labels_come_from_thread_and_spans),
		cmocka_unit_test(task_spans_win_over_thread_names),
		cmocka_unit_test(other_events_are_read_when_asked_for),
		cmocka_unit_test(what_cannot_be_read_says_why),
		cmocka_unit_test(what_can_be_read_is),
		cmocka_unit_test(every_cut_ends_well),
		cmocka_unit_test(two_cores_read_of_one_chunk_what_one_reads),
	};

	return cmocka_run_group_tests_name("jfr", tests, NULL, NULL);
}
