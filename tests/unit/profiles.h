/* Reading and writing profiles in memory, and a small profile to send round. */
#ifndef CH_TESTS_PROFILES_H
#define CH_TESTS_PROFILES_H

#include "unit.h"
#include "base/buf.h"
#include "formats/inputs.h"
#include "formats/writers.h"

#include <unistd.h>

static const struct ch_want want_all = {
	.lines = true,
	.all_labels = true,
	.series = true,
};

/* Reads text[0..n) by the reader's name, or by content when format is NULL; NULL when it failed. */
static inline struct ch_profile *read_bytes(const char *format, const void *data, size_t n,
                                            const struct ch_want *want, struct ch_error *err)
{
	char name[] = "/tmp/charcloth-test-XXXXXX";
	int fd = mkstemp(name);
	struct ch_profile *p = ch_profile_new(want);

	assert_true(fd >= 0 && p && write(fd, data, n) == (ssize_t)n);
	close(fd);
	if (ch_read_path(name, format, p, err) < 0) {
		ch_profile_free(p);
		p = NULL;
	}
	unlink(name);
	return p;
}

static inline struct ch_profile *read_text(const char *format, const char *text)
{
	struct ch_error err = { 0 };
	struct ch_profile *p = read_bytes(format, text, strlen(text), &want_all, &err);

	if (!p)
		fail_msg("%s", err.text);
	return p;
}

/* A file of tests/data, with samples and value of its event of this type. */
static inline void check_file(const char *name, const char *type, int64_t samples, int64_t value)
{
	struct ch_profile *p = ch_profile_new(&want_all);
	struct ch_error err = { 0 };
	char path[1000];

	(void)snprintf(path, sizeof(path), DATA_DIR "/%s", name);
	if (ch_read_path(path, NULL, p, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < p->n_events; i++) {
		if (strcmp(ch_profile_text(p, p->events[i].type), type))
			continue;
		assert_int_equal(p->events[i].samples, samples);
		assert_int_equal(p->events[i].value, value);
		ch_profile_free(p);
		return;
	}
	fail_msg("'%s' has no event '%s'", name, type);
}

/* The output of a writer as a buffer the caller frees. */
#define WRITTEN(ret, call)                                                                         \
	do {                                                                                       \
		char name_[] = "/tmp/charcloth-test-XXXXXX";                                       \
		struct ch_out *out = NULL;                                                         \
		struct ch_error err = { 0 };                                                       \
		FILE *f_;                                                                          \
		close(mkstemp(name_));                                                             \
		assert_int_equal(ch_out_open(name_, &out, &err), 0);                               \
		if ((call) < 0 || ch_out_commit(out, &err) < 0)                                    \
			fail_msg("%s", err.text);                                                  \
		f_ = fopen(name_, "rb");                                                           \
		(ret) = CH_BUF(1 << 26);                                                           \
		for (int c_; (c_ = getc(f_)) != EOF;)                                              \
			ch_buf_putc(&(ret), (char)c_);                                             \
		fclose(f_);                                                                        \
		unlink(name_);                                                                     \
	} while (0)

static inline uint32_t push(struct ch_profile *p, uint32_t parent, const char *name,
                            enum ch_kind kind, const char *file, uint32_t line)
{
	return ch_profile_push(p, parent,
	                       ch_profile_frame(p, (struct ch_frame){ ch_profile_strz(p, name),
	                                                              ch_profile_strz(p, file),
	                                                              line, (uint8_t)kind }));
}

static inline uint32_t label(struct ch_profile *p, uint32_t set, const char *key, const char *value)
{
	return ch_profile_label(p, set, ch_profile_strz(p, key), ch_profile_strz(p, value));
}

/* `a;b;c` of a row; static, overwritten by the next call. */
static inline const char *stack_text(const struct ch_profile *p, uint32_t stack)
{
	static char text[4096];
	uint32_t path[256];
	size_t n = 0, len = 0;

	for (; stack; stack = p->trie.parent[stack])
		path[n++] = stack;
	text[0] = 0;
	while (n--)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len ? ";" : "",
		                        ch_profile_text(p, p->frames[p->trie.frame[path[n]]].name));
	return text;
}

static inline const struct ch_frame *leaf(const struct ch_profile *p, size_t row)
{
	return &p->frames[p->trie.frame[p->rows.stack[row]]];
}

/* The value of a row's label, "" when it has none. */
static inline const char *label_of(const struct ch_profile *p, size_t row, const char *key)
{
	uint32_t k = ch_strtab_find(&p->strings, key, strlen(key));

	return ch_profile_text(p, ch_profile_label_of(p, p->rows.labels[row], k));
}

/* The number of the event of a type; fails the test when there is none. */
static inline const struct ch_event *event_of(const struct ch_profile *p, const char *type)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (!strcmp(ch_profile_text(p, p->events[i].type), type))
			return &p->events[i];
	fail_msg("there is no event '%s'", type);
	return NULL;
}

#endif
