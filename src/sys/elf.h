/*
 * Little-endian ELF64 files, read with suspicion: each offset and count may be a
 * lie, and a file may be written over meanwhile. Files are mapped for reading, with zeros behind
 * their end, and known to sys/mapped.h; what is looked at once is given back by ch_elf_release, so
 * that tables of many megabytes cost no memory that stays.
 */
#ifndef CH_SYS_ELF_H
#define CH_SYS_ELF_H

#include "base/error.h"

#include <stdbool.h>

enum ch_elf_owner {
	CH_ELF_BORROWED, /* the caller keeps the bytes */
	CH_ELF_FILE,     /* a mapped file */
	CH_ELF_MEMORY,   /* pages of our own */
};

struct ch_elf {
	const uint8_t *data; /* the whole file */
	size_t size;
	enum ch_elf_owner owner;
	int slot; /* of a mapped file, in sys/mapped.h */
};

/* Bytes of the file; addr is where they are in the image, relative to where that is loaded. */
struct ch_elf_section {
	const uint8_t *data;
	size_t size;
	uint64_t addr;
};

/* A table of symbols with its names. `names` ends with a NUL, unless names_size is 0. */
struct ch_elf_symtab {
	const uint8_t *data;
	size_t n;
	const char *names;
	size_t names_size;
};

struct ch_elf_sym {
	const char *name;
	uint32_t name_at; /* offset of the name among the names */
	uint64_t value, size;
	bool function, global; /* defined code; other files see it */
};

/* Maps the file. -ENOEXEC: no little-endian ELF64 file. */
int ch_elf_open(const char *path, struct ch_elf *ret, struct ch_error *err);
/* Bytes that the caller keeps for as long as ret is used (an image in memory, a test). */
int ch_elf_from(const void *data, size_t size, struct ch_elf *ret, struct ch_error *err);
/*
 * The library whose first byte is at `base` in this process, made a file again from what is loaded
 * of it: the way to one whose file is gone. Has .dynsym and the call frame information. Costs its
 * size in memory until ch_elf_done. -ENOEXEC when there is none, -ENOENT when it is being unloaded.
 */
int ch_elf_image(uint64_t base, struct ch_elf *ret);
void ch_elf_done(struct ch_elf *e);
/* Gives the pages of a mapped file back; they come again when they are read. */
void ch_elf_release(const struct ch_elf *e);

/* The first section of that name that has bytes in the file; false when there is none. */
bool ch_elf_find(const struct ch_elf *e, const char *name, struct ch_elf_section *ret);

enum ch_elf_table {
	CH_ELF_DYNSYM, /* what the dynamic linker needs */
	CH_ELF_SYMTAB, /* all of them, unless stripped */
};

bool ch_elf_symtab(const struct ch_elf *e, enum ch_elf_table which, struct ch_elf_symtab *ret);
/* Symbol i < t->n; false when it has no name or is not defined in this file. */
bool ch_elf_sym(const struct ch_elf_symtab *t, size_t i, struct ch_elf_sym *ret);

/* The address in the image of the byte at a file offset, by the segments that are loaded. */
bool ch_elf_addr(const struct ch_elf *e, uint64_t offset, uint64_t *ret);
/* The first address of the image: its load address is where that is, minus this. */
bool ch_elf_first_addr(const struct ch_elf *e, uint64_t *ret);
/* Copies at most n bytes of the build id; returns its length, 0 when there is none. */
size_t ch_elf_build_id(const struct ch_elf *e, uint8_t *to, size_t n);
/*
 * The ELF file packed in .gnu_debugdata, which has the symbols of stripped functions. -ENOENT when
 * there is none, -ENOTSUP when this machine has no liblzma.so.5, -EBADMSG when it is damaged.
 */
int ch_elf_debugdata(const struct ch_elf *e, struct ch_elf *ret);

/*
 * The value (address in the image) of a symbol: in .dynsym, else in .symtab, else in
 * .gnu_debugdata. False when no table has it.
 */
bool ch_elf_value(const struct ch_elf *e, const char *name, uint64_t *ret);
/* The same of the file at `path`; -ENOENT when no table has it. */
int ch_elf_symbol(const char *path, const char *name, uint64_t *ret, struct ch_error *err);

#endif
