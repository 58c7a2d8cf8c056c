/*
 * Call frame information as compilers leave it in .eh_frame: which functions there are, and the
 * little programs that say where each one keeps what its caller needs. Every length is suspect.
 */
#ifndef CH_SYS_EH_H
#define CH_SYS_EH_H

#include "base/cursor.h"
#include "sys/elf.h"

/* --- the starts of all functions (.eh_frame_hdr) ----------------------------------------------- */

struct ch_eh_index {
	const uint8_t *rows;
	size_t n;
	uint64_t addr; /* what rows count from */
};

/* False when the file has none, or none in the one form that linkers write. */
bool ch_eh_index(const struct ch_elf *e, struct ch_eh_index *ret);
/* The address of function i < index->n. */
uint64_t ch_eh_index_start(const struct ch_eh_index *index, size_t i);

/* --- the records (.eh_frame) ------------------------------------------------------------------- */

/* What the functions of one object file share. */
struct ch_eh_common {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	uint8_t pointer_encoding;
	bool augmented;
	struct ch_cursor program; /* runs before that of each function */
};

struct ch_eh_function {
	uint64_t start, size; /* addresses in the image */
	struct ch_eh_common common;
	struct ch_cursor program;
};

struct ch_eh_walk {
	struct ch_elf_section section;
	struct ch_cursor at;
};

/* False when the file has no .eh_frame. */
bool ch_eh_walk(const struct ch_elf *e, struct ch_eh_walk *ret);
/* The next function, in the order of the file; false at the end or where it is damaged. */
bool ch_eh_next(struct ch_eh_walk *w, struct ch_eh_function *ret);

/* Pieces of the programs. */
uint64_t ch_eh_le(struct ch_cursor *c, unsigned bytes);
int64_t ch_eh_sleb(struct ch_cursor *c);

#endif
