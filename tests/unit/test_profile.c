#include "unit.h"
#include "profile/profile.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_samples_fold_into_one_row),
		cmocka_unit_test(label_sets_do_not_depend_on_order),
		cmocka_unit_test(merging_adds_up_and_labels),
		cmocka_unit_test(huge_counts_stay_at_the_border),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
