/* What a misspelt word may have meant. */
#ifndef CH_CLI_NEAR_H
#define CH_CLI_NEAR_H

#include <stddef.h>

/*
 * How far two words are apart: letters to add, drop, change or swap with a neighbour. Long words
 * are far from everything.
 */
size_t cli_distance(const char *a, size_t a_len, const char *b);

/* Words this far apart or less may be one another's misspelling. */
#define CLI_NEAR 2

#endif
