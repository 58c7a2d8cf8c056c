/* Event words: the short names users type, and the recorded types behind them. */
#ifndef CH_PROFILE_EVENTS_H
#define CH_PROFILE_EVENTS_H

#include "profile/profile.h"

#include <stdio.h>

/* The word of a type, or the type itself when it has none. */
const char *ch_event_word(const char *type);
/* Prints the words, each followed by a space, in the order in which a default is looked for. */
void ch_event_words(FILE *f);

/*
 * Which events a request names: fills chosen[0..p->n_events) and returns how many rows' worth of
 * events were chosen, or a negative errno with a sentence that lists what there is. `request` NULL
 * takes the first of cpu, wall, alloc, lock … that has samples. Where a word stands for rival
 * measurements of the same thing (CPU time samples beside execution samples), the better one wins.
 */
int ch_events_choose(const struct ch_profile *p, const char *request, bool *chosen,
                     struct ch_error *err);

#endif
