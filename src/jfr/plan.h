/*
 * A plan says how to read values of one type: what to step over and what to keep, flattened from
 * the chunk's types once, so that reading a value is one tight loop.
 */
#ifndef CH_JFR_PLAN_H
#define CH_JFR_PLAN_H

#include "jfr/types.h"

/* Up to this many values can be kept. */
#define CH_JFR_SLOTS 16

/*
 * A field to keep, by name or by path through structs without pools ("heapSpace.committedSize").
 * Integers and pool keys are kept as they are, floats and doubles as their bits widened to double,
 * strings and arrays as the address where they begin. Where a damaged type has two fields of one
 * name the last one is kept, whatever its shape: check addresses before you follow them.
 */
struct ch_jfr_keep {
	const char *path;
	unsigned slot; /* < CH_JFR_SLOTS; several paths may share one */
};

struct ch_jfr_plan {
	struct ch_jfr_step *steps; /* ends with an end step */
	uint32_t kept;             /* bit per slot that the type has a field for */
	uint32_t n_ints;           /* > 0: the value is just this many varints */
	uint32_t n_bytes;          /* > 0: the value is just this many bytes */
	bool empty;                /* the value takes no bytes at all */
};

/*
 * Makes the plan for a type. With `whole` false reading stops behind the last field that is kept.
 * NULL when the type cannot be read: it refers to a type that is not there, contains itself, or
 * has an absurd size; or there is no memory, which also sets t->no_memory. The plan lives in
 * t->arena.
 */
const struct ch_jfr_plan *ch_jfr_plan_new(struct ch_jfr_types *t, const struct ch_jfr_type *type,
                                          const struct ch_jfr_keep *keep, size_t n_keep,
                                          bool whole);

/* Reads one value; slots without a field are left alone. Damage sets c->bad. */
void ch_jfr_plan_run(const struct ch_jfr_plan *plan, struct ch_cursor *c, uint64_t *slots);

/* Steps over n values. */
void ch_jfr_plan_skip(const struct ch_jfr_plan *plan, struct ch_cursor *c, uint64_t n);

static inline double ch_jfr_double(uint64_t slot)
{
	double d;

	memcpy(&d, &slot, sizeof(d));
	return d;
}

#endif
