/* Small things every file needs: cleanup by scope, sizes, saturating sums. */
#ifndef CH_BASE_UTIL_H
#define CH_BASE_UTIL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define CH_CLEANUP(fn)  __attribute__((cleanup(fn)))
#define CH_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define CH_LEN(array)   (sizeof(array) / sizeof((array)[0]))
#define CH_LIKELY(x)    __builtin_expect(!!(x), 1)
#define CH_UNLIKELY(x)  __builtin_expect(!!(x), 0)

static inline void ch_freep(void *p)
{
	free(*(void **)p);
}

static inline void ch_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Sums of weights stay at the border instead of wrapping: hostile counts must not turn negative. */
static inline int64_t ch_sat_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b > 0 ? INT64_MAX : INT64_MIN;
	return sum;
}

/* To the nearest integer; what is no number is 0. */
static inline int64_t ch_sat_round(double v)
{
	if (!(fabs(v) < 0x1p63))
		return v > 0 ? INT64_MAX : v < 0 ? INT64_MIN : 0;
	return llround(v);
}

static inline int64_t ch_sat_mul(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
	return product;
}

#endif
