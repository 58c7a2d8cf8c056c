/* Recording a command from its start to its end. */
#ifndef CH_CLI_CHILD_H
#define CH_CLI_CHILD_H

#include "cli/options.h"

#include <signal.h>

/*
 * Keeps SIGINT, SIGTERM and SIGHUP from ending us: they are read from the descriptor that is
 * returned (-1 when there is none to be had). *before is the mask to go back to.
 */
int cli_hold_signals(sigset_t *before);

/* Runs args->inputs with the agent in its JVMs. The command's exit status, or one of EXIT_…. */
int cli_record_command(const struct cli_args *args);

#endif
