#include "cli/near.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 24

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t cli_distance(const char *a, size_t a_len, const char *b)
{
	/* d[i][j]: from the first i letters of a to the first j of b. */
	size_t d[WORD_MAX + 1][WORD_MAX + 1];
	size_t b_len = strlen(b);

	if (a_len > WORD_MAX || b_len > WORD_MAX)
		return SIZE_MAX;
	for (size_t i = 0; i <= a_len; i++) {
		for (size_t j = 0; j <= b_len; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(d[i - 1][j], d[i][j - 1]) + 1;
			d[i][j] = least(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[a_len][b_len];
}
