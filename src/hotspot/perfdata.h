/*
 * The performance counters that a HotSpot JVM keeps in shared memory (hsperfdata): names, types and
 * values. The memory may be a file of a stranger or alive under a running JVM, so every offset is
 * checked each time it is read. Nothing is allocated and nothing is kept.
 */
#ifndef CH_HOTSPOT_PERFDATA_H
#define CH_HOTSPOT_PERFDATA_H

#include "base/span.h"

/* A counter. The pointers go into the memory that was given. */
struct ch_perf_counter {
	struct ch_span name;
	char type;            /* 'J': a 64-bit number; 'B': bytes, mostly text */
	uint8_t units;        /* 1 none, 2 bytes, 3 ticks, 4 events, 5 text, 6 hertz */
	const uint8_t *value; /* of a number: aligned to 8 bytes */
	size_t n;             /* elements of value */
};

struct ch_perfdata {
	const uint8_t *data;
	size_t size;
	size_t next;   /* offset of the entry that ch_perfdata_next reads */
	uint32_t left; /* entries that should still come */
};

/*
 * Looks at size bytes of counter memory. 0; -EBADMSG when it is none or of another byte order;
 * -EAGAIN when the JVM has not filled it yet.
 */
int ch_perfdata_open(const void *data, size_t size, struct ch_perfdata *ret);
/*
 * The same for the counters of the JVM around us: their memory says itself how much of it is used,
 * and they can be looked at while the JVM still adds some.
 */
int ch_perfdata_own(const void *data, struct ch_perfdata *ret);
/* The next counter, in the order of the memory; false at the end, or where it is damaged. */
bool ch_perfdata_next(struct ch_perfdata *p, struct ch_perf_counter *ret);

/* By its full name, e.g. "sun.rt.jvmCapabilities". p stays where it was. */
bool ch_perfdata_find(const struct ch_perfdata *p, const char *name, struct ch_perf_counter *ret);
/* Where the value of a number stands, or NULL: valid as long as the memory. */
const int64_t *ch_perfdata_number(const struct ch_perfdata *p, const char *name);
/* A text without its NUL; empty when there is none. */
struct ch_span ch_perfdata_text(const struct ch_perfdata *p, const char *name);

#endif
