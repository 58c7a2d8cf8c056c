#include "agent/threads.h"
#include "agent/threads_table.h"

struct ch_threads_table ch_threads_table;

uint32_t ch_threads_count(void)
{
	return atomic_load_explicit(&ch_threads_table.n, memory_order_acquire);
}

struct ch_thread *ch_thread_at(uint32_t index)
{
	return &ch_threads_table.slot[index];
}

uint32_t ch_thread_index(const struct ch_thread *t)
{
	return (uint32_t)(t - ch_threads_table.slot);
}

struct ch_thread *ch_thread_of_handle(uint64_t handle)
{
	uint32_t index = ch_handle_index(handle);
	struct ch_thread *t = &ch_threads_table.slot[index];

	if (index >= ch_threads_count() || atomic_load(&t->generation) != handle >> 32 ||
	    !atomic_load(&t->tid))
		return NULL;
	return t;
}

struct ch_thread *ch_thread_of_tid(int tid)
{
	uint32_t index;

	if (tid <= 0 || (uint32_t)tid >= CH_TIDS_MAX)
		return NULL;
	index = atomic_load_explicit(&ch_threads_table.of_tid[tid].slot, memory_order_acquire);
	return index && atomic_load(&ch_threads_table.slot[index - 1].tid) == tid
	           ? &ch_threads_table.slot[index - 1]
	           : NULL;
}
