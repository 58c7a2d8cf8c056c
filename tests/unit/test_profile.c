#include "unit.h"
#include "profile/diff.h"
#include "profile/select.h"

static uint32_t frame(struct ch_profile *p, const char *name)
{
	return ch_profile_frame(p, (struct ch_frame){ .name = ch_profile_strz(p, name) });
}

static uint32_t stack(struct ch_profile *p, const char *a, const char *b)
{
	return ch_profile_push(p, ch_profile_push(p, 0, frame(p, a)), frame(p, b));
}

static void add(struct ch_profile *p, uint16_t event, uint32_t at, uint32_t labels, int64_t n)
{
	ch_profile_add(p, &(struct ch_sample){ event, at, labels, n, n * 10, CH_NO_TIME });
}

static void equal_samples_fold_into_one_row(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	uint16_t cpu = ch_profile_event(p, "jdk.ExecutionSample", "ns");

	(void)state;
	add(p, cpu, stack(p, "main", "a"), 0, 1);
	add(p, cpu, stack(p, "main", "b"), 0, 2);
	add(p, cpu, stack(p, "main", "a"), 0, 3);
	assert_int_equal(p->rows.n, 2);
	assert_int_equal(p->rows.samples[0], 4);
	assert_int_equal(p->events[cpu].samples, 6);
	assert_int_equal(p->events[cpu].value, 60);
	assert_string_equal(ch_profile_text(p, p->events[cpu].word), "cpu");
	assert_int_equal(p->trie.n, 4);
	ch_profile_free(p);
}

static void label_sets_do_not_depend_on_order(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	uint32_t k1 = ch_profile_strz(p, "stage"), k2 = ch_profile_strz(p, "thread");
	uint32_t v = ch_profile_strz(p, "7"), w = ch_profile_strz(p, "main");
	uint32_t a = ch_profile_label(p, ch_profile_label(p, 0, k1, v), k2, w);
	uint32_t b = ch_profile_label(p, ch_profile_label(p, 0, k2, w), k1, v);

	(void)state;
	assert_int_equal(a, b);
	assert_int_equal(ch_profile_label_of(p, a, k2), w);
	assert_int_equal(ch_profile_label_of(p, a, ch_profile_strz(p, "none")), 0);
	assert_int_equal(
	    ch_profile_labels_join(p, ch_profile_label(p, 0, k1, v), ch_profile_label(p, 0, k2, w)),
	    a);
	ch_profile_free(p);
}

static void merging_adds_up_and_labels(void **state)
{
	struct ch_profile *a = ch_profile_new(&(struct ch_want){ .all_labels = true });
	struct ch_profile *b = ch_profile_new(&(struct ch_want){ .all_labels = true });
	uint32_t file;

	(void)state;
	add(a, ch_profile_event(a, "samples", "count"), stack(a, "main", "x"), 0, 5);
	add(b, ch_profile_event(b, "samples", "count"), stack(b, "main", "x"), 0, 7);
	ch_profile_rescale(b, 0, 1000);
	file = ch_profile_label(a, 0, ch_profile_strz(a, "file"), ch_profile_strz(a, "b.txt"));
	ch_profile_merge(a, b, file);
	assert_int_equal(a->rows.n, 2);
	assert_int_equal(a->events[0].scale, 1000);
	assert_int_equal(a->events[0].samples, 12000);
	assert_int_equal(a->rows.samples[0], 5000);
	assert_int_equal(a->rows.labels[1], file);
	ch_profile_free(a);
	ch_profile_free(b);
}

static void huge_counts_stay_at_the_border(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	uint16_t e = ch_profile_event(p, "samples", "count");

	(void)state;
	ch_profile_add(p, &(struct ch_sample){ .event = e, .samples = INT64_MAX, .value = 1 });
	ch_profile_add(p, &(struct ch_sample){ .event = e, .samples = INT64_MAX, .value = 1 });
	assert_int_equal(p->rows.samples[0], INT64_MAX);
	ch_profile_free(p);
}

static void scales_meet_in_a_common_one(void **state)
{
	struct ch_profile *a = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_profile *b = ch_profile_new(&(struct ch_want){ 0 });

	(void)state;
	add(a, ch_profile_event(a, "samples", "count"), stack(a, "main", "x"), 0, 4);
	add(b, ch_profile_event(b, "samples", "count"), stack(b, "main", "x"), 0, 6);
	ch_profile_rescale(a, 0, 4);
	ch_profile_rescale(b, 0, 6);
	ch_profile_merge(a, b, 0);
	assert_int_equal(a->events[0].scale, 12);
	assert_int_equal(a->rows.samples[0], 120);
	assert_int_equal(ch_profile_scale(INT64_MAX, INT64_MAX - 1), INT64_MAX);
	ch_profile_free(a);
	ch_profile_free(b);
}

/* Each broken byte takes three once it is repaired. */
static void no_name_is_longer_than_the_limit(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	char *name = malloc(CH_NAME_MAX + 1);
	struct ch_frame f = { .kind = CH_KIND_JAVA };
	struct ch_buf b = CH_BUF(CH_NAME_MAX);

	(void)state;
	memset(name, 0xff, CH_NAME_MAX + 1);
	f.name = ch_profile_str(p, name, CH_NAME_MAX);
	assert_int_equal(p->strings.len[f.name], CH_NAME_MAX / 3 * 3);
	assert_string_equal(p->notes[0], "names longer than 65536 bytes were cut");
	ch_name_format(p, &f, &(struct ch_select){ .normalize = true }, &b);
	assert_int_equal(b.err, 0);
	memset(name, 'x', CH_NAME_MAX);
	memcpy(name + CH_NAME_MAX - 1, "\xc3\xa4", 2);
	assert_int_equal(p->strings.len[ch_profile_str(p, name, CH_NAME_MAX + 1)], CH_NAME_MAX - 1);
	assert_int_equal(ch_profile_status(p, NULL), 0);
	ch_buf_done(&b);
	free(name);
	ch_profile_free(p);
}

static void labels_left_out_are_told(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	uint32_t set = 0;

	(void)state;
	for (int i = 0; i < 65; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "k%d", i);
		set = ch_profile_label(p, set, ch_profile_strz(p, key), ch_profile_strz(p, "v"));
		assert_int_equal(p->damaged, i == 64);
	}
	assert_string_equal(p->notes[0], "samples with more than 64 labels lost some");
	ch_profile_free(p);
}

static void stretched_sides_keep_sums_true(void **state)
{
	struct ch_profile *before = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_profile *after = ch_profile_new(&(struct ch_want){ 0 }), *both;
	int64_t sum = 0;

	(void)state;
	add(before, ch_profile_event(before, "samples", "count"), stack(before, "m", "x"), 0, 2);
	add(after, ch_profile_event(after, "samples", "count"), stack(after, "m", "x"), 0, 6);
	both = ch_diff_join(before, after);
	ch_diff_normalize(both);
	for (size_t i = 0; i < both->rows.n; i++)
		sum += both->rows.samples[i];
	assert_int_equal(sum, 12 * both->events[0].scale);
	assert_int_equal(both->events[0].samples, sum);
	ch_profile_free(before);
	ch_profile_free(after);
	ch_profile_free(both);
}

/* As a file of a recording: the process it is of, NULL where it does not say, and one point. */
static void merge_file(struct ch_profile *to, const char *process, const char *file, int64_t time)
{
	struct ch_profile *p = ch_profile_new(&to->want);

	if (process)
		p->process = ch_profile_strz(p, process);
	ch_profile_point(p, "heap used", "bytes", time, (double)time);
	ch_profile_name_process(p, file);
	ch_profile_merge(to, p, 0);
	ch_profile_free(p);
}

static void a_process_has_one_line_however_many_files(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .series = true });

	(void)state;
	merge_file(p, "7 since 100", "a.1.jfr", 20);
	merge_file(p, "8 since 100", "b.jfr", 10);
	merge_file(p, "7 since 100", "a.jfr", 10);
	merge_file(p, NULL, "c.jfr", 10);
	merge_file(p, NULL, "d.jfr", 10);
	ch_profile_sort_series(p);
	assert_int_equal(p->n_series, 4);
	assert_int_equal(p->series[0].n, 2);
	assert_int_equal(p->series[0].time_ns[0], 10);
	assert_int_equal(p->series[0].time_ns[1], 20);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(p->series[i].n, 1);
	ch_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_samples_fold_into_one_row),
		cmocka_unit_test(label_sets_do_not_depend_on_order),
		cmocka_unit_test(merging_adds_up_and_labels),
		cmocka_unit_test(huge_counts_stay_at_the_border),
		cmocka_unit_test(scales_meet_in_a_common_one),
		cmocka_unit_test(no_name_is_longer_than_the_limit),
		cmocka_unit_test(labels_left_out_are_told),
		cmocka_unit_test(stretched_sides_keep_sums_true),
		cmocka_unit_test(a_process_has_one_line_however_many_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
