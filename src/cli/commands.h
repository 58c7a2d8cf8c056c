/* The commands: one table that dispatch, help, man pages and completion read. */
#ifndef CH_CLI_COMMANDS_H
#define CH_CLI_COMMANDS_H

#include "cli/options.h"

/* What the program ends with. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_PARTLY = 3, /* damaged input: what could be read was delivered */
};

struct cli_command {
	const char *name;
	unsigned bit;     /* its bit in struct cli_opt.commands; 0: takes words, not options */
	const char *args; /* behind the name, in usage */
	const char *help; /* one line */
	const char *text; /* paragraphs for --help and the man page */
	const char *examples;
	int (*run)(const struct cli_args *args); /* one of EXIT_… */
};

extern const struct cli_command cli_commands[];
extern const size_t cli_n_commands;

const struct cli_command *cli_command(const char *name);

int cli_convert(const struct cli_args *args);
int cli_diff(const struct cli_args *args);
int cli_top(const struct cli_args *args);
int cli_record(const struct cli_args *args);
int cli_start(const struct cli_args *args);
int cli_stop(const struct cli_args *args);
int cli_dump(const struct cli_args *args);
int cli_status(const struct cli_args *args);
int cli_list(const struct cli_args *args);
int cli_threads(const struct cli_args *args);
int cli_heap(const struct cli_args *args);
int cli_perfmap(const struct cli_args *args);
int cli_spark_conf(const struct cli_args *args);
int cli_help(const struct cli_args *args);
int cli_completion(const struct cli_args *args);
int cli_version(const struct cli_args *args);

#endif
