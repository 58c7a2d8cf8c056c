#include "agent/threads.h"
#include "agent/threads_table.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* What a thread has used at most when it first enters the VM. */
#define NEW_THREAD_NS 2000000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t free_hint; /* below it no slot is free */

static void *reserve(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	               -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int ch_threads_init(struct ch_error *err)
{
	struct ch_threads_table *t = &ch_threads_table;

	if (t->slot)
		return 0;
	t->of_tid = reserve(CH_TIDS_MAX * sizeof(*t->of_tid));
	if (t->of_tid)
		t->slot = reserve(CH_THREADS_MAX * sizeof(*t->slot));
	return t->slot ? 0 : ch_fail(err, -ENOMEM, "memory for the table of threads: %m");
}

static struct ch_thread *free_slot(void)
{
	struct ch_threads_table *t = &ch_threads_table;
	uint32_t n = atomic_load(&t->n);

	for (; free_hint < n; free_hint++)
		if (!atomic_load(&t->slot[free_hint].tid))
			return &t->slot[free_hint];
	if (n == CH_THREADS_MAX)
		return NULL;
	atomic_store_explicit(&t->n, n + 1, memory_order_release);
	free_hint = n + 1;
	return &t->slot[n];
}

static void fill(struct ch_thread *t, int tid, uint64_t java, int64_t java_id)
{
	uint32_t generation = atomic_load(&t->generation) + 1;

	/* Field by field what the thread before left; its generation and name_seq go on. */
	t->java_id = java_id;
	atomic_store(&t->name_hash, 0);
	t->name_len = 0;
	atomic_store(&t->name_id, 0);
	atomic_store(&t->wall_name_id, 0);
	t->offset_ns = t->accounted = t->counted_from_ns = 0;
	t->has_timer = t->has_young_timer = false;
	t->young_rearms = 0;
	atomic_store(&t->wall_asked, false);
	atomic_store(&t->wall_cpu_ns, 0);
	t->wall_seen_cpu_ns = t->wall_last_ns = 0;
	t->wall_idle = 0;
	t->ours = false;
	atomic_store(&t->java, java);
	atomic_store(&t->generation, generation);
	atomic_store(&t->tid, tid);
	atomic_store_explicit(&ch_threads_table.of_tid[tid].slot, ch_thread_index(t) + 1,
	                      memory_order_release);
}

struct ch_thread *ch_thread_add(int tid, uint64_t java, int64_t java_id)
{
	struct ch_thread *t;

	if (tid <= 0 || (uint32_t)tid >= CH_TIDS_MAX)
		return NULL;
	pthread_mutex_lock(&lock);
	t = ch_thread_of_tid(tid);
	if (t && java) {
		t->java_id = java_id;
		atomic_store(&t->java, java);
	} else if (!t && (t = free_slot())) {
		fill(t, tid, java, java_id);
	}
	pthread_mutex_unlock(&lock);
	return t;
}

void ch_thread_remove(struct ch_thread *t)
{
	pthread_mutex_lock(&lock);
	atomic_store(&t->java, 0);
	atomic_store(&t->tid, 0);
	if (ch_thread_index(t) < free_hint)
		free_hint = ch_thread_index(t);
	pthread_mutex_unlock(&lock);
}

void ch_thread_left(const struct ch_thread *t, uint64_t cpu_ns)
{
	uint64_t us = cpu_ns / 1000 + 1;

	ch_threads_table.of_tid[atomic_load(&t->tid)].left_us =
	    us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

uint64_t ch_thread_left_ns(const struct ch_thread *t, uint64_t cpu_ns)
{
	uint32_t left_us = ch_threads_table.of_tid[atomic_load(&t->tid)].left_us;

	/* With less than that it is another thread; with so much more than can be told, who knows. */
	if (!left_us || cpu_ns / 1000 + 1 < left_us)
		return 0;
	return left_us == UINT32_MAX ? cpu_ns : (left_us - 1) * UINT64_C(1000);
}

bool ch_thread_is_new(const struct ch_thread *t, uint64_t cpu_ns)
{
	uint32_t left_us = ch_threads_table.of_tid[atomic_load(&t->tid)].left_us;

	/* A thread id that comes again with less CPU time than it left with is another thread. */
	return cpu_ns < NEW_THREAD_NS && (!left_us || cpu_ns / 1000 + 1 < left_us);
}

void ch_thread_tell_name(struct ch_thread *t, const char *name, size_t n)
{
	uint32_t seq = atomic_load(&t->name_seq);

	if (n > CH_THREAD_NAME_MAX)
		n = CH_THREAD_NAME_MAX;
	if (n == t->name_len && !memcmp(t->name, name, n) && seq)
		return;
	/* Who comes while another tells it knows nothing newer. */
	if (seq & 1 || !atomic_compare_exchange_strong(&t->name_seq, &seq, seq + 1))
		return;
	memcpy(t->name, name, n);
	t->name_len = (uint32_t)n;
	atomic_store(&t->name_seq, seq + 2);
}
