/* Which part of a Spark application a process is, as far as its command line and environment say. */
#ifndef CH_SPARK_ROLE_H
#define CH_SPARK_ROLE_H

#include "base/span.h"

/* Texts of a process, each with its NUL: arguments, or NAME=value. */
struct ch_texts {
	const char *p, *end;
};

struct ch_spark_role {
	const char *role;             /* "driver", "executor" …; NULL: no part of Spark */
	struct ch_span executor, app; /* ids; empty when nobody says */
	struct ch_span what;          /* of a driver: its class, jar or script; may be empty */
	char made[64];                /* holds `app` where it had to be put together */
};

/*
 * args: the main class of a JVM (or the program of another process) and what follows it.
 * ret points into args and environment, and into itself.
 */
void ch_spark_role(struct ch_texts args, struct ch_texts environment, struct ch_spark_role *ret);

#endif
