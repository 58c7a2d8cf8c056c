/* Texts made from the tables of commands, options and formats. */
#ifndef CH_CLI_HELP_H
#define CH_CLI_HELP_H

#include "cli/commands.h"

#include <stdio.h>

void cli_print_usage(FILE *f);
void cli_print_help(FILE *f, const struct cli_command *c);
/* The manual page of a command in roff, of the program when name is NULL. EXIT_DONE or _USAGE. */
int cli_print_man(FILE *f, const char *name);

#endif
