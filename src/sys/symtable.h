/*
 * A compact table of symbols, 12 bytes each: sorted by address, one for each address. Names are
 * offsets: into the names of the ELF file it was made from, or into a pool of its own.
 */
#ifndef CH_SYS_SYMTABLE_H
#define CH_SYS_SYMTABLE_H

#include "base/buf.h"
#include "sys/elf.h"

/* All zero is an empty one that cannot grow. */
struct ch_symtable {
	struct ch_symtable_row *rows;
	size_t n, cap, max_bytes;
	uint64_t base;       /* addresses of rows count from here */
	struct ch_buf names; /* the pool */
};

struct ch_symtable_hit {
	uint64_t start, size;
	const char *name; /* NULL: a function without one; else borrowed until the table changes */
};

void ch_symtable_init(struct ch_symtable *t, uint64_t base, size_t max_bytes);
void ch_symtable_done(struct ch_symtable *t);
/* Memory that is held. */
size_t ch_symtable_bytes(const struct ch_symtable *t);

/*
 * Adds a symbol whose name is copied. Size 0 reaches to the next symbol. What lies 4 GB or more
 * beyond the base is left out. 0, -ENOMEM or -E2BIG (over the limit).
 */
int ch_symtable_add(struct ch_symtable *t, uint64_t start, uint64_t size, const char *name,
                    size_t n);
/*
 * Adds the functions of an ELF file: those of .symtab, else of .dynsym and .gnu_debugdata; and
 * those without a name that .eh_frame_hdr lists. With `copy` the file may go away afterwards;
 * otherwise ch_symtable_find must be handed its names.
 */
int ch_symtable_add_elf(struct ch_symtable *t, const struct ch_elf *e, bool copy);
/* To be called once, between the last addition and the first search. */
void ch_symtable_finish(struct ch_symtable *t);
/* The table of names of e that rows of ch_symtable_add_elf (without `copy`) refer to. */
struct ch_elf_symtab ch_symtable_names(const struct ch_elf *e);
/* The symbol that covers an address; elf_names may be NULL when all names were copied. */
bool ch_symtable_find(const struct ch_symtable *t, uint64_t addr,
                      const struct ch_elf_symtab *elf_names, struct ch_symtable_hit *ret);

#endif
