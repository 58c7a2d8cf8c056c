/*
 * SIGSEGV and SIGBUS inside ch_peek* resume behind the load, SIGBUS in a mapped file (sys/mapped.h)
 * reads zeros; all others go to the handler that was there before. Installed once and left in place:
 * others may have chained behind us.
 */
#ifndef CH_SYS_FAULT_H
#define CH_SYS_FAULT_H

#include "base/error.h"

/* Call when the host has its own handlers installed already. Again: nothing to do, 0. */
int ch_fault_install(struct ch_error *err);
/* How many loads faulted since then. Signal-safe. */
uint64_t ch_fault_count(void);

#endif
