/* What code is mapped where in a process: the executable lines of /proc/PID/maps. */
#ifndef CH_SYS_MAPS_H
#define CH_SYS_MAPS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/span.h"
#include "sys/elf.h"

#include <sys/types.h>

struct ch_maps_range {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* of start in the file */
	uint64_t device, inode;
	const char *path; /* "" for memory without a name; "[vdso]"; may end in " (deleted)" */
};

/* Sorted by address. All zero is an empty one. */
struct ch_maps {
	struct ch_maps_range *ranges;
	size_t n, cap;
	struct ch_arena paths;
	uint64_t sum; /* of the lines taken: tells two readings apart */
};

void ch_maps_done(struct ch_maps *m);
/*
 * Reads the maps of a process (0: this one). 1 when the code is other than what m held before (m
 * is then replaced, with all its paths), 0 when it is the same, negative errno on failure (m stays
 * as it was).
 */
int ch_maps_read(struct ch_maps *m, pid_t pid, struct ch_error *err);
/* The same from text in the form of that file. */
int ch_maps_parse(struct ch_maps *m, const char *text, size_t n, struct ch_error *err);
/* The range an address is in, or NULL. */
const struct ch_maps_range *ch_maps_find(const struct ch_maps *m, uint64_t addr);
/* A file, or the vdso, which is one without a name. */
bool ch_maps_is_file(const struct ch_maps_range *r);
/* The last part of its path, as it was when it was not deleted. */
struct ch_span ch_maps_name(const struct ch_maps_range *r);
/* The file behind a range of this process; the range must stay mapped while the vdso is read. */
int ch_maps_open(const struct ch_maps_range *r, struct ch_elf *ret);
/*
 * A number that changes when this process loads or unloads a library: asks the dynamic linker, so
 * that the maps need not be read to learn that nothing happened. Not for signal handlers.
 */
uint64_t ch_maps_stamp(void);

#endif
