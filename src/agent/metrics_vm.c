#include "agent/metrics.h"

#include <string.h>

#include "agent/agent.h"
#include "agent/sampler.h"
#include "hotspot/counters.h"

static struct {
	struct ch_counters counters;
	/* java.lang.Runtime, which tells the heap as of now; NULL when it cannot be asked. */
	jobject runtime;
	jmethodID total, free, max;
	int64_t max_bytes; /* as last told: some collectors change it while they adapt */
	/* As last written, in the chunk that began then: what stays the same is written once. */
	int64_t chunk_start;
	int64_t pools[CH_COUNTER_POOLS_MAX][3], collectors[CH_COUNTER_COLLECTORS_MAX][2];
} vm;

struct heap {
	int64_t used, committed, max; /* used is -1 when nobody can tell */
	bool asked;                   /* by the VM itself, not summed up from counters */
};

static JNIEnv *env_of_thread(void)
{
	JNIEnv *env;

	return (*ch_agent.vm)->GetEnv(ch_agent.vm, (void **)&env, JNI_VERSION_1_6) == JNI_OK ? env
	                                                                                     : NULL;
}

static void find_counters(void)
{
	struct ch_perfdata p;

	vm.counters = (struct ch_counters){ 0 };
	if (ch_counters_open(&ch_sampler.vm, &p) == 0)
		ch_counters_find(&p, &vm.counters);
}

/* 0 when it throws, which none of these does: -Xcheck:jni wants it to be looked at. */
static int64_t ask(JNIEnv *env, jobject runtime, jmethodID method)
{
	jlong n = (*env)->CallLongMethod(env, runtime, method);

	if (!(*env)->ExceptionCheck(env))
		return n;
	(*env)->ExceptionClear(env);
	return 0;
}

static void find_runtime(JNIEnv *env)
{
	jclass class = (*env)->FindClass(env, "java/lang/Runtime");
	jmethodID get = NULL;
	jobject runtime = NULL;

	if (class) {
		get = (*env)->GetStaticMethodID(env, class, "getRuntime", "()Ljava/lang/Runtime;");
		vm.total = get ? (*env)->GetMethodID(env, class, "totalMemory", "()J") : NULL;
		vm.free = vm.total ? (*env)->GetMethodID(env, class, "freeMemory", "()J") : NULL;
		vm.max = vm.free ? (*env)->GetMethodID(env, class, "maxMemory", "()J") : NULL;
		if (vm.max)
			runtime = (*env)->CallStaticObjectMethod(env, class, get);
	}
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	if (runtime) {
		vm.max_bytes = ask(env, runtime, vm.max);
		vm.runtime = (*env)->NewGlobalRef(env, runtime);
		(*env)->DeleteLocalRef(env, runtime);
	}
	if (class)
		(*env)->DeleteLocalRef(env, class);
}

void ch_metrics_vm_start(void)
{
	JNIEnv *env = env_of_thread();

	find_counters();
	if (env)
		find_runtime(env);
}

void ch_metrics_vm_stop(void)
{
	JNIEnv *env = env_of_thread();

	if (env && vm.runtime)
		(*env)->DeleteGlobalRef(env, vm.runtime);
	vm.runtime = NULL;
}

/* --- the heap -------------------------------------------------------------------------------- */

static struct heap heap_by_counters(void)
{
	struct heap h = { .used = -1, .max = vm.max_bytes };

	for (unsigned i = 0; i < vm.counters.n_pools; i++) {
		const struct ch_counter_pool *p = &vm.counters.pools[i];

		if (!p->heap)
			continue;
		h.used = (h.used < 0 ? 0 : h.used) + ch_counter_used(p);
		h.committed += ch_counter_committed(p);
	}
	return h;
}

static struct heap heap_now(void)
{
	/* Whoever enters the VM during a collection waits for its end: the recorder must not. */
	JNIEnv *env = vm.runtime && !ch_vm_collecting_sig(&ch_sampler.vm) ? env_of_thread() : NULL;
	struct heap h = { .asked = true };

	if (!env)
		return heap_by_counters();
	h.committed = ask(env, vm.runtime, vm.total);
	h.used = h.committed - ask(env, vm.runtime, vm.free);
	h.max = vm.max_bytes = ask(env, vm.runtime, vm.max);
	return h;
}

/* --- events ---------------------------------------------------------------------------------- */

static void put(struct ch_chunk *c, int64_t v)
{
	ch_jfr_put_int(&c->events, (uint64_t)v);
}

static void write_heap(struct ch_chunk *c, int64_t ticks, const struct heap *h)
{
	int64_t collections = 0;
	size_t begun;

	if (h->used < 0)
		return;
	for (unsigned i = 0; i < vm.counters.n_collectors; i++)
		collections += ch_counter_value(vm.counters.collectors[i].collections);
	begun = ch_chunk_event(c, CH_T_HEAP_SUMMARY, ticks);
	put(c, collections & INT32_MAX);
	put(c, CH_WHEN_NOW);
	/* Where the heap lies is not told, only how large it is. */
	put(c, 0);
	put(c, h->committed);
	put(c, h->committed);
	put(c, h->max);
	put(c, h->max);
	put(c, h->used);
	ch_jfr_event_end(&c->events, begun);
}

/* What the heap has in use beyond the other pools. */
static int64_t rest_of(const struct heap *h, const struct ch_counter_pool *of)
{
	int64_t rest = h->used, committed = ch_counter_committed(of);

	for (unsigned i = 0; i < vm.counters.n_pools; i++) {
		const struct ch_counter_pool *p = &vm.counters.pools[i];

		if (p->heap && p != of)
			rest -= ch_counter_used(p);
	}
	return rest < 0 ? 0 : rest > committed ? committed : rest;
}

/* A named row of numbers, unless the chunk has it already. */
static void write_row(struct ch_chunk *c, enum ch_type type, int64_t ticks, const char *name,
                      const int64_t *now, int64_t *last, size_t n)
{
	size_t begun;

	if (vm.chunk_start == c->start_ticks && !memcmp(now, last, n * sizeof(*now)))
		return;
	memcpy(last, now, n * sizeof(*now));
	begun = ch_chunk_event(c, type, ticks);
	ch_chunk_text(c, name);
	for (size_t i = 0; i < n; i++)
		put(c, now[i]);
	ch_jfr_event_end(&c->events, begun);
}

static void write_pools(struct ch_chunk *c, int64_t ticks, const struct heap *h)
{
	for (unsigned i = 0; i < vm.counters.n_pools; i++) {
		const struct ch_counter_pool *p = &vm.counters.pools[i];
		int64_t now[] = { p->rest && h->asked ? rest_of(h, p) : ch_counter_used(p),
			          ch_counter_committed(p), ch_counter_max(p) };

		write_row(c, CH_T_MEMORY_POOL, ticks, p->name, now, vm.pools[i], CH_LEN(now));
	}
}

static void write_collectors(struct ch_chunk *c, int64_t ticks)
{
	for (unsigned i = 0; i < vm.counters.n_collectors; i++) {
		const struct ch_counter_collector *g = &vm.counters.collectors[i];
		int64_t now[] = { ch_counter_value(g->collections),
			          ch_counter_time_ns(&vm.counters, g) };

		write_row(c, CH_T_COLLECTOR, ticks, g->name, now, vm.collectors[i], CH_LEN(now));
	}
}

static void write_threads(struct ch_chunk *c, int64_t ticks)
{
	const struct ch_counters *n = &vm.counters;
	size_t begun = ch_chunk_event(c, CH_T_THREAD_STATS, ticks);

	put(c, ch_counter_value(n->threads));
	put(c, ch_counter_value(n->daemons));
	put(c, ch_counter_value(n->threads_started));
	put(c, ch_counter_value(n->threads_peak));
	ch_jfr_event_end(&c->events, begun);
}

static void write_classes(struct ch_chunk *c, int64_t ticks)
{
	const struct ch_counters *n = &vm.counters;
	size_t begun = ch_chunk_event(c, CH_T_CLASS_STATS, ticks);

	put(c, ch_counter_value(n->loaded) + ch_counter_value(n->shared_loaded));
	put(c, ch_counter_value(n->unloaded) + ch_counter_value(n->shared_unloaded));
	ch_jfr_event_end(&c->events, begun);
}

void ch_metrics_vm_write(struct ch_chunk *c, int64_t ticks)
{
	struct heap h = heap_now();

	write_heap(c, ticks, &h);
	write_pools(c, ticks, &h);
	write_collectors(c, ticks);
	vm.chunk_start = c->start_ticks;
	if (vm.counters.threads)
		write_threads(c, ticks);
	if (vm.counters.loaded)
		write_classes(c, ticks);
}
