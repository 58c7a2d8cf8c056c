/*
 * The chunks of a recording and the events in them. A chunk stands alone: its types and constants
 * mean nothing in another one.
 */
#ifndef CH_JFR_CHUNK_H
#define CH_JFR_CHUNK_H

#include "jfr/varint.h"

#define CH_JFR_HEADER_SIZE 68
#define CH_JFR_MAGIC       "FLR"

/* Types every chunk has without saying so. */
#define CH_JFR_TYPE_METADATA   0
#define CH_JFR_TYPE_CHECKPOINT 1

struct ch_jfr_header {
	uint64_t size;               /* of the chunk with its header; 0 while it is written */
	uint64_t pools_at, types_at; /* last checkpoint and metadata, from the chunk's start */
	int64_t start_ns, duration_ns;
	int64_t start_ticks, ticks_per_s;
	uint8_t state; /* 0 finished; else a flush was under way, or one may follow */
	bool compressed;
};

struct ch_jfr_chunk {
	const uint8_t *data;
	size_t at;   /* of data in the file */
	size_t size; /* bytes that are there and belong to the chunk */
	struct ch_jfr_header head;
	bool finished; /* the writer said so, and all of it is there */
};

/*
 * The first chunk in file[at..size): true and where it is, or false when there is none. A gap
 * between `at` and ret->at is bytes that belong to no chunk. The length of an unfinished chunk is
 * found by walking its events.
 */
bool ch_jfr_chunk_next(const uint8_t *file, size_t size, size_t at, struct ch_jfr_chunk *ret);

/* Epoch time of a tick. */
int64_t ch_jfr_ns_at(const struct ch_jfr_header *h, int64_t ticks);
/* Length of a span of ticks. */
int64_t ch_jfr_ns_of(const struct ch_jfr_header *h, int64_t ticks);

/* The chunk's events, behind its header. */
static inline struct ch_cursor ch_jfr_events(const struct ch_jfr_chunk *c)
{
	return ch_cursor(c->data + CH_JFR_HEADER_SIZE, c->size - CH_JFR_HEADER_SIZE);
}

/*
 * The next event: its type and a window on its body. False at the end and at the first event that
 * cannot be; the latter leaves the cursor in front of it and c->bad set.
 */
static inline bool ch_jfr_event_next(struct ch_cursor *c, uint64_t *ret_type,
                                     struct ch_cursor *ret_body)
{
	const uint8_t *start = c->p;
	uint64_t size;

	if (start == c->end)
		return false;
	size = ch_jfr_varint(c);
	*ret_type = ch_jfr_varint(c);
	if (CH_UNLIKELY(c->bad || size < (uint64_t)(c->p - start) ||
	                size > (uint64_t)(c->end - start))) {
		c->bad = true;
		c->p = start;
		return false;
	}
	*ret_body = (struct ch_cursor){ c->p, start + size, false };
	c->p = start + size;
	return true;
}

#endif
