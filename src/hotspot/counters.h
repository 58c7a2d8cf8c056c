/*
 * What HotSpot's performance counters tell about its memory, collectors, threads and classes, under
 * the names that users know from JMX. The places are looked up once; reading them later is a load
 * each. They are valid as long as the memory of the counters.
 */
#ifndef CH_HOTSPOT_COUNTERS_H
#define CH_HOTSPOT_COUNTERS_H

#include "hotspot/perfdata.h"
#include "hotspot/vm.h"

#define CH_COUNTER_POOLS_MAX      8
#define CH_COUNTER_COLLECTORS_MAX 6

/* Counters are alive under us; NULL when the VM has none of that name. */
struct ch_counter_space {
	const volatile int64_t *used, *capacity, *max;
};

/* Survivors are two spaces, one of which is empty. */
struct ch_counter_pool {
	const char *name;
	bool heap;
	/*
	 * The VM updates `used` of this one at collections only, or now and then: it is better told
	 * as what the heap has in use beyond the other pools.
	 */
	bool rest;
	struct ch_counter_space space[2];
};

struct ch_counter_collector {
	char name[64];
	const volatile int64_t *collections, *ticks;
};

struct ch_counters {
	struct ch_counter_pool pools[CH_COUNTER_POOLS_MAX];
	struct ch_counter_collector collectors[CH_COUNTER_COLLECTORS_MAX];
	unsigned n_pools, n_collectors;
	int64_t ticks_per_s;
	const volatile int64_t *threads, *daemons, *threads_started, *threads_peak;
	const volatile int64_t *loaded, *shared_loaded, *unloaded, *shared_unloaded;
};

/* Those of the JVM around us. -ENOENT when it was told to have none; else as ch_perfdata_open. */
int ch_counters_open(const struct ch_vm *vm, struct ch_perfdata *ret);
void ch_counters_find(const struct ch_perfdata *p, struct ch_counters *ret);

static inline int64_t ch_counter_value(const volatile int64_t *c)
{
	return c ? *c : 0;
}

int64_t ch_counter_used(const struct ch_counter_pool *p);
int64_t ch_counter_committed(const struct ch_counter_pool *p);
int64_t ch_counter_max(const struct ch_counter_pool *p);
/* Total time of a collector in ns. */
int64_t ch_counter_time_ns(const struct ch_counters *c, const struct ch_counter_collector *of);

#endif
