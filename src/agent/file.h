/* Files that commands name, written from inside somebody else's process. */
#ifndef CH_AGENT_FILE_H
#define CH_AGENT_FILE_H

#include "base/error.h"

/*
 * Creates the file, or claims and empties an old one. Only regular files: on others one might wait
 * for ever. A descriptor, or -errno.
 */
int ch_file_create(const char *path, struct ch_error *err);
/* -EBUSY when a recording is being written there, by this process or another; it is ours until closed. */
int ch_file_claim(int fd, const char *path, struct ch_error *err);
/* Writes all of it at that place; `path` is for the error. */
int ch_file_write(int fd, const char *path, const void *data, size_t n, uint64_t at,
                  struct ch_error *err);
/* Takes the place of an old file once it is complete. Nothing is done when both are the same. */
int ch_file_copy(const char *from, const char *to, struct ch_error *err);

#endif
