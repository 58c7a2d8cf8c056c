/* Event words: the short names users type, and the recorded types behind them. */
#ifndef CH_PROFILE_EVENTS_H
#define CH_PROFILE_EVENTS_H

#include "profile/profile.h"

/* The word of a type, or the type itself when it has none. */
const char *ch_event_word(const char *type);
/* The i-th word, in the order in which a default is looked for; NULL behind the last. */
const char *ch_event_word_at(size_t i);
/*
 * The word that is shown when none is asked for: the first of the table that the profile has
 * samples of, read or unread. NULL when it has none.
 */
const char *ch_events_default(const struct ch_profile *p);
/*
 * Samples of all events that share the word of this one, read or not; 0 unless it is the first of
 * them: so that a list of events names each word once.
 */
int64_t ch_events_count(const struct ch_profile *p, size_t event);

/*
 * Takes the word from events that another one of the same profile measures better (execution
 * samples beside CPU time samples), and says so in their type. Done per file, before files are
 * merged: a file that has only the lesser measurement keeps it.
 */
void ch_events_settle(struct ch_profile *p);
/*
 * Which events a request (a word, or else a type) names: fills chosen[0..p->n_events) and returns
 * how many there are, at least 1; or -ENODATA with a sentence that lists what there is. `request`
 * NULL is ch_events_default.
 */
int ch_events_choose(const struct ch_profile *p, const char *request, bool *chosen,
                     struct ch_error *err);

#endif
