/* What rows weigh in a metric, and on which side of a difference they are. */
#ifndef CH_PROFILE_WEIGH_H
#define CH_PROFILE_WEIGH_H

#include "profile/tree.h"

struct ch_weigh {
	const struct ch_profile *p;
	enum ch_metric metric;
	int64_t scale;      /* rows of several events can meet: the widest scale of them */
	uint8_t *is_before; /* per label set: has side=before; NULL unless this is a difference */
};

/* 0 or -ENOMEM. p is borrowed. */
int ch_weigh_init(struct ch_weigh *w, const struct ch_profile *p, enum ch_metric metric);
void ch_weigh_done(struct ch_weigh *w);
/* Adds a row to after[at], or to before[at] when it is of that side; before may be NULL. */
void ch_weigh_add(const struct ch_weigh *w, size_t row, int64_t *after, int64_t *before, size_t at);

#endif
