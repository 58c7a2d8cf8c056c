/*
 * Call frame information as compilers leave it in .eh_frame: which functions there are, and the
 * little programs that say where each one keeps what its caller needs. Every length is suspect.
 */
#ifndef CH_SYS_EH_H
#define CH_SYS_EH_H

#include "base/cursor.h"
#include "sys/elf.h"

/* .eh_frame_hdr, which lists all functions by address, and .eh_frame. */
struct ch_eh {
	const uint8_t *rows;
	size_t n;      /* functions */
	uint64_t addr; /* what rows count from */
	struct ch_elf_section frames;
};

/* What the functions of one object file share. */
struct ch_eh_common {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t pointer_encoding;
	bool augmented;
	struct ch_cursor program; /* runs before that of each function */
};

struct ch_eh_function {
	uint64_t start, size; /* addresses in the image */
	struct ch_eh_common common;
	struct ch_cursor program;
};

/* False when the file lacks one of both, or has the list in another form than linkers write. */
bool ch_eh_open(const struct ch_elf *e, struct ch_eh *ret);
/* The address of function i < eh->n. */
uint64_t ch_eh_start(const struct ch_eh *eh, size_t i);
/* All about function i < eh->n; false when it is damaged. */
bool ch_eh_function(const struct ch_eh *eh, size_t i, struct ch_eh_function *ret);

/* Pieces of the programs. */
uint64_t ch_eh_le(struct ch_cursor *c, unsigned bytes);
int64_t ch_eh_sleb(struct ch_cursor *c);

#endif
