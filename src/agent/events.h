/* The events that a recording can be asked for: one table of those that are the agent's own. */
#ifndef CH_AGENT_EVENTS_H
#define CH_AGENT_EVENTS_H

#include "base/buf.h"
#include "base/error.h"

/* One word of event=…. */
struct ch_event_word {
	const char *name, *help;
	size_t flag; /* the bool in struct ch_args that it sets */
	/* 0, or negative with the reason why this JVM has no such event; NULL: all have it. */
	int (*probe)(struct ch_error *err);
};

/* The row of a name, NULL when the agent has none: perf may. */
const struct ch_event_word *ch_events_find(const char *name);
/* 0 when `name` is an event of the agent or of perf, as far as its text says; else a sentence. */
int ch_event_check(const char *name, struct ch_error *err);
/* A line for each event: name, help, and why it is missing here if it is. */
void ch_events_list(struct ch_buf *out);

#endif
