/* What record, start, stop and dump share: what the agent is told, and what becomes of its file. */
#ifndef CH_CLI_RECORDING_H
#define CH_CLI_RECORDING_H

#include "cli/options.h"

/* `start,event=cpu,…` as the options say, without file; appended to b without a NUL. */
void cli_recording_options(const struct cli_args *args, struct ch_buf *b);

/*
 * Whether what -o and --format ask for can be written at all, before any time is spent on
 * recording. EXIT_DONE, or another with the sentence said.
 */
int cli_recording_check(const struct cli_args *args);

/*
 * Shows n recordings: those of one run, or parts of it. As they are into a .jfr (also packed), else
 * by the road of convert; without -o as a table. `source` is what titles call them. EXIT_….
 */
int cli_recording_deliver(const struct cli_args *args, const char *const *files, size_t n,
                          const char *source);

#endif
