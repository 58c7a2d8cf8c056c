/*
 * Reading one long text on all cores: it is cut where records begin, each piece is read into a
 * profile of its own, and the profiles are merged. Short texts are one piece.
 */
#ifndef CH_FORMATS_PIECES_H
#define CH_FORMATS_PIECES_H

#include "formats/input.h"
#include "formats/scan.h"
#include "profile/profile.h"

/* What every piece has; a reader's own struct begins with it. */
struct ch_piece {
	const struct ch_input *in;
	struct ch_profile *p;    /* the caller's for the first piece */
	const char *at, *end;    /* what is still to be read */
	const char *limit;       /* end of the input, for ch_scan */
	const char *released;    /* bytes before this were given back */
	uint64_t lines;          /* read so far, the one at hand included */
	uint64_t bad, first_bad; /* lines that made no sense; see ch_piece_bad_line */
	int err;                 /* negative errno: reading stops */
};

struct ch_piece_ops {
	size_t size; /* of the reader's struct */
	/* The start of the first record at or after p; text is the whole. */
	const char *(*next_start)(struct ch_span text, const char *p);
	/* Called with zeros behind the struct ch_piece. Failures leave nothing behind. */
	int (*init)(struct ch_piece *piece, const void *arg);
	/* Reads the next record and moves `at`. */
	void (*step)(struct ch_piece *piece);
	/* After the last record of the piece. */
	void (*finish)(struct ch_piece *piece);
	void (*done)(struct ch_piece *piece);
	/* Adds what a later piece counted to what the first one did. */
	void (*sum)(struct ch_piece *first, const struct ch_piece *later);
	/* With the sums: the notes for the user, or the failure when there was nothing. */
	int (*conclude)(const struct ch_piece *first, struct ch_profile *p, struct ch_error *err);
};

int ch_pieces_read(const struct ch_input *in, struct ch_span text, const struct ch_piece_ops *ops,
                   const void *arg, struct ch_profile *p, struct ch_error *err);

/* The text of an input without a byte order mark. */
struct ch_span ch_input_text(const struct ch_input *in);

static inline void ch_piece_bad_line(struct ch_piece *piece, uint64_t line)
{
	if (!piece->bad++)
		piece->first_bad = line;
}

#endif
