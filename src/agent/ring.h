/*
 * Rings of bytes between threads that record and the one that writes. A fixed number of stripes; a
 * writer takes the first stripe that is free, starting at its processor's own, so that nobody ever
 * waits. All but ch_rings_init/_done and the reader's side is signal-safe.
 */
#ifndef CH_AGENT_RING_H
#define CH_AGENT_RING_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>

struct ch_ring {
	char *data;
	size_t cap;            /* a power of two */
	_Atomic uint64_t head; /* written so far, by the owner of the stripe */
	_Atomic uint64_t tail; /* read so far, by the recorder */
};

struct ch_stripe {
	atomic_int taken;
	struct ch_ring samples, defs;
} __attribute__((aligned(128)));

#define CH_STRIPES_MAX 256

struct ch_rings {
	struct ch_stripe *stripe;
	unsigned n;
	char *memory;
	size_t memory_size;
};

int ch_rings_init(struct ch_rings *r, struct ch_error *err);
void ch_rings_done(struct ch_rings *r);
/* How many bytes a sample may take so that there is room for it wherever an empty ring begins. */
size_t ch_rings_record_max(const struct ch_rings *r);
/* The reader's side: all that is in them is taken as read. */
void ch_rings_skip(struct ch_rings *r);
/* The reader's side: empty rings begin at their start again, where memory is warm. */
void ch_rings_rewind(struct ch_rings *r);

/* A stripe of one's own, or NULL when all are taken. */
struct ch_stripe *ch_stripe_take(struct ch_rings *r);
void ch_stripe_release(struct ch_stripe *s);
/* Where the next record most likely goes, to look at only. */
const void *ch_ring_next_place(const struct ch_ring *r);

/* Room for up to `max` bytes in one piece, NULL when the ring is full; then how many were used. */
void *ch_ring_reserve(struct ch_ring *r, size_t max);
void ch_ring_commit(struct ch_ring *r, void *record, size_t used);
/* True when more than half of it waits to be read. */
bool ch_ring_crowded(const struct ch_ring *r);

/* The reader's side: the record at *at, NULL at `upto`; *at moves behind it. */
struct ch_rec;
const struct ch_rec *ch_ring_next(const struct ch_ring *r, uint64_t *at, uint64_t upto);

#endif
