/*
 * An input as readers see it: all its bytes in one window, however they came (a file, stdin, a
 * gzip or zstd wrapper, also nested). Compressed and piped input is spooled to an unlinked
 * temporary file, so that memory stays flat and readers may jump.
 */
#ifndef CH_FORMATS_INPUT_H
#define CH_FORMATS_INPUT_H

#include "sys/map.h"

struct ch_input {
	char *name; /* as given by the user, "stdin" for "-" */
	const uint8_t *data;
	size_t size;
	struct ch_map map;
	bool cut_short; /* the wrapper was damaged; data holds what came out before */
};

int ch_input_open(const char *path, struct ch_input *ret, struct ch_error *err);
void ch_input_done(struct ch_input *in);
/* The reader has done with the bytes in [from, upto): their pages may go. */
void ch_input_release(const struct ch_input *in, size_t from, size_t upto);
/* Percent of the bytes of all open inputs that were released so far: for a progress line. */
unsigned ch_input_share(void);

#endif
