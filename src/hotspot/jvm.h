/* What can be told about a HotSpot JVM from outside, without asking it. */
#ifndef CH_HOTSPOT_JVM_H
#define CH_HOTSPOT_JVM_H

#include "hotspot/perfdata.h"
#include "sys/proc.h"

#include <limits.h>

/* How the name of a copy of our agent ends that was put into the /tmp of a JVM. */
#define CH_JVM_AGENT_COPY "-libcharcloth.so"

struct ch_jvm {
	pid_t pid;
	char library[PATH_MAX]; /* libjvm.so, as the process names it; empty: this is no JVM */
	char agent[PATH_MAX]; /* our agent where it is loaded, as the process names it; or empty */
	struct ch_buf counters; /* a copy of its hsperfdata; empty where it has none */
	struct ch_perfdata perf;
	bool has_perf;
	struct ch_buf args, environment; /* as started, texts with their NULs */
};

/*
 * Looks at a process. Returns 1 when it is a JVM, 0 when it is not, -EACCES when it may not be
 * looked at, -ESRCH when it is gone. ch_jvm_done is due in every case.
 */
int ch_jvm_look(pid_t pid, struct ch_jvm *ret);
void ch_jvm_done(struct ch_jvm *j);

/*
 * Where the main class, jar or module stands in the arguments of a `java`; its own arguments follow.
 * The end of args when there is none; NULL when args is empty.
 */
const char *ch_jvm_main(const struct ch_buf *args);
/* True when the JVM was started with this option, in whichever way it was given. */
bool ch_jvm_has_option(const struct ch_jvm *j, const char *option);
/* True when it takes no attach commands: the JVM says so, or was told so. */
bool ch_jvm_refuses_attach(const struct ch_jvm *j);
/* "17.0.15", from the counters or from the file `release` of its JDK; "" when nobody says. */
void ch_jvm_version(const struct ch_jvm *j, char *to, size_t size);

#endif
