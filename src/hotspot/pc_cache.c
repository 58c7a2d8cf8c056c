#include "hotspot/pc_cache.h"

#include <sys/mman.h>

#define LARGE_PAGE ((uintptr_t)2 << 20)

_Static_assert(sizeof(struct ch_pc_cache) == LARGE_PAGE, "the cache fills a large page");

/*
 * A walk looks at one entry per frame, all over the cache: in small pages most of its time would go
 * into finding them.
 */
struct ch_pc_cache *ch_pc_cache_new(void)
{
	char *p = mmap(NULL, 2 * LARGE_PAGE, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (p == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)p & (LARGE_PAGE - 1);
	if (before)
		munmap(p, before);
	munmap(p + before + LARGE_PAGE, LARGE_PAGE - before);
	/* A wish. It is touched here, since a whole page may have to be found and cleared. */
	madvise(p + before, LARGE_PAGE, MADV_HUGEPAGE);
	p[before] = 0;
	return (struct ch_pc_cache *)(p + before);
}
