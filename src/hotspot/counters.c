#include "hotspot/counters.h"

#include <errno.h>
#include <stdio.h>

#include "sys/peek.h"

/* The VM adds a few bytes to capacities so that none is 0; all are whole pages. */
#define CAPACITY_MASK (~INT64_C(4095))

/* Which spaces make up a pool: generation and first space, last space. */
struct layout {
	const char *name;
	int generation, first, last;
	bool rest;
};

/* A family of collectors, told by a text among the counters. */
static const struct family {
	const char *counter, *text;
	struct layout pools[3];
} families[] = {
	{ "sun.gc.policy.name",
	  "GarbageFirst",
	  { { "G1 Eden Space", 0, 0, 0, false },
	    { "G1 Survivor Space", 0, 1, 2, false },
	    { "G1 Old Gen", 1, 0, 0, false } } },
	{ "sun.gc.policy.name",
	  "ParScav:MSC",
	  { { "PS Eden Space", 0, 0, 0, true },
	    { "PS Survivor Space", 0, 1, 2, false },
	    { "PS Old Gen", 1, 0, 0, false } } },
	{ "sun.gc.policy.name",
	  "Copy:MSC",
	  { { "Eden Space", 0, 0, 0, true },
	    { "Survivor Space", 0, 1, 2, false },
	    { "Tenured Gen", 1, 0, 0, false } } },
	{ "sun.gc.policy.name",
	  "ParNew:CMS",
	  { { "Par Eden Space", 0, 0, 0, true },
	    { "Par Survivor Space", 0, 1, 2, false },
	    { "CMS Old Gen", 1, 0, 0, false } } },
	/* ZGC with two generations, ZGC with one, and Shenandoah name no policy. */
	{ "sun.gc.generation.0.space.0.name",
	  "space",
	  { { "ZGC Young Generation", 0, 0, 0, true }, { "ZGC Old Generation", 1, 0, 0, false } } },
	{ "sun.gc.generation.1.space.0.name", "space", { { "ZHeap", 1, 0, 0, true } } },
	{ "sun.gc.generation.1.space.0.name", "Heap", { { "Shenandoah", 1, 0, 0, true } } },
};

/* The VM's own names changed over the releases, those of JMX did not. */
static const struct {
	const char *counter, *jmx;
} collectors[] = {
	{ "G1 young collection pauses", "G1 Young Generation" },
	{ "G1 incremental collections", "G1 Young Generation" },
	{ "G1 full collection pauses", "G1 Old Generation" },
	{ "G1 stop-the-world full collections", "G1 Old Generation" },
	{ "G1 concurrent cycle pauses", "G1 Concurrent GC" },
	{ "G1 stop-the-world phases", "G1 Concurrent GC" },
	{ "Parallel young collection pauses", "PS Scavenge" },
	{ "PSScavenge", "PS Scavenge" },
	{ "Parallel full collection pauses", "PS MarkSweep" },
	{ "PSParallelCompact", "PS MarkSweep" },
	{ "PSMarkSweep", "PS MarkSweep" },
	{ "Serial young collection pauses", "Copy" },
	{ "Serial full collection pauses", "MarkSweepCompact" },
	{ "MSC", "MarkSweepCompact" },
	{ "Z concurrent cycle pauses", "ZGC Pauses" },
	{ "ZGC minor collection pauses", "ZGC Minor Pauses" },
	{ "ZGC major collection pauses", "ZGC Major Pauses" },
};

static struct ch_counter_space find_space(const struct ch_perfdata *p, const char *prefix)
{
	static const char *const parts[] = { "used", "capacity", "maxCapacity" };
	const int64_t *found[3];
	char name[96];

	for (size_t i = 0; i < CH_LEN(parts); i++) {
		snprintf(name, sizeof(name), "%s.%s", prefix, parts[i]);
		found[i] = ch_perfdata_number(p, name);
	}
	return (struct ch_counter_space){ found[0], found[1], found[2] };
}

static void add_pool(struct ch_counters *c, const struct ch_counter_pool *pool)
{
	if (pool->space[0].used && c->n_pools < CH_COUNTER_POOLS_MAX)
		c->pools[c->n_pools++] = *pool;
}

static void find_heap(const struct ch_perfdata *p, const struct family *f, struct ch_counters *ret)
{
	char prefix[64];

	for (size_t i = 0; i < CH_LEN(f->pools) && f->pools[i].name; i++) {
		const struct layout *l = &f->pools[i];
		struct ch_counter_pool pool = { .name = l->name, .heap = true, .rest = l->rest };

		for (int s = l->first; s <= l->last; s++) {
			snprintf(prefix, sizeof(prefix), "sun.gc.generation.%d.space.%d",
			         l->generation, s);
			pool.space[s - l->first] = find_space(p, prefix);
		}
		add_pool(ret, &pool);
	}
}

static void find_pools(const struct ch_perfdata *p, struct ch_counters *ret)
{
	static const struct {
		const char *prefix, *name;
	} others[] = { { "sun.gc.metaspace", "Metaspace" },
		       { "sun.gc.compressedclassspace", "Compressed Class Space" } };

	for (size_t i = 0; i < CH_LEN(families); i++)
		if (ch_span_is(ch_perfdata_text(p, families[i].counter), families[i].text)) {
			find_heap(p, &families[i], ret);
			break;
		}
	for (size_t i = 0; i < CH_LEN(others); i++) {
		struct ch_counter_pool pool = { .name = others[i].name };

		pool.space[0] = find_space(p, others[i].prefix);
		if (ch_counter_value(pool.space[0].max)) /* 0: this VM runs without it */
			add_pool(ret, &pool);
	}
}

static void name_collector(struct ch_span own, struct ch_counter_collector *c)
{
	for (size_t i = 0; i < CH_LEN(collectors); i++)
		if (ch_span_is(own, collectors[i].counter))
			own = (struct ch_span){ collectors[i].jmx, strlen(collectors[i].jmx) };
	snprintf(c->name, sizeof(c->name), "%.*s", (int)own.n, own.s);
}

static void find_collectors(const struct ch_perfdata *p, struct ch_counters *ret)
{
	char name[64];

	for (int i = 0; i < CH_COUNTER_COLLECTORS_MAX; i++) {
		struct ch_counter_collector *c = &ret->collectors[ret->n_collectors];

		snprintf(name, sizeof(name), "sun.gc.collector.%d.invocations", i);
		c->collections = ch_perfdata_number(p, name);
		snprintf(name, sizeof(name), "sun.gc.collector.%d.time", i);
		c->ticks = ch_perfdata_number(p, name);
		if (!c->collections || !c->ticks)
			continue;
		snprintf(name, sizeof(name), "sun.gc.collector.%d.name", i);
		name_collector(ch_perfdata_text(p, name), c);
		ret->n_collectors++;
	}
}

void ch_counters_find(const struct ch_perfdata *p, struct ch_counters *ret)
{
	const int64_t *frequency = ch_perfdata_number(p, "sun.os.hrt.frequency");

	*ret = (struct ch_counters){
		/* Said late at the start of a VM; on Linux ticks are nanoseconds. */
		.ticks_per_s = frequency && *frequency > 0 ? *frequency : 1000000000,
		.threads = ch_perfdata_number(p, "java.threads.live"),
		.daemons = ch_perfdata_number(p, "java.threads.daemon"),
		.threads_started = ch_perfdata_number(p, "java.threads.started"),
		.threads_peak = ch_perfdata_number(p, "java.threads.livePeak"),
		.loaded = ch_perfdata_number(p, "java.cls.loadedClasses"),
		.shared_loaded = ch_perfdata_number(p, "java.cls.sharedLoadedClasses"),
		.unloaded = ch_perfdata_number(p, "java.cls.unloadedClasses"),
		.shared_unloaded = ch_perfdata_number(p, "java.cls.sharedUnloadedClasses"),
	};
	find_pools(p, ret);
	find_collectors(p, ret);
}

int64_t ch_counter_used(const struct ch_counter_pool *p)
{
	return ch_counter_value(p->space[0].used) + ch_counter_value(p->space[1].used);
}

static int64_t larger(int64_t a, int64_t b)
{
	return (a > b ? a : b) & CAPACITY_MASK;
}

int64_t ch_counter_committed(const struct ch_counter_pool *p)
{
	return larger(ch_counter_value(p->space[0].capacity),
	              ch_counter_value(p->space[1].capacity));
}

int64_t ch_counter_max(const struct ch_counter_pool *p)
{
	return larger(ch_counter_value(p->space[0].max), ch_counter_value(p->space[1].max));
}

int64_t ch_counter_time_ns(const struct ch_counters *c, const struct ch_counter_collector *of)
{
	double ticks = (double)ch_counter_value(of->ticks);

	return ch_sat_round(ticks * 1e9 / (double)c->ticks_per_s);
}

int ch_counters_open(const struct ch_vm *vm, struct ch_perfdata *ret)
{
	uint64_t start = vm->perf_start ? ch_peek64(vm->perf_start, 0) : 0;

	return start ? ch_perfdata_own((const void *)(uintptr_t)start, ret) : -ENOENT;
}
