#include "profiles.h"
#include "codec/proto.h"

#include <errno.h>

/* --- messages by hand ------------------------------------------------------------------------- */

static struct ch_buf file, part;

static void start(void)
{
	file = part = CH_BUF(1 << 20);
}

static void done(void)
{
	ch_buf_done(&file);
	ch_buf_done(&part);
}

static void strings(const char *const *list)
{
	for (; *list; list++)
		ch_proto_put_bytes(&file, 6, *list, strlen(*list));
}

/* Message `field` with integer fields given as number, value, …, 0. */
static void message(uint32_t field, const uint64_t *fields)
{
	ch_buf_reset(&part);
	for (; *fields; fields += 2)
		ch_proto_put_u64(&part, (uint32_t)fields[0], fields[1]);
	ch_proto_put_bytes(&file, field, part.data, part.len);
}
#define MESSAGE(field, ...) message(field, (const uint64_t[]){ __VA_ARGS__, 0 })

/* A location that has two lines, the first inlined into the second. */
static void inlined_location(uint64_t id, uint64_t leaf_fn, uint64_t root_fn)
{
	struct ch_buf line = CH_BUF(64);

	ch_buf_reset(&part);
	ch_proto_put_u64(&part, 1, id);
	ch_proto_put_u64(&line, 1, leaf_fn);
	ch_proto_put_u64(&line, 2, 7);
	ch_proto_put_bytes(&part, 4, line.data, line.len);
	ch_buf_reset(&line);
	ch_proto_put_u64(&line, 1, root_fn);
	ch_proto_put_bytes(&part, 4, line.data, line.len);
	ch_proto_put_bytes(&file, 4, part.data, part.len);
	ch_buf_done(&line);
}

static const char *const names[] = {
	"",      "samples", "count", "cpu",   "nanoseconds",   "main.main",   "main.f",     "f.go",
	"bin/x", "key",     "value", "bytes", "alloc_objects", "alloc_space", "Inner.java", NULL,
};

static struct ch_profile *read_file(const struct ch_want *want, struct ch_error *err)
{
	return read_bytes(NULL, file.data, file.len, want, err);
}

static void columns_become_events(void **state)
{
	struct ch_error err = { 0 };
	struct ch_profile *p;

	(void)state;
	start();
	MESSAGE(1, 1, 1, 2, 2);   /* samples/count */
	MESSAGE(1, 1, 3, 2, 4);   /* cpu/nanoseconds */
	MESSAGE(1, 1, 12, 2, 2);  /* alloc_objects/count */
	MESSAGE(1, 1, 13, 2, 11); /* alloc_space/bytes */
	ch_proto_put_bytes(&file, 2, "\x0a\x02\x01\x02\x12\x04\x03\x1e\x00\x00", 10); /* packed */
	ch_proto_put_bytes(&file, 2, "\x08\x02\x10\x00\x10\x00\x10\x05\x10\x7f", 10); /* not */
	inlined_location(1, 2, 1);
	MESSAGE(4, 1, 2, 2, 1, 3, 0x1234); /* no line: mapping 1 */
	MESSAGE(3, 1, 1, 5, 8);
	MESSAGE(5, 1, 1, 2, 5, 4, 7);
	MESSAGE(5, 1, 2, 2, 6, 4, 14);
	MESSAGE(11, 1, 3, 2, 4);
	ch_proto_put_u64(&file, 12, 10000000);
	ch_proto_put_u64(&file, 9, 1700000000000000000);
	ch_proto_put_u64(&file, 10, 5);
	strings(names);
	p = read_file(&want_all, &err);
	assert_non_null(p);
	assert_false(p->damaged);
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(event_of(p, "cpu")->samples, 3);
	assert_int_equal(event_of(p, "cpu")->value, 30);
	assert_int_equal(event_of(p, "cpu")->interval_ns, 10000000);
	assert_string_equal(ch_profile_text(p, event_of(p, "cpu")->unit), "ns");
	assert_int_equal(event_of(p, "alloc_space")->samples, 5);
	assert_int_equal(event_of(p, "alloc_space")->value, 127);
	assert_string_equal(ch_profile_text(p, event_of(p, "alloc_space")->word), "alloc");
	assert_string_equal(stack_text(p, p->rows.stack[0]), "[x];main.main;main.f");
	assert_int_equal(leaf(p, 0)->line, 7);
	assert_int_equal(leaf(p, 0)->kind, CH_KIND_INLINED);
	assert_int_equal(leaf(p, 1)->kind, CH_KIND_NATIVE);
	assert_true(p->start_ns == 1700000000000000000 && p->end_ns == p->start_ns + 5);
	ch_profile_free(p);
	p = read_file(&(struct ch_want){ .event = "alloc" }, &err);
	assert_int_equal(p->n_events, 1);
	assert_int_equal(p->events[0].value, 127);
	ch_profile_free(p);
	done();
}

static void values_without_counts_become_samples_by_the_period(void **state)
{
	struct ch_error err = { 0 };
	struct ch_profile *p;

	(void)state;
	start();
	MESSAGE(1, 1, 3, 2, 4);
	ch_proto_put_bytes(&file, 2, "\x08\x01\x10\x1e", 4);
	MESSAGE(4, 1, 1);
	MESSAGE(11, 1, 3, 2, 4);
	ch_proto_put_u64(&file, 12, 10);
	strings(names);
	p = read_file(&want_all, &err);
	assert_int_equal(p->events[0].samples, 3);
	assert_int_equal(p->events[0].value, 30);
	assert_string_equal(stack_text(p, p->rows.stack[0]), "0x0");
	ch_profile_free(p);
	done();
}

static void labels_are_kept(void **state)
{
	struct ch_error err = { 0 };
	struct ch_profile *p;

	(void)state;
	start();
	MESSAGE(1, 1, 1, 2, 2);
	ch_proto_put_bytes(&file, 2, "\x12\x01\x01\x1a\x04\x08\x09\x10\x0a", 9);
	ch_proto_put_bytes(&file, 2, "\x12\x01\x02\x1a\x06\x08\x09\x18\x05\x20\x0b", 11);
	strings(names);
	p = read_file(&want_all, &err);
	assert_int_equal(p->rows.n, 2);
	assert_string_equal(label_of(p, 0, "key"), "value");
	assert_string_equal(label_of(p, 1, "key"), "5 bytes");
	ch_profile_free(p);
	done();
}

static void damage_is_told(void **state)
{
	struct ch_error err = { 0 };
	struct ch_profile *p;

	(void)state;
	start();
	MESSAGE(1, 1, 1, 2, 2);
	strings(names);
	ch_proto_put_bytes(&file, 2, "\x08\x63\x10\x02", 4);         /* an unknown place */
	ch_proto_put_bytes(&file, 2, "\x08\x01\x10\x02\x10\x02", 6); /* a value too many */
	p = read_file(&want_all, &err);
	assert_true(p && p->damaged);
	assert_int_equal(p->events[0].samples, 2);
	assert_int_equal(p->n_notes, 2);
	ch_profile_free(p);
	ch_buf_put(&file, "\x12\x7f", 2); /* cut in a sample */
	p = read_file(&want_all, &err);
	assert_true(p && p->n_notes == 3);
	ch_profile_free(p);
	done();
}

static void hostile_files_are_refused_in_one_sentence(void **state)
{
	struct ch_error err = { 0 };

	(void)state;
	start();
	MESSAGE(1, 1, 1, 2, 2);
	assert_null(read_bytes("pprof", file.data, file.len, &want_all, &err));
	assert_non_null(strstr(err.text, "the names are missing"));
	for (int i = 0; i < 300; i++)
		MESSAGE(1, 1, 1, 2, 2);
	strings(names);
	assert_null(read_bytes("pprof", file.data, file.len, &want_all, &err));
	assert_non_null(strstr(err.text, "more than 256 sample types"));
	assert_null(read_bytes("pprof", "\xff\xff", 2, &want_all, &err));
	assert_non_null(strstr(err.text, "without sample types"));
	done();
}

/* --- round trips ------------------------------------------------------------------------------- */

static struct ch_profile *sample_profile(void)
{
	struct ch_profile *p = ch_profile_new(&want_all);
	uint16_t cpu = ch_profile_event(p, "jdk.ExecutionSample", "ns");
	uint16_t cpu2 = ch_profile_event(p, "jdk.CPUTimeSample", "ns");
	uint16_t folded = ch_profile_event(p, "odd things", "count");
	uint32_t root = push(p, 0, "java/lang/Thread.run", CH_KIND_JAVA, "Thread.java", 840);
	uint32_t labels = label(p, label(p, 0, "thread", "main"), "stage", "7");

	p->events[cpu].interval_ns = 10000000;
	p->events[cpu2].interval_ns = 20000000;
	p->start_ns = 1700000000000000000;
	p->end_ns = p->start_ns + 1000000000;
	ch_profile_rescale(p, folded, 1000000);
	for (int k = 0; k < CH_KIND_COUNT; k++)
		ch_profile_add(p, &(struct ch_sample){
		                      cpu, push(p, root, "x;y </script>", (enum ch_kind)k, "", 0),
		                      labels, k + 1, (k + 1) * 9999999, CH_NO_TIME });
	ch_profile_add(p, &(struct ch_sample){ cpu2, root, 0, INT64_MAX, 1, CH_NO_TIME });
	ch_profile_add(p, &(struct ch_sample){ folded, 0, labels, 1500000, 1500000, CH_NO_TIME });
	return p;
}

static void what_is_written_is_read_back(void **state)
{
	struct ch_profile *p = sample_profile(), *q;
	struct ch_error e = { 0 };
	struct ch_buf packed;

	(void)state;
	WRITTEN(packed, ch_pprof_write(p, out, &err));
	q = read_bytes(NULL, packed.data, packed.len, &want_all, &e);
	assert_non_null(q);
	assert_int_equal(q->n_notes, 0);
	assert_int_equal(q->n_events, p->n_events);
	assert_int_equal(q->rows.n, p->rows.n);
	assert_true(q->start_ns == p->start_ns && q->end_ns == p->end_ns);
	for (size_t i = 0; i < p->n_events; i++) {
		const struct ch_event *a = &p->events[i];
		const struct ch_event *b = event_of(q, ch_profile_text(p, a->type));

		assert_string_equal(ch_profile_text(q, b->unit), ch_profile_text(p, a->unit));
		assert_true(a->samples == b->samples && a->value == b->value);
		assert_true(a->scale == b->scale && a->interval_ns == b->interval_ns);
	}
	for (size_t i = 0; i < p->rows.n; i++) {
		char expected[4096];

		(void)snprintf(expected, sizeof(expected), "%s", stack_text(p, p->rows.stack[i]));
		assert_string_equal(stack_text(q, q->rows.stack[i]), expected);
		assert_string_equal(label_of(q, i, "stage"), label_of(p, i, "stage"));
		assert_int_equal(leaf(q, i)->kind, leaf(p, i)->kind);
		assert_int_equal(leaf(q, i)->line, leaf(p, i)->line);
	}
	ch_buf_done(&packed);
	ch_profile_free(p);
	ch_profile_free(q);
}

static void times_of_samples_survive(void **state)
{
	struct ch_want want = { .times = true };
	struct ch_profile *p = ch_profile_new(&want), *q;
	uint16_t wall = ch_profile_event(p, "Stacktrace", "count");
	struct ch_error e = { 0 };
	struct ch_buf packed;

	(void)state;
	for (int i = 0; i < 3; i++)
		ch_profile_add(p, &(struct ch_sample){ wall, push(p, 0, "f", CH_KIND_JAVA, "", 0),
		                                       0, 1, 1, 1700000000000000000 + i });
	WRITTEN(packed, ch_pprof_write(p, out, &err));
	q = read_bytes(NULL, packed.data, packed.len, &want, &e);
	assert_int_equal(q->rows.n, 3);
	assert_true(q->rows.time_ns[2] == 1700000000000000002);
	assert_string_equal(ch_profile_text(q, q->events[0].type), "Stacktrace");
	ch_buf_done(&packed);
	ch_profile_free(p);
	ch_profile_free(q);
}

static void files_of_other_tools_add_up(void **state)
{
	(void)state;
	check_file("pprof/go-cpu.pb.gz", "cpu", 19, 190000000);
	check_file("pprof/go-heap.pb.gz", "inuse_space", 1864, 4895255);
	check_file("pprof/go-heap.pb.gz", "alloc_space", 1864, 4895255);
	check_file("pprof/go-mutex.pb.gz", "delay", 19, 114968693);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_become_events),
		cmocka_unit_test(values_without_counts_become_samples_by_the_period),
		cmocka_unit_test(labels_are_kept),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(hostile_files_are_refused_in_one_sentence),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(times_of_samples_survive),
		cmocka_unit_test(files_of_other_tools_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
