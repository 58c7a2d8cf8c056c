/*
 * The agent's options: `start,event=cpu,interval=10ms,file=x.jfr`, with the names and units that
 * users of async-profiler know. One table; the texts of errors come from it.
 */
#ifndef CH_AGENT_ARGS_H
#define CH_AGENT_ARGS_H

#include "base/error.h"

#include <stdbool.h>

enum ch_command {
	CH_CMD_NONE,
	CH_CMD_START,
	CH_CMD_STOP,
	CH_CMD_DUMP,
	CH_CMD_STATUS,
	CH_CMD_LIST,
	CH_CMD_VERSION,
	CH_CMD_PERFMAP,
};

#define CH_ARGS_PERF_MAX 8
#define CH_ARGS_NAME_MAX 1024

struct ch_args {
	enum ch_command command;
	char text[4096]; /* what strings below point into */

	/* What is measured; an interval of 0 is the default of its event. */
	bool cpu, wall, alloc, live, lock, itimer, ctimer;
	const char *perf[CH_ARGS_PERF_MAX];
	unsigned n_perf;
	int64_t interval_ns, wall_ns, alloc_bytes, lock_ns;
	int64_t perf_period; /* events of perf between two samples, 0: as many as suits each */
	bool alloc_governed; /* nobody asked for alloc_bytes: it may be lengthened */

	char file[CH_ARGS_NAME_MAX];   /* with its % as written; empty: none was given */
	char labels[CH_ARGS_NAME_MAX]; /* KEY=VALUE;…, for ch_labels_write */
	const char *owner; /* who else would be surprised if it were stopped; NULL nobody */
	const char *log;
	int64_t chunk_bytes, chunk_ns, timeout_ns, loop_ns, mem_bytes;
	int64_t depth;
	double max_overhead; /* percent */
	bool tasks_only;
	bool kernel, all_user; /* frames of the kernel are wanted in CPU samples; nowhere */
	const char *cstack;    /* "no": no native frames */
};

/* Parses `text` (NULL: empty) into args, with defaults where nothing is said; `log` also on failure. */
int ch_args_parse(const char *text, struct ch_args *args, struct ch_error *err);

/* `10ms` in ns, `2m` in bytes: a number and a unit; bare numbers are `bare` times the smallest. */
int ch_args_time(const char *text, int64_t bare, int64_t *ret_ns, struct ch_error *err);
int ch_args_size(const char *text, int64_t *ret_bytes, struct ch_error *err);

/* Replaces %p (pid), %t (time), %n (a number that grows), %{NAME} (environment) and %%. */
int ch_args_file(const char *pattern, unsigned n, char *to, size_t room, struct ch_error *err);

#endif
