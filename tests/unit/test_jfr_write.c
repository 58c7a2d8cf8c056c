#include "profiles.h"

static struct ch_profile *written_and_read(const struct ch_profile *p, const struct ch_want *want)
{
	char path[] = "/tmp/charcloth-test-XXXXXX";
	int fd = mkstemp(path);
	struct ch_profile *back = ch_profile_new(want);
	struct ch_error err = { 0 };
	struct ch_out *out;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(ch_out_open(path, &out, &err), 0);
	assert_int_equal(ch_jfr_write(p, out, &err), 0);
	assert_int_equal(ch_out_commit(out, &err), 0);
	if (ch_read_path(path, "jfr", back, &err) < 0)
		fail_msg("%s", err.text);
	unlink(path);
	return back;
}

static void any_profile_comes_back_as_it_was(void **state)
{
	const struct ch_want want = { .all_labels = true, .times = true, .series = true };
	struct ch_profile *p = ch_profile_new(&want), *back;
	uint16_t odd = ch_profile_event(p, "odd name, no type", "µs");
	uint16_t alloc = ch_profile_event(p, "jdk.ObjectAllocationSample", "bytes");
	uint32_t set =
	    ch_profile_label(p, 0, ch_profile_strz(p, "a=b,c\\"), ch_profile_strz(p, "1,2=\\3"));
	uint32_t stack = push(p, 0, "java/lang/Thread.run", CH_KIND_C1, "", 0);

	(void)state;
	ch_profile_rescale(p, odd, 1000);
	set = ch_profile_label(p, set, ch_profile_strz(p, "thread"), ch_profile_strz(p, "main"));
	set = ch_profile_label(p, set, ch_profile_strz(p, "state"), ch_profile_strz(p, "PARKED"));
	for (int kind = 0; kind < CH_KIND_COUNT; kind++)
		stack = push(p, stack, "a.b/c.", (enum ch_kind)kind, "", 0);
	ch_profile_add(p, &(struct ch_sample){ odd, stack, set, 1500, INT64_MAX, 5 });
	ch_profile_add(p, &(struct ch_sample){ odd, 0, 0, 1, 2, 6 });
	ch_profile_add(p,
	               &(struct ch_sample){ alloc, push(p, stack, "byte[][]", CH_KIND_ALLOC, "", 0),
	                                    set, 3, 77, 7 });
	ch_profile_add(p, &(struct ch_sample){ alloc, push(p, 0, "x/Y[]", CH_KIND_ALLOC, "", 0), 0,
	                                       1, 78, 8 });
	ch_profile_point(p, "load", "%", 6, 12.5);
	back = written_and_read(p, &want);

	assert_int_equal(back->rows.n, p->rows.n);
	assert_int_equal(back->n_events, 2);
	assert_int_equal(back->events[0].scale, 1000);
	assert_string_equal(ch_profile_text(back, back->events[0].type), "odd name, no type");
	assert_string_equal(ch_profile_text(back, back->events[0].unit), "µs");
	for (size_t i = 0; i < p->rows.n; i++) {
		uint32_t a = p->rows.stack[i], b = back->rows.stack[i];

		assert_int_equal(back->rows.samples[i], p->rows.samples[i]);
		assert_int_equal(back->rows.value[i], p->rows.value[i]);
		assert_int_equal(back->rows.time_ns[i], p->rows.time_ns[i]);
		assert_string_equal(label_of(back, i, "a=b,c\\"), label_of(p, i, "a=b,c\\"));
		assert_string_equal(label_of(back, i, "thread"), label_of(p, i, "thread"));
		assert_string_equal(label_of(back, i, "state"), label_of(p, i, "state"));
		for (; a && b; a = p->trie.parent[a], b = back->trie.parent[b]) {
			const struct ch_frame *fa = &p->frames[p->trie.frame[a]];
			const struct ch_frame *fb = &back->frames[back->trie.frame[b]];

			assert_string_equal(ch_profile_text(back, fb->name),
			                    ch_profile_text(p, fa->name));
			assert_int_equal(fb->kind, fa->kind);
		}
		assert_int_equal(a, b);
	}
	assert_int_equal(back->n_series, 1);
	assert_true(back->series[0].value[0] == 12.5);
	ch_profile_free(p);
	ch_profile_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_profile_comes_back_as_it_was),
	};

	return cmocka_run_group_tests_name("jfr_write", tests, NULL, NULL);
}
