#include "views.h"
#include "profile/segments.h"

static uint32_t frame(struct ch_profile *p, const char *name, enum ch_kind kind)
{
	return ch_profile_frame(
	    p, (struct ch_frame){ .name = ch_profile_strz(p, name), .kind = (uint8_t)kind });
}

static struct ch_tree *tree(const struct ch_profile *p, enum ch_metric metric)
{
	struct ch_tree *t = NULL;

	assert_int_equal(ch_tree_new(p, metric, &t, NULL), 0);
	return t;
}

/* The tree as one line: name:self/total, with brackets around children. */
static void assert_shape(const struct ch_tree *t, const struct ch_profile *p, const char *want)
{
	char text[1024];
	size_t len = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (; depth > t->depth[i]; depth--)
			text[len++] = ')';
		if (t->depth[i] > depth)
			text[len++] = '(';
		else if (i)
			text[len++] = ' ';
		depth = t->depth[i];
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s:%lld/%lld",
		                        ch_tree_name(t, p, i), (long long)t->self[i],
		                        (long long)t->total[i]);
	}
	for (; depth; depth--)
		text[len++] = ')';
	text[len] = 0;
	assert_string_equal(text, want);
}

static void nodes_come_in_preorder_with_sorted_siblings(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t;

	(void)state;
	add_path(p, "main;z;x", 0, 1);
	add_path(p, "main;a", 0, 2);
	add_path(p, "main;z;b", 0, 4);
	add_path(p, "", 0, 8);
	add_path(p, "main", 0, 16);
	t = tree(p, CH_METRIC_SAMPLES);
	assert_shape(t, p, "all:8/31(main:16/23(a:2/2 z:0/5(b:4/4 x:1/1)))");
	assert_int_equal(t->max_depth, 3);
	assert_int_equal(t->end[0], 6);
	assert_int_equal(t->end[1], 6);
	assert_int_equal(t->end[2], 3);
	assert_int_equal(t->parent[3], 1);
	assert_string_equal(t->unit, "samples");
	ch_tree_free(t);
	t = tree(p, CH_METRIC_VALUE);
	assert_int_equal(t->total[0], 310);
	assert_string_equal(t->unit, "count");
	ch_tree_free(t);
	ch_profile_free(p);
}

static void names_sort_by_bytes_however_long(void **state)
{
	static const char *const names[] = {
		"a",       "a\x01", "abcdefg",  "abcdefgh", "abcdefgh1234567", "abcdefgh1234567x",
		"abcdefh", "b",     "\xc3\xa4",
	};
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t;

	(void)state;
	for (size_t i = CH_LEN(names); i--;)
		add_path(p, names[i], 0, 1);
	t = tree(p, CH_METRIC_SAMPLES);
	for (size_t i = 0; i < CH_LEN(names); i++)
		assert_string_equal(ch_tree_name(t, p, i + 1), names[i]);
	ch_tree_free(t);
	ch_profile_free(p);
}

static void many_siblings_are_sorted_too(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t;
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		(void)snprintf(name, sizeof(name), "frame-with-a-prefix-%u", i * 7919 % 5000);
		add_path(p, name, 0, 1);
	}
	t = tree(p, CH_METRIC_SAMPLES);
	assert_int_equal(t->n, 5001);
	for (size_t i = 2; i < t->n; i++)
		assert_true(strcmp(ch_tree_name(t, p, i - 1), ch_tree_name(t, p, i)) < 0);
	ch_tree_free(t);
	ch_profile_free(p);
}

static void one_name_of_two_kinds_stays_two_nodes(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	uint16_t event = ch_profile_event(p, "samples", "count");
	uint32_t kernel = ch_profile_push(p, 0, frame(p, "read", CH_KIND_KERNEL));
	uint32_t native = ch_profile_push(p, 0, frame(p, "read", CH_KIND_NATIVE));
	struct ch_tree *t;

	(void)state;
	ch_profile_add(p, &(struct ch_sample){ .event = event, .stack = kernel, .samples = 1 });
	ch_profile_add(p, &(struct ch_sample){ .event = event, .stack = native, .samples = 2 });
	t = tree(p, CH_METRIC_SAMPLES);
	assert_shape(t, p, "all:0/3(read:2/2 read:1/1)");
	ch_tree_free(t);
	ch_profile_free(p);
}

static void stacks_without_weight_are_left_out(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t;

	(void)state;
	push_path(p, "never;seen");
	add_path(p, "main;zero", 0, 0);
	add_path(p, "main;one", 0, 1);
	t = tree(p, CH_METRIC_SAMPLES);
	assert_shape(t, p, "all:0/1(main:0/1(one:1/1))");
	assert_int_equal(t->pruned, 0);
	ch_tree_free(t);
	t = tree(p, CH_METRIC_ROWS);
	assert_shape(t, p, "all:0/2(main:0/2(one:1/1 zero:1/1))");
	ch_tree_free(t);
	ch_profile_free(p);
}

static void narrow_nodes_are_pruned_and_counted(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t = NULL;

	(void)state;
	add_path(p, "main;wide", 0, 97);
	add_path(p, "main;narrow;deep", 0, 1);
	add_path(p, "main;other", 0, 2);
	assert_int_equal(ch_tree_new_pruned(p, CH_METRIC_SAMPLES, 0.02, &t, NULL), 0);
	assert_shape(t, p, "all:0/100(main:0/100(other:2/2 wide:97/97))");
	assert_int_equal(t->pruned, 2);
	ch_tree_free(t);
	ch_profile_free(p);
}

static void a_difference_has_both_sides(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	uint32_t before = label_set(p, "side", "before"), after = label_set(p, "side", "after");
	struct ch_tree *t;

	(void)state;
	add_path(p, "main;gone", before, 3);
	add_path(p, "main;both", before, 5);
	add_path(p, "main;both", after, 7);
	add_path(p, "main;new", after, 11);
	t = tree(p, CH_METRIC_SAMPLES);
	assert_shape(t, p, "all:0/18(main:0/18(both:7/7 gone:0/0 new:11/11))");
	assert_non_null(t->total_before);
	assert_int_equal(t->total_before[0], 8);
	assert_int_equal(t->self_before[2], 5);
	assert_int_equal(t->self_before[3], 3);
	assert_int_equal(t->self_before[4], 0);
	ch_tree_free(t);
	ch_profile_free(p);
}

static void frames_called_side_and_before_make_no_difference(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t;

	(void)state;
	add_path(p, "side;before", 0, 1);
	t = tree(p, CH_METRIC_SAMPLES);
	assert_null(t->total_before);
	ch_tree_free(t);
	ch_profile_free(p);
}

static void depth_is_no_limit(void **state)
{
	enum { DEEP = 200000 };
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	uint16_t event = ch_profile_event(p, "samples", "count");
	uint32_t f = frame(p, "again", CH_KIND_OTHER), at = 0;
	struct ch_tree *t;

	(void)state;
	for (int i = 0; i < DEEP; i++)
		at = ch_profile_push(p, at, f);
	ch_profile_add(p, &(struct ch_sample){ .event = event, .stack = at, .samples = 1 });
	t = tree(p, CH_METRIC_SAMPLES);
	assert_int_equal(t->n, DEEP + 1);
	assert_int_equal(t->max_depth, DEEP);
	assert_int_equal(t->total[0], 1);
	ch_tree_free(t);
	ch_profile_free(p);
}

static void events_of_other_scales_are_brought_together(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	uint16_t whole = ch_profile_event(p, "jdk.JavaMonitorEnter", "ns");
	uint16_t fine = ch_profile_event(p, "jdk.ThreadPark", "ns");
	struct ch_tree *t;

	(void)state;
	ch_profile_add(p, &(struct ch_sample){ .event = whole, .samples = 2, .value = 7 });
	ch_profile_add(p, &(struct ch_sample){ .event = fine, .samples = 1, .value = 1 });
	ch_profile_rescale(p, fine, 1000);
	t = tree(p, CH_METRIC_VALUE);
	assert_int_equal(t->scale, 1000);
	assert_int_equal(t->total[0], 8000);
	assert_string_equal(t->unit, "ns");
	ch_tree_free(t);
	ch_profile_free(p);
}

static void hostile_weights_stay_in_range(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_tree *t;

	(void)state;
	add_path(p, "a", 0, INT64_MAX / 10);
	add_path(p, "b;c", 0, -5);
	add_path(p, "b", 0, 5);
	ch_profile_add(p, &(struct ch_sample){ .stack = push_path(p, "d"), .samples = INT64_MAX });
	ch_profile_add(p, &(struct ch_sample){ .stack = push_path(p, "e"), .samples = INT64_MAX });
	t = tree(p, CH_METRIC_SAMPLES);
	assert_int_equal(t->total[0], INT64_MAX);
	assert_int_equal(t->n, 6); /* b weighs nothing in sum, but c below it does not */
	ch_tree_free(t);
	ch_profile_free(p);
}

/* Paths of a few names that fork, end and go on anywhere; more than one may end at a node. */
static void add_random_paths(struct ch_profile *p)
{
	uint64_t seed = 7;

	for (int i = 0; i < 2000; i++) {
		uint32_t node = 0;

		for (int depth = 0; depth < 40; depth++) {
			char name[2] = { 0 };

			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			if (seed >> 60 == 0)
				break;
			name[0] = (char)('a' + (seed >> 33) % (depth % 5 ? 2 : 3));
			node = ch_profile_push(p, node, frame(p, name, CH_KIND_OTHER));
		}
		ch_profile_add(p, &(struct ch_sample){ .event = 0, .stack = node, .samples = i });
	}
}

static void segments_have_the_stacks_of_the_tree_in_its_order(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_segments s;
	struct ch_tree *t;
	size_t at = 0;

	(void)state;
	ch_profile_event(p, "x", "count");
	add_random_paths(p);
	t = tree(p, CH_METRIC_SAMPLES);
	assert_int_equal(ch_segments_init(&s, p, CH_METRIC_SAMPLES), 0);
	assert_true(s.n < t->n);
	for (size_t i = 0; i < s.n; i++) {
		for (uint32_t node = s.items[i].first + 1; node <= s.items[i].last; node++)
			assert_int_equal(p->trie.parent[node], node - 1);
		if (!s.items[i].self)
			continue;
		while (!t->self[at])
			at++;
		assert_int_equal(s.items[i].last, t->source[at]);
		assert_int_equal(s.items[i].self, t->self[at]);
		at++;
	}
	while (at < t->n)
		assert_int_equal(t->self[at++], 0);
	ch_segments_done(&s);
	ch_tree_free(t);
	ch_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_come_in_preorder_with_sorted_siblings),
		cmocka_unit_test(names_sort_by_bytes_however_long),
		cmocka_unit_test(many_siblings_are_sorted_too),
		cmocka_unit_test(one_name_of_two_kinds_stays_two_nodes),
		cmocka_unit_test(stacks_without_weight_are_left_out),
		cmocka_unit_test(narrow_nodes_are_pruned_and_counted),
		cmocka_unit_test(a_difference_has_both_sides),
		cmocka_unit_test(frames_called_side_and_before_make_no_difference),
		cmocka_unit_test(depth_is_no_limit),
		cmocka_unit_test(events_of_other_scales_are_brought_together),
		cmocka_unit_test(hostile_weights_stay_in_range),
		cmocka_unit_test(segments_have_the_stacks_of_the_tree_in_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
