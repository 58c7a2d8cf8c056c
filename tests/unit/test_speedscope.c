#include "profiles.h"

#include <errno.h>

#define FILE_OF(frames, profiles)                                                                  \
	"{\"$schema\":\"https://www.speedscope.app/"                                               \
	"file-format-schema.json\",\"profiles\":[" profiles "],\"shared\":{\"frames\":[" frames    \
	"]}}"
#define FRAMES                                                                                     \
	"{\"name\":\"main\",\"file\":\"a.py\",\"line\":3,\"col\":1},{\"name\":\"f\"},"             \
	"{\"name\":\"g \\\"q\\\" \\u00e9\",\"file\":\"B.java\"}"

static void sampled_profiles_are_read(void **state)
{
	/* Frames come behind the profiles, the name behind the samples. */
	struct ch_profile *p = read_text(
	    NULL, FILE_OF(FRAMES, "{\"type\":\"sampled\",\"samples\":[[0,1],[0,1],[0,2],[]],"
	                          "\"weights\":[0.01,0.02,0.5,1],\"unit\":\"seconds\","
	                          "\"startValue\":0,\"endValue\":1.53,\"name\":\"Thread 1\"}"));

	(void)state;
	assert_false(p->damaged);
	assert_int_equal(p->rows.n, 3);
	assert_string_equal(stack_text(p, p->rows.stack[0]), "main;f");
	assert_string_equal(stack_text(p, p->rows.stack[1]), "main;g \"q\" \xc3\xa9");
	assert_int_equal(p->rows.samples[0], 2);
	assert_int_equal(p->rows.value[0], 30000000);
	assert_int_equal(p->events[0].value, 1530000000);
	assert_string_equal(ch_profile_text(p, p->events[0].unit), "ns");
	assert_string_equal(label_of(p, 0, "thread"), "Thread 1");
	assert_int_equal(leaf(p, 1)->kind, CH_KIND_JAVA);
	assert_int_equal(p->frames[1].kind, CH_KIND_PYTHON);
	assert_int_equal(p->frames[1].line, 3);
	ch_profile_free(p);
}

static void counts_may_be_fractional(void **state)
{
	struct ch_profile *p =
	    read_text(NULL, FILE_OF(FRAMES, "{\"type\":\"sampled\",\"unit\":\"none\","
	                                    "\"samples\":[[0],[1]],\"weights\":[9007199254740993,"
	                                    "1.5]}"));

	(void)state;
	assert_int_equal(p->events[0].scale, 1000000);
	assert_int_equal(p->rows.samples[1], 1500000);
	/* Saturated by the scale: too large a count stays at the border. */
	assert_true(p->rows.samples[0] == INT64_MAX);
	ch_profile_free(p);
	p = read_text(NULL, FILE_OF(FRAMES, "{\"type\":\"sampled\",\"unit\":\"none\","
	                                    "\"samples\":[[0]],\"weights\":[9007199254740993]}"));
	assert_true(p->rows.samples[0] == INT64_C(9007199254740993));
	ch_profile_free(p);
}

static void evented_profiles_give_time_to_the_open_stack(void **state)
{
	struct ch_profile *p = read_text(
	    NULL, FILE_OF(FRAMES, "{\"type\":\"evented\",\"unit\":\"milliseconds\",\"name\":\"t\","
	                          "\"startValue\":0,\"endValue\":10,\"events\":["
	                          "{\"type\":\"O\",\"frame\":0,\"at\":1},"
	                          "{\"type\":\"O\",\"frame\":1,\"at\":2.5},"
	                          "{\"type\":\"C\",\"frame\":1,\"at\":4},"
	                          "{\"type\":\"C\",\"frame\":0,\"at\":10},"
	                          "{\"type\":\"O\",\"frame\":2,\"at\":20},"
	                          "{\"type\":\"C\",\"frame\":2,\"at\":20.5}]}"));

	(void)state;
	assert_false(p->damaged);
	assert_int_equal(p->rows.n, 3);
	assert_string_equal(stack_text(p, p->rows.stack[0]), "main");
	assert_int_equal(p->rows.value[0], 7500000);
	assert_int_equal(p->rows.value[1], 1500000);
	assert_int_equal(p->rows.value[2], 500000);
	ch_profile_free(p);
}

static void expect_note(const char *json, const char *words)
{
	struct ch_profile *p = read_text("speedscope", json);

	assert_true(p->damaged);
	assert_int_equal(p->n_notes, 1);
	if (!strstr(p->notes[0], words))
		fail_msg("'%s' lacks '%s'", p->notes[0], words);
	ch_profile_free(p);
}

static void damage_is_told(void **state)
{
	(void)state;
	expect_note(FILE_OF(FRAMES, "{\"type\":\"sampled\",\"samples\":[[0,99],[-1],[1e300]],"
	                            "\"weights\":[1,1,1]}"),
	            "3 references to frames");
	expect_note(FILE_OF(FRAMES, "{\"type\":\"sampled\",\"samples\":[[0],[1]],\"weights\":[1]}"),
	            "1 profiles have not one weight");
	expect_note(FILE_OF(FRAMES, "{\"type\":\"sampled\",\"samples\":[[0]],\"weights\":[1,2]}"),
	            "1 profiles have not one weight");
	expect_note(FILE_OF(FRAMES,
	                    "{\"type\":\"evented\",\"events\":[{\"type\":\"C\",\"frame\":0,"
	                    "\"at\":1},{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"C\","
	                    "\"frame\":0,\"at\":1},{\"type\":\"C\",\"frame\":0,\"at\":3}]}"),
	            "2 events do not fit");
}

static void a_cut_file_gives_what_it_has(void **state)
{
	struct ch_error err = { 0 };
	struct ch_profile *p =
	    read_text("speedscope", "{\"shared\":{\"frames\":[" FRAMES "]},"
	                            "\"profiles\":[{\"type\":\"sampled\","
	                            "\"samples\":[[0],[1],[2]],\"weights\":[1,2");

	(void)state;
	assert_true(p->damaged);
	assert_int_equal(p->events[0].samples, 3);
	ch_profile_free(p);
	assert_null(read_bytes("speedscope", "{\"shared\": {\"frames\":[{]", 24, &want_all, &err));
	assert_non_null(strstr(err.text, "line 1, byte 23: a name in quotes is missing"));
}

static struct ch_profile *sample_profile(void)
{
	struct ch_profile *p = ch_profile_new(&want_all);
	uint16_t cpu = ch_profile_event(p, "jdk.ExecutionSample", "ns");
	uint16_t odd = ch_profile_event(p, "cycles", "cycles");
	uint32_t root = push(p, 0, "java/lang/Thread.run", CH_KIND_JAVA, "Thread.java", 840);
	uint32_t main_thread = label(p, 0, "thread", "main"), gc = label(p, 0, "thread", "GC");

	p->events[cpu].interval_ns = 20000000;
	ch_profile_rescale(p, odd, 1000000);
	for (int k = 0; k < CH_KIND_COUNT; k++)
		ch_profile_add(p, &(struct ch_sample){
		                      cpu, push(p, root, "</script>\"\xff", (enum ch_kind)k, "", 0),
		                      k & 1 ? gc : main_thread, k + 1, (k + 1) * 9999999 + 1,
		                      CH_NO_TIME });
	ch_profile_add(p, &(struct ch_sample){ odd, root, 0, 1500000, 7000001, CH_NO_TIME });
	ch_profile_add(p, &(struct ch_sample){ cpu, 0, 0, 1, 5, CH_NO_TIME });
	return p;
}

static int64_t total_of(const struct ch_profile *p, const char *thread)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->rows.n; i++)
		if (!strcmp(label_of(p, i, "thread"), thread))
			sum += p->rows.value[i];
	return sum;
}

static void what_is_written_is_read_back(void **state)
{
	struct ch_profile *p = sample_profile(), *q;
	struct ch_error e = { 0 };
	struct ch_buf json;
	int kinds = 0;

	(void)state;
	WRITTEN(json, ch_speedscope_write(p, "a title", NULL, out, &err));
	q = read_bytes(NULL, json.data, json.len, &want_all, &e);
	assert_non_null(q);
	assert_int_equal(q->n_notes, 0);
	assert_int_equal(q->rows.n, p->rows.n);
	for (size_t i = 0; i < p->n_events; i++) {
		const struct ch_event *a = &p->events[i];
		const struct ch_event *b = event_of(q, ch_profile_text(p, a->type));

		assert_string_equal(ch_profile_text(q, b->unit), ch_profile_text(p, a->unit));
		assert_true(a->samples == b->samples && a->value == b->value);
		assert_true(a->scale == b->scale && a->interval_ns == b->interval_ns);
	}
	assert_int_equal(total_of(q, "main"), total_of(p, "main"));
	assert_int_equal(total_of(q, "GC"), total_of(p, "GC"));
	assert_int_equal(total_of(q, ""), total_of(p, ""));
	for (size_t i = 0; i < q->n_frames; i++)
		kinds |= 1 << q->frames[i].kind;
	assert_int_equal(kinds, (1 << CH_KIND_COUNT) - 1);
	ch_buf_done(&json);
	ch_profile_free(p);
	ch_profile_free(q);
}

static void files_of_other_tools_add_up(void **state)
{
	(void)state;
	check_file("speedscope/py-spy.speedscope.json", "speedscope", 49, 980000000);
	check_file("speedscope/evented.speedscope.json", "speedscope", 9000000, 9000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sampled_profiles_are_read),
		cmocka_unit_test(counts_may_be_fractional),
		cmocka_unit_test(evented_profiles_give_time_to_the_open_stack),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(a_cut_file_gives_what_it_has),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(files_of_other_tools_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
