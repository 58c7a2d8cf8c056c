#include "agent/ids.h"

#include <errno.h>
#include <sys/mman.h>

int ch_ids_init(struct ch_ids *t, size_t entries, struct ch_error *err)
{
	void *memory = mmap(NULL, entries * sizeof(struct ch_id_entry), PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return ch_fail(err, -errno, "memory for a table of names: %m");
	t->entries = memory;
	t->mask = entries - 1;
	return 0;
}

void ch_ids_forget(struct ch_ids *t)
{
	/* A handler may have an entry in hand and set its id afterwards: see ch_id_get. */
	for (size_t i = 0; i <= t->mask; i++) {
		if (!atomic_load_explicit(&t->entries[i].key, memory_order_relaxed))
			continue;
		atomic_store(&t->entries[i].named, 0);
		atomic_store(&t->entries[i].key, 0);
	}
	atomic_store(&t->used, 0);
}

bool ch_ids_crowded(const struct ch_ids *t)
{
	return atomic_load_explicit(&t->used, memory_order_relaxed) > t->mask / 2;
}
