/*
 * Files mapped for reading. A file that shrinks while it is read, or a disk that fails, would kill
 * the process with SIGBUS: a handler puts zero pages there instead and the mapping remembers it.
 */
#ifndef CH_SYS_MAP_H
#define CH_SYS_MAP_H

#include "base/error.h"

#include <stdbool.h>

struct ch_map {
	const uint8_t *data; /* never NULL, also for an empty file */
	size_t size;
	int slot; /* place in the table of sys/mapped.h, -1 when nothing is mapped */
};

/* Maps the regular file open as fd; fd may be closed afterwards. `name` is for the error text. */
int ch_map_fd(int fd, const char *name, struct ch_map *ret, struct ch_error *err);
void ch_map_done(struct ch_map *m);
/* Gives the pages before data + upto back to the kernel: memory stays flat on huge inputs. */
void ch_map_release(const struct ch_map *m, size_t from, size_t upto);
/* True when bytes vanished under us since the file was mapped. */
bool ch_map_broken(const struct ch_map *m);

#endif
