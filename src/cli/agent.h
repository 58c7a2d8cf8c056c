/*
 * Talking to libcharcloth.so inside a JVM: each command loads it (again) with options and a file
 * for the answer. Files that are made in the JVM's /tmp for that belong to its user, have random
 * names, and are removed in every case.
 */
#ifndef CH_CLI_AGENT_H
#define CH_CLI_AGENT_H

#include "hotspot/attach.h"

/* A file in the /tmp of a JVM. Must stay where it is in memory. */
struct cli_temp {
	int dir;         /* of struct ch_attach */
	int fd;          /* open for reading and writing; -1: there is no file */
	int slot;        /* in the list of scrap */
	char name[64];   /* in dir */
	char ours[96];   /* a path for us, good also when the JVM is gone */
	char theirs[72]; /* the path that the JVM knows */
};

/* Makes an empty file of the JVM's user, whose name ends in `suffix`. 0 or a negative errno. */
int cli_temp_make(const struct ch_attach *a, const char *suffix, struct cli_temp *ret,
                  struct ch_error *err);
/* Removes it, if it was made. */
void cli_temp_remove(struct cli_temp *t);

/*
 * The agent's library, as an absolute path: `given` unless NULL, else where it is installed beside
 * this program. -ENOENT with a sentence.
 */
int cli_agent_library(const char *given, char to[PATH_MAX], struct ch_error *err);

/*
 * Runs a command (`start,event=cpu,…`) in the JVM and appends what the agent says behind its first
 * line to reply, without a NUL. `library` is as in cli_agent_library; a library that is loaded
 * already goes before it. 0, or a negative errno with the agent's own sentence.
 */
int cli_agent_call(struct ch_attach *a, const char *library, const char *command,
                   struct ch_buf *reply, struct ch_error *err);
/* Says what the agent replied, but for counts of 0: nothing was lost for that reason. Takes reply. */
void cli_agent_say(struct ch_buf *reply);

#endif
