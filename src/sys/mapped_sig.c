#include "sys/mapped_table.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct ch_mapped ch_mapped[CH_MAPPED_MAX];
_Atomic uintptr_t ch_mapped_page_bytes;

static bool put_zeros(uintptr_t at)
{
	uintptr_t bytes = atomic_load(&ch_mapped_page_bytes);
	int saved = errno;
	long r = syscall(SYS_mmap, at & ~(bytes - 1), bytes, PROT_READ,
	                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	errno = saved;
	return r != -1;
}

bool ch_mapped_fault(const void *at)
{
	for (size_t i = 0; i < CH_MAPPED_MAX; i++) {
		uintptr_t start = atomic_load(&ch_mapped[i].start);

		if (!start || (uintptr_t)at < start ||
		    (uintptr_t)at - start >= atomic_load(&ch_mapped[i].size))
			continue;
		atomic_store(&ch_mapped[i].broken, true);
		return put_zeros((uintptr_t)at);
	}
	return false;
}
