/*
 * Which memory is a file that somebody else may shorten while we read it. Touching what is gone
 * would end the process with SIGBUS: whoever handles that signal asks ch_mapped_fault.
 */
#ifndef CH_SYS_MAPPED_H
#define CH_SYS_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CH_MAPPED_MAX 1024

/* A place in the table for a mapping of `size` bytes, or -EMFILE when all are taken. */
int ch_mapped_add(const void *start, size_t size);
/* Call it before the memory is unmapped: afterwards its addresses may be somebody else's. */
void ch_mapped_remove(int slot);
/* True when bytes vanished since ch_mapped_add. */
bool ch_mapped_broken(int slot);
/*
 * For the handler of SIGBUS: when `at` is in such a mapping, its page reads as zeros from now on;
 * false when it is not. Signal-safe.
 */
bool ch_mapped_fault(const void *at);

#endif
