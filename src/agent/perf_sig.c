#include "agent/perf.h"

#include <unistd.h>

#include "agent/sampler.h"

static void take(struct ch_thread *t, struct ch_perf_slot *s, int fd, unsigned index,
                 ucontext_t *uc)
{
	struct ch_sample_of what = {
		.event = CH_EV_PERF, .state = CH_STATE_RUNNABLE, .extra = index, .kernel = &s->ring
	};
	uint64_t count;

	if (read(fd, &count, sizeof(count)) != sizeof(count) || count <= s->seen)
		return;
	what.weight = count - s->seen;
	if (ch_sampler_take(t, &what, uc))
		s->seen = count;
}

bool ch_perf_signal(struct ch_thread *t, int fd, ucontext_t *uc)
{
	for (unsigned i = 0; i < CH_LEN(t->perf); i++)
		if (atomic_load(&t->perf[i].fd) == fd + 1) {
			take(t, &t->perf[i], fd, i, uc);
			return true;
		}
	return false;
}
