#include "base/vec.h"

#include <errno.h>

int ch_grow(void **items, size_t *cap, size_t need, size_t elem)
{
	size_t want = *cap < 16 ? 16 : *cap * 2;
	size_t bytes;
	void *p;

	if (want < need)
		want = need;
	if (__builtin_mul_overflow(want, elem, &bytes))
		return -ENOMEM;
	p = realloc(*items, bytes);
	if (!p)
		return -ENOMEM;
	*items = p;
	*cap = want;
	return 0;
}
