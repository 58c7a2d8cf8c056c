/*
 * The recorder: one thread that empties the rings, writes the recording, and does what has to be
 * done once a second.
 */
#ifndef CH_AGENT_RECORDER_H
#define CH_AGENT_RECORDER_H

#include "agent/args.h"
#include "agent/chunk.h"

/* Starts to write args->file; the sampler's rings must be there. */
int ch_recorder_start(const struct ch_args *args, struct ch_error *err);
/*
 * All events have started: from now on they are stopped when the recording ends by itself. What
 * made it end before is reported here.
 */
int ch_recorder_sampling(struct ch_error *err);
/* Stops after everything that was sampled is written. An earlier failure is reported here. */
int ch_recorder_stop(struct ch_error *err);
/* The same for one that never came to sample: its file goes, too. */
void ch_recorder_cancel(void);
/* Writes what was recorded so far as a whole recording to a file, named as by file=; NULL: flushes. */
int ch_recorder_dump(const char *pattern, struct ch_error *err);

struct ch_recorder_status {
	char path[4096];
	uint64_t timeout_ns; /* of the recording, 0: until it is stopped */
	uint64_t start_ns, end_ns, file_start_ns, written_bytes; /* end_ns: once it has ended */
	bool ended; /* its time is over, or it failed */
	struct ch_error failure;
};

void ch_recorder_status(struct ch_recorder_status *ret);

#endif
