#include "sys/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "sys/mapped_table.h"

int ch_mapped_add(const void *start, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int slot = -EMFILE;

	pthread_mutex_lock(&lock);
	atomic_store(&ch_mapped_page_bytes, (uintptr_t)sysconf(_SC_PAGESIZE));
	for (int i = 0; i < CH_MAPPED_MAX && slot < 0; i++) {
		if (atomic_load(&ch_mapped[i].start))
			continue;
		atomic_store(&ch_mapped[i].size, size);
		atomic_store(&ch_mapped[i].broken, false);
		atomic_store(&ch_mapped[i].start, (uintptr_t)start);
		slot = i;
	}
	pthread_mutex_unlock(&lock);
	return slot;
}

void ch_mapped_remove(int slot)
{
	atomic_store(&ch_mapped[slot].start, 0);
}

bool ch_mapped_broken(int slot)
{
	return atomic_load(&ch_mapped[slot].broken);
}
