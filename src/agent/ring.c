#include "agent/ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/record.h"

/*
 * Pages are taken when they are first written: a stripe that no processor uses costs nothing, and
 * a ring is used from its start on whenever it is empty. So there may be much room, for a recorder
 * that comes late because everybody wants the processors. A sample of 2,048 frames, the depth
 * unless told, takes 16 KB, the largest definition 7 KB.
 */
#define SAMPLES_MIN (128u << 10)
#define SAMPLES_MAX (4u << 20)
#define SAMPLES_ALL (32u << 20)
#define DEFS_SIZE   (512u << 10)
#define KEEP        (128u << 10) /* what an empty ring keeps of its pages */
#define SPARE       16           /* stripes for threads that are put aside while they hold one */

static size_t samples_size(unsigned processors)
{
	size_t size = SAMPLES_MIN;

	while (size * 2 * processors <= SAMPLES_ALL && size < SAMPLES_MAX)
		size *= 2;
	return size;
}

int ch_rings_init(struct ch_rings *r, struct ch_error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned n = cpus < 1                        ? 1
	             : cpus > CH_STRIPES_MAX - SPARE ? CH_STRIPES_MAX - SPARE
	                                             : (unsigned)cpus;
	size_t samples = samples_size(n), heads;
	char *at;

	n += SPARE;
	heads = (n * sizeof(struct ch_stripe) + 4095) & ~(size_t)4095;
	*r = (struct ch_rings){ .n = n, .memory_size = heads + n * (samples + DEFS_SIZE) };
	r->memory = mmap(NULL, r->memory_size, PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->memory == MAP_FAILED) {
		r->memory = NULL;
		return ch_fail(err, -errno, "memory for the rings: %m");
	}
	r->stripe = (struct ch_stripe *)r->memory;
	at = r->memory + heads;
	for (unsigned i = 0; i < n; i++) {
		r->stripe[i].samples.data = at;
		r->stripe[i].samples.cap = samples;
		r->stripe[i].defs.data = at += samples;
		r->stripe[i].defs.cap = DEFS_SIZE;
		at += DEFS_SIZE;
	}
	return 0;
}

void ch_rings_done(struct ch_rings *r)
{
	if (r->memory)
		munmap(r->memory, r->memory_size);
	*r = (struct ch_rings){ 0 };
}

size_t ch_rings_record_max(const struct ch_rings *r)
{
	return r->stripe[0].samples.cap / 2;
}

static bool empty(const struct ch_ring *r)
{
	return atomic_load(&r->head) == atomic_load(&r->tail);
}

/* A late recorder leaves many pages behind: they are given back. */
static void to_start(struct ch_ring *r)
{
	uint64_t used = atomic_load(&r->head);

	if (used > KEEP && r->cap > KEEP)
		madvise(r->data + KEEP, (used < r->cap ? used : r->cap) - KEEP, MADV_DONTNEED);
	atomic_store(&r->head, 0);
	atomic_store(&r->tail, 0);
}

void ch_rings_rewind(struct ch_rings *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct ch_stripe *s = &r->stripe[i];

		if (!atomic_load(&s->samples.head) && !atomic_load(&s->defs.head))
			continue;
		if (atomic_exchange(&s->taken, 1))
			continue; /* next time */
		if (empty(&s->samples))
			to_start(&s->samples);
		if (empty(&s->defs))
			to_start(&s->defs);
		ch_stripe_release(s);
	}
}

static void skip(struct ch_ring *r)
{
	atomic_store(&r->tail, atomic_load(&r->head));
}

void ch_rings_skip(struct ch_rings *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		skip(&r->stripe[i].samples);
		skip(&r->stripe[i].defs);
	}
}

const struct ch_rec *ch_ring_next(const struct ch_ring *r, uint64_t *at, uint64_t upto)
{
	while (*at < upto) {
		const struct ch_rec *rec = (const struct ch_rec *)(r->data + (*at & (r->cap - 1)));

		*at += rec->size;
		if (rec->type != CH_REC_SKIP)
			return rec;
	}
	return NULL;
}
