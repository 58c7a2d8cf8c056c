/* The input formats: one table, one file each. */
#ifndef CH_FORMATS_INPUTS_H
#define CH_FORMATS_INPUTS_H

#include "formats/input.h"
#include "profile/profile.h"

#include <errno.h>

struct ch_reader {
	const char *name;  /* the word for --input-format and messages */
	const char *title; /* for help and docs */
	/*
	 * How sure the content is of this format: 0 no, 100 certain. Looks at the first 64 KiB (or
	 * at the first line, where that is longer), never at the name.
	 */
	int (*probe)(const struct ch_input *in);
	/*
	 * Whether such data begins somewhere in the middle of other text; NULL: it never does.
	 * Looks at all bytes, and is only asked when no format knows the beginning.
	 */
	bool (*find)(const struct ch_input *in);
	/*
	 * Adds everything to p. Returns 0 when something could be read, also when parts were
	 * damaged (each told by ch_profile_damage with where and what), or a negative errno with
	 * one sentence when nothing could. Never trusts a byte.
	 */
	int (*read)(const struct ch_input *in, struct ch_profile *p, struct ch_error *err);
};

extern const struct ch_reader ch_readers[];
extern const size_t ch_n_readers;

/* 0 when a reader has this name, else -EINVAL with a sentence that lists them. */
int ch_reader_check(const char *name, struct ch_error *err);

/* The error of an input that no reader recognises, apart from those of damaged profiles. */
#define CH_NOT_A_PROFILE (-EMEDIUMTYPE)

/* Opens path, finds the format (or takes `format` unless NULL) and reads it into p. */
int ch_read_path(const char *path, const char *format, struct ch_profile *p, struct ch_error *err);

#endif
