/* Profiles written as text, and outputs read back as text. */
#ifndef CH_TESTS_VIEWS_H
#define CH_TESTS_VIEWS_H

#include "unit.h"
#include "render/view.h"

#include <stdlib.h>
#include <unistd.h>

/* The stack written as `a;b;c`. */
static inline uint32_t push_path(struct ch_profile *p, const char *path)
{
	uint32_t at = 0;

	while (*path) {
		size_t n = strcspn(path, ";");
		uint32_t name = ch_profile_str(p, path, n);

		at = ch_profile_push(p, at, ch_profile_frame(p, (struct ch_frame){ .name = name }));
		path += n + (path[n] == ';');
	}
	return at;
}

/* Adds n samples of 10 units each to event `samples`. */
static inline void add_path(struct ch_profile *p, const char *path, uint32_t labels, int64_t n)
{
	uint16_t event = ch_profile_event(p, "samples", "count");

	ch_profile_add(p, &(struct ch_sample){ .event = event,
	                                       .stack = push_path(p, path),
	                                       .labels = labels,
	                                       .samples = n,
	                                       .value = n * 10,
	                                       .time_ns = CH_NO_TIME });
}

static inline uint32_t label_set(struct ch_profile *p, const char *key, const char *value)
{
	return ch_profile_label(p, 0, ch_profile_strz(p, key), ch_profile_strz(p, value));
}

typedef int write_fn(const struct ch_view *v, struct ch_out *out, struct ch_error *err);

/* What a writer makes of a view; the caller frees it. */
static inline char *written(write_fn *write, const struct ch_view *v)
{
	char path[] = "/tmp/charcloth-test-XXXXXX";
	int fd = mkstemp(path);
	struct ch_out *out = NULL;
	struct ch_error err = { 0 };
	char *text = NULL;
	size_t len = 0, cap = 0;
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(ch_out_open(path, &out, &err), 0);
	assert_int_equal(write(v, out, &err), 0);
	assert_int_equal(ch_out_commit(out, &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	do {
		cap = cap ? cap * 2 : 65536;
		text = realloc(text, cap);
		assert_non_null(text);
		len += fread(text + len, 1, cap - 1 - len, f);
	} while (len == cap - 1);
	(void)fclose(f);
	unlink(path);
	text[len] = 0;
	assert_int_equal(strlen(text), len); /* no output of ours holds a NUL */
	return text;
}

#endif
