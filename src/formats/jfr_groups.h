/*
 * Samples of a chunk that differ in nothing but count and value, added up while they are still
 * keys of pools: one look into a small table per event, instead of several into large ones.
 */
#ifndef CH_FORMATS_JFR_GROUPS_H
#define CH_FORMATS_JFR_GROUPS_H

#include "base/util.h"

#include <stdbool.h>

/* An event without a state; no pool has this key. */
#define CH_REC_NO_STATE UINT32_MAX

struct ch_rec_group {
	uint64_t stack, class_key, thread, labels; /* keys of pools */
	uint32_t state;                            /* key of a pool */
	uint32_t span;                             /* set of the spans */
	uint32_t handler;                          /* place in the chunk's handlers */
	int64_t samples, value;                    /* value as recorded: ticks stay ticks */
};

/* Samples wait here for the lines of the table that were asked for when they came. */
#define CH_REC_WAITING 16

struct ch_rec_groups {
	struct {
		struct ch_rec_group group;
		uint64_t hash;
	} waiting[CH_REC_WAITING];
	size_t come, gone;          /* how many ever came to wait, and went on */
	struct ch_rec_group *items; /* in the order in which they came */
	size_t n, cap;
	uint32_t *slots; /* place in items, plus 1 */
	size_t mask;
};

void ch_rec_groups_done(struct ch_rec_groups *g);
/* Forgets all groups, keeps the memory. */
void ch_rec_groups_clear(struct ch_rec_groups *g);
/*
 * Adds s to its group, sooner or later. False when the table is full or there is no memory, and s
 * was not taken: use what is there, clear it, come again.
 */
bool ch_rec_groups_add(struct ch_rec_groups *g, const struct ch_rec_group *s);
/* Adds those that still wait. False when the table is full before all were added. */
bool ch_rec_groups_settle(struct ch_rec_groups *g);

#endif
