/* The table behind threads.h, shared by its two files. */
#ifndef CH_AGENT_THREADS_TABLE_H
#define CH_AGENT_THREADS_TABLE_H

#include "agent/threads.h"

#define CH_TIDS_MAX (1u << 22) /* the kernel's own limit */

struct ch_tid {
	_Atomic uint32_t slot; /* + 1 */
	uint32_t left_us;      /* CPU time when it last left the VM; 0 never */
};

struct ch_threads_table {
	struct ch_thread *slot;
	_Atomic uint32_t n;
	struct ch_tid *of_tid;
};

extern struct ch_threads_table ch_threads_table;

#endif
