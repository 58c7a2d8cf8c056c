/*
 * The parts of the JFR writer and what they share:
 *
 *	jfr_write.c        chunks and the events in them
 *	jfr_write_types.c  the tables of types, and the type of each event of the profile
 *	jfr_write_pools.c  constants that the events of a chunk refer to
 */
#ifndef CH_FORMATS_JFR_WRITE_H
#define CH_FORMATS_JFR_WRITE_H

#include "jfr/idmap.h"
#include "jfr/writer.h"
#include "profile/profile.h"

/* Where the value of an event's field comes from. */
enum ch_recw_source {
	CH_RECW_TIME,
	CH_RECW_VALUE,
	CH_RECW_THREAD,
	CH_RECW_STACK,
	CH_RECW_STATE,
	CH_RECW_CLASS, /* the leaf, when it is the class of an object or lock */
	CH_RECW_SAMPLES,
	CH_RECW_LABELS,
	CH_RECW_ZERO,  /* not known: an integer or key */
	CH_RECW_FALSE, /* not known: a byte */
	CH_RECW_NULL,  /* not known: a text */
};

#define CH_RECW_FIELDS_MAX 12

/* How samples of one event of the profile are written. */
struct ch_recw_event {
	uint64_t type_id;
	enum ch_recw_source source[CH_RECW_FIELDS_MAX];
	size_t n;
	enum ch_kind
	    class_kind; /* leaves of this kind go to the class field; OTHER: there is none */
	bool has_state;
};

/* All types of a recording: the fixed ones and one per event of the profile. */
struct ch_recw_types {
	struct ch_jfr_type_def *defs;
	size_t n;
	struct ch_recw_event *events; /* as many as the profile has */
	struct ch_arena arena;
};

/* Keys in the order in which they were first met. */
struct ch_recw_keys {
	struct ch_jfr_idmap map;
	uint64_t *list;
	size_t n, cap;
};

/* Constants of a chunk. Failures stick in err. */
struct ch_recw_pools {
	const struct ch_profile *p;
	struct ch_recw_keys stacks, methods, classes, threads, states, sets;
	struct ch_strtab symbols;
	uint32_t thread_key, tid_key, state_key; /* string ids of the labels, 0 when not there */
	int err;
};

/* 0 or -ENOMEM; done in any case. */
int ch_recw_types_init(struct ch_recw_types *t, const struct ch_recw_pools *pools);
void ch_recw_types_done(struct ch_recw_types *t);
/* The id of a fixed type. */
uint64_t ch_recw_type_id(const struct ch_recw_types *t, const char *name);

void ch_recw_pools_init(struct ch_recw_pools *c, const struct ch_profile *p);
void ch_recw_pools_done(struct ch_recw_pools *c);
/* Keys of things of the profile, noted for the chunk's checkpoint. */
uint64_t ch_recw_stack(struct ch_recw_pools *c, uint32_t node);
uint64_t ch_recw_thread(struct ch_recw_pools *c, uint32_t set);
uint64_t ch_recw_state(struct ch_recw_pools *c, uint32_t set);
uint64_t ch_recw_labels(struct ch_recw_pools *c, uint32_t set, bool with_state);
/* True when a set has labels that no field but `labels` holds. */
bool ch_recw_has_labels(const struct ch_recw_pools *c, uint32_t set, bool with_state);
/* 0 when the name cannot be written as a class and read back. */
uint64_t ch_recw_class(struct ch_recw_pools *c, uint32_t frame);
/* The checkpoint with everything noted. */
void ch_recw_pools_put(struct ch_recw_pools *c, const struct ch_recw_types *t, struct ch_buf *b);

#endif
