/* The process that a command is about. */
#ifndef CH_CLI_TARGET_H
#define CH_CLI_TARGET_H

#include "cli/options.h"
#include "hotspot/attach.h"

/* The one pid on the command line; -EINVAL with a sentence that shows how `command` is used. */
int cli_pid(const struct cli_args *args, const char *command, pid_t *ret, struct ch_error *err);

/*
 * Opens the JVM that the command line names. 0; otherwise the sentence has been said and what is
 * returned is one of EXIT_….
 */
int cli_attach(const struct cli_args *args, const char *command, struct ch_attach *ret);

/* A sink for ch_attach_send: collects in a struct ch_buf. */
int cli_collect(void *buf, const char *data, size_t n);

/*
 * Prints text of a stranger: as it is into files and pipes, on a terminal with everything spelled
 * out that a terminal would obey, lines and tabs excepted.
 */
void cli_print_text(const char *s, size_t n);

#endif
