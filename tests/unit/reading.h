/* For tests of readers: text in, rows out, each row as the stack it stands for. */
#ifndef CH_TESTS_READING_H
#define CH_TESTS_READING_H

#include "unit.h"
#include "formats/inputs.h"

static struct ch_error reading_err;

/* Reads data as `format`. NULL when the reader failed; the sentence is in reading_err then. */
static inline struct ch_profile *read_bytes(const char *format, const void *data, size_t n,
                                            const struct ch_want *want)
{
	static char name[] = "input";
	struct ch_profile *p = ch_profile_new(want);
	/* A copy of the very size, so that ASan sees a read past its end. */
	uint8_t *copy = malloc(n ? n : 1);
	struct ch_input in = { .name = name, .data = copy, .size = n, .map.slot = -1 };
	int r = -1;

	assert_non_null(copy);
	memcpy(copy, data, n);
	reading_err = (struct ch_error){ 0 };
	for (size_t i = 0; i < ch_n_readers; i++)
		if (!strcmp(ch_readers[i].name, format))
			r = ch_readers[i].read(&in, p, &reading_err);
	if (r >= 0)
		r = ch_profile_status(p, &reading_err);
	free(copy);
	if (r < 0) {
		ch_profile_free(p);
		return NULL;
	}
	return p;
}

static inline struct ch_profile *read_text(const char *format, const char *text)
{
	struct ch_profile *p =
	    read_bytes(format, text, strlen(text), &(struct ch_want){ .all_labels = true });

	assert_non_null(p);
	return p;
}

/* The reader that would be chosen by content. */
static inline const char *format_of(const void *data, size_t n)
{
	static char name[] = "input";
	struct ch_input in = { .name = name, .data = data, .size = n, .map.slot = -1 };
	const char *best = "none";
	int sure = 0;

	for (size_t i = 0; i < ch_n_readers; i++) {
		int s = ch_readers[i].probe(&in);

		if (s > sure) {
			sure = s;
			best = ch_readers[i].name;
		}
	}
	return best;
}

static inline void put_stack(const struct ch_profile *p, uint32_t node, char *to, size_t room)
{
	size_t n;

	if (!node)
		return;
	put_stack(p, p->trie.parent[node], to, room);
	n = strlen(to);
	(void)snprintf(to + n, room - n, "%s%s", n ? ";" : "",
	               ch_profile_text(p, p->frames[p->trie.frame[node]].name));
}

/* The row whose stack reads like this; the test fails when there is none. */
static inline size_t row_of(const struct ch_profile *p, const char *stack)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		char text[4096] = "";

		put_stack(p, p->rows.stack[i], text, sizeof(text));
		if (!strcmp(text, stack))
			return i;
	}
	fail_msg("no row has the stack %s", stack);
	return 0;
}

static inline int64_t samples_of(const struct ch_profile *p, const char *stack)
{
	return p->rows.samples[row_of(p, stack)];
}

/* The label of a row, "-" when it has none. */
static inline const char *label_of(struct ch_profile *p, size_t row, const char *key)
{
	uint32_t v = ch_profile_label_of(p, p->rows.labels[row], ch_profile_strz(p, key));

	return v ? ch_profile_text(p, v) : "-";
}

/* The kind of the frame with this name, -1 when there is none. */
static inline int kind_of(const struct ch_profile *p, const char *name)
{
	for (size_t i = 1; i < p->n_frames; i++)
		if (!strcmp(ch_profile_text(p, p->frames[i].name), name))
			return p->frames[i].kind;
	return -1;
}

#endif
