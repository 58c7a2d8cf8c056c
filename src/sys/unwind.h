/*
 * Walking native stacks of code that keeps no frame pointers, from signal handlers. Tables of 8
 * bytes a row are made from .eh_frame in ordinary context; a handler only searches them.
 */
#ifndef CH_SYS_UNWIND_H
#define CH_SYS_UNWIND_H

#include "base/error.h"
#include "sys/arch.h"
#include "sys/elf.h"

struct ch_unwind_table;

/* Code at [start, end), as mapped; pc - bias is the address in the library. */
struct ch_unwind_lib {
	uint64_t start, end, bias;
	const struct ch_unwind_table *table;
};

/* --- one table --------------------------------------------------------------------------------- */

/* -ENODATA when the file has no call frame information, -E2BIG when it takes over max_bytes. */
int ch_unwind_build(const char *path, size_t max_bytes, struct ch_unwind_table **ret,
                    struct ch_error *err);
int ch_unwind_build_elf(const struct ch_elf *e, size_t max_bytes, struct ch_unwind_table **ret,
                        struct ch_error *err);
void ch_unwind_table_free(struct ch_unwind_table *t);
size_t ch_unwind_table_bytes(const struct ch_unwind_table *t);
size_t ch_unwind_table_rows(const struct ch_unwind_table *t);

/* --- the tables of this process ---------------------------------------------------------------- */

/*
 * The list that handlers see is never changed: a new one is published by one atomic store. Handlers
 * look at it between ch_unwind_enter_sig and ch_unwind_leave_sig, which count them. What a new list
 * leaves out is freed by a later call of ch_unwind_refresh that finds that count at 0 after the
 * store: who comes in later sees the new list. Nobody ever waits.
 */
struct ch_unwind;

struct ch_unwind_libs {
	size_t n;
	const struct ch_unwind_lib *libs; /* sorted by address */
};

/* Whether a library is worth its memory; NULL wants all. Called by ch_unwind_refresh. */
typedef bool ch_unwind_want(void *ctx, const char *path);

struct ch_unwind *ch_unwind_new(size_t max_bytes, ch_unwind_want *want, void *ctx);
/* Only once no handler can come in any more. */
void ch_unwind_free(struct ch_unwind *u);
/* Reads the maps again if libraries came or went. 1: published anew, 0: the same; or errno. */
int ch_unwind_refresh(struct ch_unwind *u);
/* Memory held by tables, what waits to be freed included. */
size_t ch_unwind_bytes(const struct ch_unwind *u);

/* --- in signal handlers ------------------------------------------------------------------------ */

struct ch_unwind_libs ch_unwind_enter_sig(struct ch_unwind *u);
void ch_unwind_leave_sig(struct ch_unwind *u);

enum ch_unwind_step {
	CH_UNWIND_END = 0,   /* the outermost frame */
	CH_UNWIND_TABLE = 1, /* stepped by a table: exact */
	CH_UNWIND_FRAME = 2, /* stepped by the frame pointer: as good as the code keeps one */
};

/*
 * From the registers of a frame to those of its caller. The stack is read within [stack_low,
 * stack_high) only, by ch_peek64: with sys/fault.h installed there may be holes in it. The stack
 * pointer grows with each step, so that a walk ends. Returns one of enum ch_unwind_step, or -1 when
 * the caller cannot be found (regs stay).
 */
int ch_unwind_step_sig(const struct ch_unwind_lib *libs, size_t n, struct ch_regs *regs,
                       uint64_t stack_low, uint64_t stack_high);

#endif
