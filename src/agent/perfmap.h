/* The map by which perf and others name code that was compiled at run time. */
#ifndef CH_AGENT_PERFMAP_H
#define CH_AGENT_PERFMAP_H

#include "base/error.h"
#include "hotspot/vm.h"

/*
 * Writes all that the code cache holds now as lines `start size name`, in hex, to `path`; NULL:
 * /tmp/perf-PID.map, where perf looks. Returns how many lines. Any thread.
 */
int ch_perfmap_write(const struct ch_vm *vm, const char *path, struct ch_error *err);

#endif
