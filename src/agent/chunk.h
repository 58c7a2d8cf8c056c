/*
 * The file of a recording: chunks that are complete at every moment. Events gather in memory; a
 * flush appends them with the constants that are new, then writes the header anew. Between two
 * flushes the file is a finished recording; a process that is killed loses what was not flushed.
 */
#ifndef CH_AGENT_CHUNK_H
#define CH_AGENT_CHUNK_H

#include "agent/types.h"
#include "base/error.h"

struct ch_pool {
	struct ch_buf bytes; /* keys and values not written yet */
	uint64_t n;
};

struct ch_chunk {
	int fd;
	char path[4096];
	uint64_t chunk_at, size; /* where the chunk starts in the file, and its length so far */
	uint64_t last_pools;     /* where in the chunk the last checkpoint starts, 0 none */
	uint64_t types_at;
	int64_t start_ns, start_ticks; /* of the chunk: epoch, ticks */
	struct ch_buf events, tail;
	struct ch_pool pools[CH_T_COUNT];
	uint64_t written; /* bytes in all */
};

/*
 * Ticks: microseconds by CLOCK_MONOTONIC since the first time that was asked for, about when the
 * first recording began. Every event has one; in nanoseconds it would take a byte or two more.
 */
#define CH_TICKS_PER_S 1000000
int64_t ch_ticks(uint64_t monotonic_ns);
/* How long something took. */
uint64_t ch_ticks_span(uint64_t ns);

/* Creates the file (an old one of that name is replaced) with a first, empty chunk. */
int ch_chunk_open(struct ch_chunk *c, const char *path, struct ch_error *err);
/*
 * Writes what has gathered. On failure the file is cut back to what was whole. -EIO once a chunk
 * could not be begun.
 */
int ch_chunk_flush(struct ch_chunk *c, struct ch_error *err);
/* Flushes and begins the next chunk of the same file. After a failure it can only be closed. */
int ch_chunk_next(struct ch_chunk *c, struct ch_error *err);
/* Throws away what the chunk holds and what has gathered: it begins anew. Failure: as above. */
int ch_chunk_again(struct ch_chunk *c, struct ch_error *err);
/* Flushes, closes and frees. */
int ch_chunk_close(struct ch_chunk *c, struct ch_error *err);

/* Begins an event with its start time; ended by ch_jfr_event_end on c->events. */
size_t ch_chunk_event(struct ch_chunk *c, enum ch_type type, int64_t ticks);
void ch_chunk_text(struct ch_chunk *c, const char *text); /* NULL: null */
void ch_chunk_float(struct ch_chunk *c, float v);

#endif
