/*
 * What native code is at an address of this process: libraries, the vdso, perf maps of just-in-
 * time compilers (/tmp/perf-PID.map) and, where the machine shows it, the kernel. For one thread
 * at a time, never in signal handlers.
 *
 * Tables are built when an address of a library is first asked for; names stay in the mapped file
 * until they are asked for.
 */
#ifndef CH_SYS_SYMBOLS_H
#define CH_SYS_SYMBOLS_H

#include "base/util.h"

#include <stdbool.h>

struct ch_symbols;

/* Both texts are NUL-terminated and stay until ch_symbols_free; equal names are one pointer. */
struct ch_symbol {
	const char *name;    /* readable; `libfoo.so+0x1230` when the function has none */
	const char *library; /* the last part of its path; `[vdso]`, `[kernel]`, `[perf map]` */
	uint64_t start, size;
};

/* max_bytes limits what all tables and names hold together. NULL when out of memory. */
struct ch_symbols *ch_symbols_new(size_t max_bytes);
void ch_symbols_free(struct ch_symbols *s);
/*
 * Learns about libraries and perf maps that came or went: cheap when none did. 1 when something
 * changed, else 0; negative errno when the maps cannot be read (what was known stays).
 */
int ch_symbols_refresh(struct ch_symbols *s);
/* False when nothing is known about the address; *ret is then left alone. */
bool ch_symbols_find(struct ch_symbols *s, uint64_t pc, struct ch_symbol *ret);
/* Memory held by tables and names. */
size_t ch_symbols_bytes(const struct ch_symbols *s);

#endif
