/*
 * Errors: functions return >= 0 on success and a negative errno on failure. The sentence for a
 * person is built where the knowledge is and printed once, by whoever talks to the user.
 */
#ifndef CH_BASE_ERROR_H
#define CH_BASE_ERROR_H

#include "base/util.h"

struct ch_error {
	int code; /* negative errno, 0 when nothing failed */
	char text[512];
};

/*
 * Writes the sentence into err (which may be NULL) and returns code, so that callers can write
 * `return ch_fail(err, -errno, "open '%s': %m", path)`. %m prints the text of -code.
 */
int ch_fail(struct ch_error *err, int code, const char *fmt, ...) CH_PRINTF(3, 4);

#endif
