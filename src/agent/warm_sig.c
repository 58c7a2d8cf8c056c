#include "agent/warm.h"

#include "agent/cpu_state.h"
#include "agent/sampler.h"
#include "sys/peek.h"

#define LINE        64
#define STACK_BYTES 2048
#define FRAMES      40 /* of a stack as most are: what its record will take */

static void warm(uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i += LINE)
		__builtin_prefetch((const char *)from + i);
}

static void warm_to_write(const void *from, size_t n)
{
	for (size_t i = 0; i < n; i += LINE)
		__builtin_prefetch((const char *)from + i, 1);
}

void ch_warm_first(const siginfo_t *si, const ucontext_t *uc)
{
	const size_t read_only = offsetof(struct ch_sampler, taken);
	struct ch_regs r = ch_arch_regs(uc);

	if (ch_has_handle(si))
		warm((uintptr_t)ch_thread_at(ch_handle_index(ch_handle_of(si))),
		     offsetof(struct ch_thread, perf));
	warm(r.sp, STACK_BYTES);
	warm((uintptr_t)&ch_sampler, read_only);
	warm_to_write(&ch_sampler.taken, sizeof(ch_sampler) - read_only);
	warm((uintptr_t)&ch_cpu_state, sizeof(ch_cpu_state));
	if (ch_sampler.pc_cache)
		ch_pc_cache_warm(ch_sampler.pc_cache, ch_pc_interrupted(r.pc));
}

void ch_warm_thread(const struct ch_thread *t)
{
	const struct ch_vm *vm = &ch_sampler.vm;
	uint64_t java = atomic_load(&t->java);

	warm_to_write(t->stripe, sizeof(*t->stripe));
	if (!java)
		return;
	warm(java + (uint64_t)vm->thread_obj, 1);
	warm(java + (uint64_t)vm->thread_anchor, 1);
	warm(java + (uint64_t)vm->thread_stack_base, 1);
	warm(vm->collected_heap, 1);
	for (size_t i = 0; i < CH_LEN(ch_sampler.unloaded); i++)
		warm((uintptr_t)ch_sampler.unloaded[i], 1);
}

void ch_warm_objects(const struct ch_stripe *s, const struct ch_thread *t)
{
	const struct ch_vm *vm = &ch_sampler.vm;
	uint64_t java = atomic_load(&t->java), heap;

	warm_to_write(ch_ring_next_place(&s->samples),
	              sizeof(struct ch_rec_sample) + FRAMES * sizeof(uint64_t));
	if (!java)
		return;
	heap = vm->collected_heap ? ch_peek64(vm->collected_heap, 0) : 0;
	warm(ch_peek64(java + (uint64_t)vm->thread_obj, 0), 1);
	warm(heap + (uint64_t)vm->gc_count, 1);
	warm(heap + (uint64_t)vm->gc_active, 1);
}
