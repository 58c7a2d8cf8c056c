/* What the handler behind mapped.h may look at. */
#ifndef CH_SYS_MAPPED_TABLE_H
#define CH_SYS_MAPPED_TABLE_H

#include "sys/mapped.h"

#include <stdatomic.h>

/* A slot is free while `start` is 0; `size` is written first. */
struct ch_mapped {
	_Atomic uintptr_t start;
	_Atomic size_t size;
	atomic_bool broken;
};

extern struct ch_mapped ch_mapped[CH_MAPPED_MAX];
extern _Atomic uintptr_t ch_mapped_page_bytes; /* known as soon as a slot is taken */

#endif
