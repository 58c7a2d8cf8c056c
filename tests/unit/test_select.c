#include "unit.h"
#include "profile/select.h"

#include <errno.h>

/* A profile with three stacks of two threads and two stages, cpu and alloc. */
struct sample {
	const char *stack[4];
	uint8_t kind;
	const char *thread, *stage, *type;
	int64_t n, time_ns;
};

static const struct sample samples[] = {
	{ { "a/Main.main", "a/Main.work", "a/Sum.add" },
	  CH_KIND_JAVA,
	  "worker-1",
	  "3",
	  "jdk.ExecutionSample",
	  5,
	  1000 },
	{ { "a/Main.main", "a/Main.work", "a/Sum.add" },
	  CH_KIND_INLINED,
	  "worker-2",
	  "3",
	  "jdk.ExecutionSample",
	  2,
	  2000 },
	{ { "a/Main.main", "read" },
	  CH_KIND_NATIVE,
	  "worker-2",
	  NULL,
	  "jdk.ExecutionSample",
	  1,
	  3000 },
	{ { "a/Main.main", "a/B[]" },
	  CH_KIND_ALLOC,
	  "worker-1",
	  "4",
	  "jdk.ObjectAllocationSample",
	  7,
	  4000 },
};

static uint32_t label(struct ch_profile *p, uint32_t set, const char *key, const char *value)
{
	return value ? ch_profile_label(p, set, ch_profile_strz(p, key), ch_profile_strz(p, value))
	             : set;
}

static struct ch_profile *sampled(void)
{
	struct ch_profile *p =
	    ch_profile_new(&(struct ch_want){ .times = true, .all_labels = true });

	for (size_t i = 0; i < CH_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		uint32_t at = 0;

		for (int k = 0; s->stack[k]; k++) {
			bool leaf = !s->stack[k + 1];
			struct ch_frame f = { .name = ch_profile_strz(p, s->stack[k]),
				              .kind = leaf ? s->kind : CH_KIND_JAVA };

			at = ch_profile_push(p, at, ch_profile_frame(p, f));
		}
		ch_profile_add(
		    p, &(struct ch_sample){
		           .event = ch_profile_event(p, s->type, "ns"),
		           .stack = at,
		           .labels = label(p, label(p, 0, "thread", s->thread), "stage", s->stage),
		           .samples = s->n,
		           .value = s->n * 10,
		           .time_ns = s->time_ns });
	}
	return p;
}

/* Stacks of a profile as collapsed text, sorted by their place in the trie. */
static const char *text_of(const struct ch_profile *p)
{
	static char text[2048];
	size_t n = 0;

	text[0] = 0;
	for (size_t node = 1; node < p->trie.n; node++) {
		int64_t sum = 0;
		uint32_t path[16];
		int depth = 0;

		for (size_t i = 0; i < p->rows.n; i++)
			if (p->rows.stack[i] == node)
				sum += p->rows.samples[i];
		if (!sum)
			continue;
		for (uint32_t at = (uint32_t)node; at; at = p->trie.parent[at])
			path[depth++] = p->frames[p->trie.frame[at]].name;
		while (depth--)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
			                      ch_profile_text(p, path[depth]), depth ? ";" : "");
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %d\n", (int)sum);
	}
	return text;
}

static void check(const struct ch_select *how, const char *expected)
{
	struct ch_profile *p = sampled(), *out = NULL;
	struct ch_error err = { 0 };
	int r = ch_select(p, how, &out, &err);

	if (r < 0) {
		assert_string_equal(err.text, expected);
	} else {
		assert_string_equal(text_of(out), expected);
		if (out != p)
			ch_profile_free(out);
	}
	ch_profile_free(p);
}

static regex_t regex(const char *s)
{
	regex_t re;

	assert_int_equal(regcomp(&re, s, REG_EXTENDED | REG_NOSUB), 0);
	return re;
}

static void cpu_comes_first_and_kinds_melt(void **state)
{
	(void)state;
	check(&(struct ch_select){ 0 },
	      "a/Main.main;a/Main.work;a/Sum.add 7\na/Main.main;read 1\n");
	check(&(struct ch_select){ .event = "alloc" }, "a/Main.main;a/B[] 7\n");
	check(&(struct ch_select){ .event = "jdk.ObjectAllocationSample" },
	      "a/Main.main;a/B[] 7\n");
	check(&(struct ch_select){ .event = "wall" },
	      "there are no 'wall' samples; the input has: cpu, alloc");
}

static void merged_frames_take_the_heavier_kind(void **state)
{
	struct ch_profile *p = sampled(), *out;
	struct ch_error err;

	(void)state;
	p->rows.samples[1] = 50;
	assert_int_equal(ch_select(p, &(struct ch_select){ .weigh_kinds = true }, &out, &err), 0);
	for (size_t i = 1; i < out->trie.n; i++) {
		const struct ch_frame *f = &out->frames[out->trie.frame[i]];

		if (!strcmp(ch_profile_text(out, f->name), "a/Sum.add"))
			assert_int_equal(f->kind, CH_KIND_INLINED);
		if (!strcmp(ch_profile_text(out, f->name), "a/Main.work"))
			assert_int_equal(f->kind, CH_KIND_JAVA);
		if (!strcmp(ch_profile_text(out, f->name), "read"))
			assert_int_equal(f->kind, CH_KIND_NATIVE);
	}
	ch_profile_free(out);
	ch_profile_free(p);
}

static void labels_become_roots(void **state)
{
	const char *by[] = { "stage" };

	(void)state;
	check(&(struct ch_select){ .by = by, .n_by = 1 },
	      "stage=3;a/Main.main;a/Main.work;a/Sum.add 7\nstage=-;a/Main.main;read 1\n");
	check(&(struct ch_select){ .threads = true },
	      "worker-1;a/Main.main;a/Main.work;a/Sum.add 5\n"
	      "worker-2;a/Main.main;a/Main.work;a/Sum.add 2\nworker-2;a/Main.main;read 1\n");
}

static void filters_keep_what_they_name(void **state)
{
	regex_t sum = regex("Sum"), second = regex("-2$"), none = regex("nothing");

	(void)state;
	check(&(struct ch_select){ .include = &sum }, "a/Main.main;a/Main.work;a/Sum.add 7\n");
	check(&(struct ch_select){ .exclude = &sum }, "a/Main.main;read 1\n");
	check(&(struct ch_select){ .thread = &second },
	      "a/Main.main;a/Main.work;a/Sum.add 2\na/Main.main;read 1\n");
	check(&(struct ch_select){ .include = &none },
	      "no samples are left: --include matched none");
	check(&(struct ch_select){ .where = &(struct ch_where){ "stage", "-" }, .n_where = 1 },
	      "a/Main.main;read 1\n");
	check(&(struct ch_select){ .where = &(struct ch_where){ "stage", "9" }, .n_where = 1 },
	      "no samples are left: --where matched none");
	regfree(&sum);
	regfree(&second);
	regfree(&none);
}

static void times_are_absolute_or_relative(void **state)
{
	(void)state;
	check(&(struct ch_select){ .from = { CH_WHEN_EPOCH, 2000 } },
	      "a/Main.main;a/Main.work;a/Sum.add 2\na/Main.main;read 1\n");
	check(&(struct ch_select){ .to = { CH_WHEN_AFTER_START, 500 } },
	      "a/Main.main;a/Main.work;a/Sum.add 5\n");
	check(&(struct ch_select){ .from = { CH_WHEN_BEFORE_END, 1000 } }, "a/Main.main;read 1\n");
	check(&(struct ch_select){ .from = { CH_WHEN_EPOCH, 9 }, .to = { CH_WHEN_EPOCH, 9 } },
	      "--from is not before --to");
}

static void names_have_styles(void **state)
{
	(void)state;
	check(&(struct ch_select){ .names = CH_NAMES_DOT },
	      "a.Main.main;a.Main.work;a.Sum.add 7\na.Main.main;read 1\n");
	check(&(struct ch_select){ .names = CH_NAMES_SIMPLE },
	      "Main.main;Main.work;Sum.add 7\nMain.main;read 1\n");
	check(&(struct ch_select){ .annotate = true },
	      "a/Main.main_[j];a/Main.work_[j];a/Sum.add_[j] 5\n"
	      "a/Main.main_[j];a/Main.work_[j];a/Sum.add_[i] 2\na/Main.main_[j];read 1\n");
}

static const char *normalized(const char *name)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 });
	struct ch_frame f = { .name = ch_profile_strz(p, name), .kind = CH_KIND_JAVA };
	struct ch_buf b = CH_BUF(256);
	static char text[256];

	ch_name_format(p, &f, &(struct ch_select){ .normalize = true }, &b);
	snprintf(text, sizeof(text), "%.*s", (int)b.len, b.data);
	ch_buf_done(&b);
	ch_profile_free(p);
	return text;
}

static void made_up_names_lose_their_numbers(void **state)
{
	(void)state;
	assert_string_equal(normalized("Busy$$Lambda$91+0x00007f63/1344199921.run"),
	                    "Busy$$Lambda$.run");
	assert_string_equal(normalized("a/Busy$$Lambda/0x00007f63.run"), "a/Busy$$Lambda.run");
	assert_string_equal(normalized("java/lang/invoke/LambdaForm$MH/0x0000000800c00000.invoke"),
	                    "java/lang/invoke/LambdaForm$MH.invoke");
	assert_string_equal(normalized("jdk/internal/reflect/GeneratedMethodAccessor12.invoke"),
	                    "jdk/internal/reflect/GeneratedMethodAccessor.invoke");
	assert_string_equal(normalized("com/sun/proxy/$Proxy7.call"), "com/sun/proxy/$Proxy.call");
	assert_string_equal(normalized("a/b2/C3$4.m5"), "a/b2/C3$4.m5");
}

static void reversed_stacks_start_at_the_leaf(void **state)
{
	(void)state;
	check(&(struct ch_select){ .reverse = true },
	      "a/Sum.add;a/Main.work;a/Main.main 7\nread;a/Main.main 1\n");
}

static void what_is_final_is_not_copied(void **state)
{
	struct ch_profile *p = ch_profile_new(&(struct ch_want){ 0 }), *out;
	struct ch_frame f = { .name = ch_profile_strz(p, "main") };
	struct ch_error err;

	(void)state;
	ch_profile_add(p,
	               &(struct ch_sample){ .event = ch_profile_event(p, "samples", "count"),
	                                    .stack = ch_profile_push(p, 0, ch_profile_frame(p, f)),
	                                    .samples = 1 });
	assert_int_equal(ch_select(p, &(struct ch_select){ 0 }, &out, &err), 0);
	assert_ptr_equal(out, p);
	ch_profile_free(p);
}

static void notes_come_along(void **state)
{
	struct ch_profile *p = sampled(), *out;
	struct ch_error err;

	(void)state;
	for (int i = 0; i < 70; i++)
		ch_profile_damage(p, "note %d", i);
	assert_int_equal(ch_select(p, &(struct ch_select){ .reverse = true }, &out, &err), 0);
	assert_int_equal(out->n_notes, 64);
	assert_int_equal(out->notes_lost, 6);
	assert_true(out->damaged);
	ch_profile_free(out);
	ch_profile_free(p);
}

static void what_there_is_instead_is_listed(void **state)
{
	struct ch_profile *p = sampled(), *out;
	struct ch_error err;

	(void)state;
	assert_int_equal(ch_select(p, &(struct ch_select){ .event = "x" }, &out, &err), -ENODATA);
	assert_string_equal(err.text, "there are no 'x' samples; the input has: cpu, alloc");
	for (int i = 0; i < 100; i++) {
		char type[32];

		(void)snprintf(type, sizeof(type), "my.Event%d", i);
		ch_profile_unread(p, ch_profile_event(p, type, "count"), 1);
	}
	assert_int_equal(ch_select(p, &(struct ch_select){ .event = "x" }, &out, &err), -ENODATA);
	assert_string_equal(err.text, "there are no 'x' samples; the input has: many others");
	ch_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_comes_first_and_kinds_melt),
		cmocka_unit_test(merged_frames_take_the_heavier_kind),
		cmocka_unit_test(labels_become_roots),
		cmocka_unit_test(filters_keep_what_they_name),
		cmocka_unit_test(times_are_absolute_or_relative),
		cmocka_unit_test(names_have_styles),
		cmocka_unit_test(made_up_names_lose_their_numbers),
		cmocka_unit_test(reversed_stacks_start_at_the_leaf),
		cmocka_unit_test(what_is_final_is_not_copied),
		cmocka_unit_test(notes_come_along),
		cmocka_unit_test(what_there_is_instead_is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
