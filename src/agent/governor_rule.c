#include "agent/governor.h"

#define SLOWER_AFTER 3  /* seconds over the limit */
#define FASTER_AFTER 10 /* seconds below a quarter of it: twice as much will still be below */
#define STRETCH_MAX  64
#define IDLE_NS      20000000u /* a process that does less in a second tells nothing about shares */
#define SAMPLE_NS    12000     /* beside its signal: the handler, and caches that it disturbs */
#define HEADROOM     0.8       /* of what is allowed: a few milliseconds measure no cost exactly */

unsigned ch_governor_decide(struct ch_governor *g, uint64_t own_ns, uint64_t process_ns,
                            double max_percent)
{
	double own = 100.0 * (double)own_ns, allowed = max_percent * (double)process_ns;

	if (process_ns < IDLE_NS) {
		g->over = 0;
		return g->stretch;
	}
	g->over = own > allowed ? g->over + 1 : 0;
	g->under = own < allowed / 4 ? g->under + 1 : 0;
	if (g->over >= SLOWER_AFTER && g->stretch < STRETCH_MAX) {
		g->stretch *= 2;
		g->over = 0;
	} else if (g->under >= FASTER_AFTER && g->stretch > 1) {
		g->stretch /= 2;
		g->under = 0;
	}
	return g->stretch;
}

unsigned ch_governor_begin(uint64_t signal_ns, uint64_t interval_ns, double max_percent)
{
	double each = 100.0 * (double)(signal_ns + SAMPLE_NS);
	double allowed = HEADROOM * max_percent * (double)interval_ns;
	unsigned stretch = 1;

	while (stretch < STRETCH_MAX && each > allowed * stretch)
		stretch++;
	return stretch;
}
