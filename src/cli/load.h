/* From the inputs on the command line to one profile. */
#ifndef CH_CLI_LOAD_H
#define CH_CLI_LOAD_H

#include "cli/options.h"

/*
 * Reads every input: files, folders (each profile below them, sorted), patterns, - for stdin, and
 * merges them; with several files each row carries the label `file`. Files are read on all cores.
 * What could not be read is noted in the profile as damage. Returns 0, or a negative errno with a
 * sentence when nothing could be read.
 */
int cli_load(const char *const *inputs, size_t n, const struct cli_args *args,
             const struct ch_want *want, struct ch_profile **ret, struct ch_error *err);

#endif
