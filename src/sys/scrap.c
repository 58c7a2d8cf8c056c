#include "sys/scrap.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#define SCRAP_MAX 32

static const char *_Atomic names[SCRAP_MAX];

int ch_scrap_add(const char *name)
{
	const char *none = NULL;

	for (int i = 0; i < SCRAP_MAX; i++, none = NULL)
		if (atomic_compare_exchange_strong(&names[i], &none, name))
			return i;
	return -1;
}

void ch_scrap_forget(int slot)
{
	if (slot >= 0)
		atomic_store(&names[slot], NULL);
}

void ch_scrap_remove_all_signal_safe(void)
{
	for (int i = 0; i < SCRAP_MAX; i++) {
		const char *name = atomic_load(&names[i]);

		if (name)
			unlink(name);
	}
}
