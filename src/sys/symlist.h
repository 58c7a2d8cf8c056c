/* Symbols that come as lines of text: of the kernel, and of just-in-time compilers. */
#ifndef CH_SYS_SYMLIST_H
#define CH_SYS_SYMLIST_H

#include "sys/symtable.h"

/*
 * Fills *ret (from nothing; ch_symtable_done it whatever is returned) with the functions of the
 * kernel as `path` (/proc/kallsyms) lists them. -EACCES when it hides their addresses.
 */
int ch_symlist_kernel(const char *path, struct ch_symtable *ret, size_t max_bytes);
/*
 * The same from a perf map: lines of start and size in hex and a name. Only a regular file of this
 * user or of root is read: anybody may put one in /tmp. -EPERM when it is another's.
 */
int ch_symlist_perf(const char *path, struct ch_symtable *ret, size_t max_bytes);

#endif
