/*
 * Spans of threads: what a thread was busy with from when to when, each with a set of labels, and
 * labels of everything. Filled from the whole input first, then asked per sample. Reading from
 * several threads is fine once ch_spans_ready was called.
 */
#ifndef CH_FORMATS_SPANS_H
#define CH_FORMATS_SPANS_H

#include "base/strtab.h"
#include "jfr/idmap.h"

#include <stdbool.h>

struct ch_spans_item {
	uint64_t thread;
	int64_t start, end; /* INT64_MAX: until the next one of the thread */
	uint32_t set;
	uint32_t order; /* in which it was added */
};

/* From its start to the next one's of the same thread this set holds; 0 is none. */
struct ch_spans_piece {
	int64_t start;
	uint32_t set;
};

struct ch_spans {
	struct ch_strtab sets; /* "key\0value\0…" */
	uint32_t everywhere;   /* set that all samples have, 0 none */
	struct ch_spans_item *items;
	size_t n, cap;
	struct ch_spans_piece *pieces; /* thread by thread, in order of time */
	size_t n_pieces, pieces_cap;
	struct ch_jfr_idmap by_thread; /* number of pieces << 32 | (the first one's place + 1) */
};

void ch_spans_init(struct ch_spans *s);
void ch_spans_done(struct ch_spans *s);
/* The id of a set given as "key\0value\0…". */
uint32_t ch_spans_set(struct ch_spans *s, const char *pairs, size_t n);
/* 0 or -ENOMEM. */
int ch_spans_add(struct ch_spans *s, uint64_t thread, int64_t start, int64_t end, uint32_t set);
/* Makes pieces of the spans; where they overlap the one that began last holds. 0 or -ENOMEM. */
int ch_spans_ready(struct ch_spans *s);
/* The set that holds for a thread at a time, 0 none. */
uint32_t ch_spans_at(const struct ch_spans *s, uint64_t thread, int64_t time);

#endif
