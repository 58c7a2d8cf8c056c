/* The processes of this machine that can be profiled, and what they are. */
#ifndef CH_CLI_PROCESSES_H
#define CH_CLI_PROCESSES_H

#include "base/buf.h"

#include <stdbool.h>
#include <sys/types.h>

enum cli_runtime {
	CLI_JVM,
	CLI_PYTHON,
};

/* Texts are cut to size; they come from strangers. */
struct cli_process {
	pid_t pid;
	uid_t uid;
	enum cli_runtime runtime;
	bool closed;         /* of another user: known by its command line only */
	char user[33];       /* "" when the uid has no name */
	char version[32];    /* "" when nobody says */
	char program[256];   /* main class, jar, module or script */
	char role[24];       /* of a Spark application; "" when it is no part of one */
	char executor[64];   /* id, or "" */
	char app[96];        /* id, or "" */
	char submitted[256]; /* what a driver runs: class, jar or script, or "" */
};

struct cli_processes {
	struct cli_process *item;
	size_t n, cap;
};

/* All of them, by pid. 0 or a negative errno. */
int cli_processes_find(struct cli_processes *ret);
void cli_processes_done(struct cli_processes *p);
/* One: 1 when it is a JVM or a Python, 0 when not. */
int cli_process_look(pid_t pid, struct cli_process *ret);

#endif
