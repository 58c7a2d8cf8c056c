#include "views.h"
#include "base/cursor.h"
#include "profile/events.h"
#include "render/page.h"

static void keep(void *ctx, const void *data, size_t n)
{
	ch_buf_put(ctx, data, n);
}

/* The body of p's page; the caller calls ch_buf_done. */
static struct ch_buf body_of(const struct ch_page *page)
{
	struct ch_buf body = CH_BUF(1 << 24);

	assert_int_equal(ch_page_body(page, (struct ch_page_sink){ keep, &body }, NULL), 0);
	assert_int_equal(body.err, 0);
	return body;
}

static void assert_varints(struct ch_cursor *c, const unsigned *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ch_cursor_varint(c), want[i]);
}

#define ASSERT_VARINTS(c, ...)                                                                     \
	assert_varints(c, (const unsigned[]){ __VA_ARGS__ },                                       \
	               sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

static void assert_string(struct ch_cursor *c, const char *want)
{
	size_t n = ch_cursor_varint(c);
	const uint8_t *p = ch_cursor_take(c, n);

	assert_non_null(p);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(p, want, n);
}

static void the_body_is_as_documented(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .all_labels = true });
	uint16_t alloc = ch_profile_event(p, "jdk.ObjectAllocationSample", "bytes");
	uint32_t stage = label_set(p, "stage", "3");
	struct ch_page page;
	struct ch_buf body;
	struct ch_cursor c;

	(void)state;
	add_path(p, "main;b", 0, 2);
	add_path(p, "main;a;b", stage, 5);
	add_path(p, "", 0, 1);
	ch_profile_add(p, &(struct ch_sample){ .event = alloc,
	                                       .stack = push_path(p, "main;\x01"
	                                                             "b\x7f"),
	                                       .samples = 3,
	                                       .value = 300 });
	push_path(p, "never;seen");
	assert_int_equal(ch_page_init(&page, p, NULL), 0);
	assert_int_equal(page.buckets, 0);
	body = body_of(&page);
	c = ch_cursor(body.data, body.len);

	ASSERT_VARINTS(&c, 6); /* strings: names by use, then labels */
	assert_string(&c, "b");
	assert_string(&c, "main");
	assert_string(&c, "a");
	assert_string(&c, "b"); /* control characters went */
	assert_string(&c, "stage");
	assert_string(&c, "3");
	ASSERT_VARINTS(&c, 4, 0, 0, 1, 0, 2, 0, 3, 0);       /* frames: string, kind */
	ASSERT_VARINTS(&c, 5, 0, 1, 0, 3, 1, 2, 0, 0, 2, 0); /* nodes: up, frame */
	ASSERT_VARINTS(&c, 1, 4);                            /* label keys */
	ASSERT_VARINTS(&c, 2, 0, 1, 0, 5);                   /* label sets */
	/* alloc was seen first: one row with a value */
	ASSERT_VARINTS(&c, 1, 4, 2, 3, 300);
	/* samples: labels and values; node deltas, sets, samples, values */
	ASSERT_VARINTS(&c, 3, 1 | 4, 0, 4, 1, 0, 1, 0, 1, 5, 2, 10, 50, 20);
	assert_false(c.bad);
	assert_int_equal(ch_cursor_left(&c), 0);
	ch_buf_done(&body);
	ch_page_done(&page);
	ch_profile_free(p);
}

static void add_at(struct ch_profile *p, int64_t ms)
{
	uint16_t event = ch_profile_event(p, "samples", "count");

	ch_profile_add(p, &(struct ch_sample){ .event = event,
	                                       .stack = push_path(p, "main"),
	                                       .samples = 1,
	                                       .value = 1,
	                                       .time_ns = ms * 1000000 });
}

static void samples_of_one_bucket_are_one_row(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ .times = true });
	struct ch_page page;
	struct ch_buf body;
	struct ch_cursor c;

	(void)state;
	add_at(p, 1700000012345);
	add_at(p, 1700000000007);
	add_at(p, 1700000000009);
	assert_int_equal(ch_page_init(&page, p, NULL), 0);
	assert_int_equal(page.bucket_ms, 10);
	assert_int_equal(page.start_ms, 1700000000000);
	assert_int_equal(page.buckets, 1235);
	body = body_of(&page);
	c = ch_cursor(body.data, body.len);
	ASSERT_VARINTS(&c, 1);
	assert_string(&c, "main");
	ASSERT_VARINTS(&c, 1, 0, 0, 1, 0, 0, 0, 1, 0);
	ASSERT_VARINTS(&c, 2, 2, 1, 0, 0, 1234, 2, 1);
	assert_int_equal(ch_cursor_left(&c), 0);
	ch_buf_done(&body);
	ch_page_done(&page);
	ch_profile_free(p);
}

static void axes_stay_within_their_limit(void **state)
{
	static const int64_t spans_ms[] = { 0,        1,          1997,
		                            1998,     1999,       3600000,
		                            86400000, 3155760000, INT64_MAX / 2000000 };

	(void)state;
	for (size_t i = 0; i < CH_LEN(spans_ms); i++) {
		struct ch_profile *p = ch_profile_new(&(struct ch_want){ .times = true });
		struct ch_page page;

		add_at(p, -5);
		add_at(p, spans_ms[i] - 5);
		assert_int_equal(ch_page_init(&page, p, NULL), 0);
		assert_in_range(page.buckets, 1, CH_PAGE_BUCKETS_MAX);
		assert_int_equal(ch_page_bucket(&page, p->rows.time_ns[1]), page.buckets - 1);
		ch_page_done(&page);
		ch_profile_free(p);
	}
}

static void events_of_one_word_are_one_event_but_rivals_are_not(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	uint16_t enter = ch_profile_event(p, "jdk.JavaMonitorEnter", "ns");
	uint16_t better = ch_profile_event(p, "jdk.CPUTimeSample", "ns");
	uint16_t park = ch_profile_event(p, "jdk.ThreadPark", "ns");
	uint16_t worse = ch_profile_event(p, "jdk.ExecutionSample", "ns");
	struct ch_page page;

	(void)state;
	ch_profile_event(p, "jdk.FileRead", "ns"); /* never seen */
	ch_profile_add(p, &(struct ch_sample){ .event = enter, .samples = 1, .value = 10 });
	ch_profile_add(p, &(struct ch_sample){ .event = better, .samples = 2, .value = 2 });
	ch_profile_add(p, &(struct ch_sample){ .event = park, .samples = 4, .value = 40 });
	ch_profile_add(p, &(struct ch_sample){ .event = worse, .samples = 8, .value = -8 });
	ch_profile_rescale(p, park, 100);
	ch_events_settle(p);
	assert_int_equal(ch_page_init(&page, p, NULL), 0);
	assert_int_equal(page.n_events, 3);
	assert_int_equal(page.event_of[enter], page.event_of[park]);
	assert_int_not_equal(page.event_of[better], page.event_of[worse]);
	assert_string_equal(ch_profile_text(p, page.events[page.event_of[better]].word), "cpu");
	assert_string_equal(ch_profile_text(p, page.events[page.event_of[worse]].word),
	                    "jdk.ExecutionSample beside jdk.CPUTimeSample");
	assert_int_equal(page.events[page.event_of[enter]].scale, 100);
	assert_int_equal(page.events[page.event_of[enter]].samples, 500);
	assert_int_equal(page.events[page.event_of[enter]].value, 5000);
	assert_int_equal(page.events[page.event_of[worse]].value, 0);
	assert_true(page.had_negatives);
	ch_page_done(&page);
	ch_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_body_is_as_documented),
		cmocka_unit_test(samples_of_one_bucket_are_one_row),
		cmocka_unit_test(axes_stay_within_their_limit),
		cmocka_unit_test(events_of_one_word_are_one_event_but_rivals_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
