/*
 * A profile made ready for the flame graph page: which events it shows, their time axis, and the
 * binary body. docs/page-format.md is the contract; html.c writes the header around it.
 */
#ifndef CH_RENDER_PAGE_H
#define CH_RENDER_PAGE_H

#include "render/view.h"

#define CH_PAGE_BUCKETS_MAX 2000

/* What the page calls an event: recorded events that belong to one word and can be added. */
struct ch_page_event {
	size_t first;  /* event of the profile that gives the unit */
	uint32_t word; /* string id; the type where another event of the page has the word */
	int64_t scale;
	int64_t samples, value; /* sums, times scale */
	size_t n_rows;
	bool timed;    /* every row has a time */
	bool labelled; /* some row has labels */
	bool valued;   /* some row's value differs from its samples */
};

struct ch_page {
	const struct ch_profile *p;
	struct ch_page_event *events;
	size_t n_events;
	uint16_t *event_of; /* per event of the profile: event of the page */
	int64_t start_ms, bucket_ms;
	uint32_t buckets;   /* 0: there is no time axis */
	bool had_negatives; /* rows below zero were taken as zero */
};

int ch_page_init(struct ch_page *page, const struct ch_profile *p, struct ch_error *err);
void ch_page_done(struct ch_page *page);

/* The page's weight of a row: brought to the event's scale, never negative. */
int64_t ch_page_weight(const struct ch_page *page, size_t row, int64_t weight);
/* The bucket of a time; only when there is a time axis. */
uint32_t ch_page_bucket(const struct ch_page *page, int64_t time_ns);

/* Takes a piece of the body; failures are the sink's to remember. */
struct ch_page_sink {
	void (*put)(void *ctx, const void *data, size_t n);
	void *ctx;
};

/* Hands the whole body to the sink, in pieces. 0 or -ENOMEM with a sentence. */
int ch_page_body(const struct ch_page *page, struct ch_page_sink sink, struct ch_error *err);

/*
 * The row table of one page event. node_of[] gives the page's node of a stack, set_of[] its label
 * set. Pieces are handed on through buf, which is empty afterwards. 0 or -ENOMEM.
 */
int ch_page_rows(const struct ch_page *page, size_t event, const uint32_t *node_of,
                 const uint32_t *set_of, struct ch_buf *buf, struct ch_page_sink sink);

/* Hands a buffer on once it is worth it (or when `all`), and empties it. */
void ch_page_flush(struct ch_buf *buf, struct ch_page_sink sink, bool all);

#endif
