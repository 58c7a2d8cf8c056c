/* Files that are installed with this program. */
#ifndef CH_CLI_BESIDE_H
#define CH_CLI_BESIDE_H

#include <limits.h>
#include <stddef.h>

/*
 * The absolute path of the first of n places that can be read; places are relative to the folder of
 * this program. 0 or -ENOENT.
 */
int cli_beside(const char *const places[], size_t n, char to[PATH_MAX]);

#endif
