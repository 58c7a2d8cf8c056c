#include "jfr/chunk.h"

#include <string.h>

#define NS_PER_S INT64_C(1000000000)

/* False when these bytes are no header of version 2. */
static bool read_header(const uint8_t *data, size_t n, struct ch_jfr_header *ret)
{
	struct ch_cursor c = ch_cursor(data, n);
	const uint8_t *magic = ch_cursor_take(&c, 4);

	if (!magic || n < CH_JFR_HEADER_SIZE || memcmp(magic, CH_JFR_MAGIC, 4) != 0)
		return false;
	if (ch_cursor_be(&c, 2) != 2)
		return false;
	(void)ch_cursor_take(&c, 2); /* versions 2.x differ in events only */
	ret->size = ch_cursor_be(&c, 8);
	ret->pools_at = ch_cursor_be(&c, 8);
	ret->types_at = ch_cursor_be(&c, 8);
	ret->start_ns = (int64_t)ch_cursor_be(&c, 8);
	ret->duration_ns = (int64_t)ch_cursor_be(&c, 8);
	ret->start_ticks = (int64_t)ch_cursor_be(&c, 8);
	ret->ticks_per_s = (int64_t)ch_cursor_be(&c, 8);
	ret->state = ch_cursor_u8(&c);
	ret->compressed = ch_cursor_be(&c, 3) & 1;
	return true;
}

/* Magic and major version: what a chunk starts with, and an event hardly. */
static const uint8_t start_of_chunk[] = { 'F', 'L', 'R', 0, 0, 2 };

static bool starts_chunk(const uint8_t *p, size_t n)
{
	return n >= sizeof(start_of_chunk) && !memcmp(p, start_of_chunk, sizeof(start_of_chunk));
}

static size_t find_start(const uint8_t *file, size_t size, size_t at)
{
	const uint8_t *hit = memmem(file + at, size - at, start_of_chunk, sizeof(start_of_chunk));

	return hit ? (size_t)(hit - file) : size;
}

/* How far whole events reach; another chunk's header in an event's place ends them, too. */
static size_t walk_to_end(const uint8_t *data, size_t size)
{
	struct ch_cursor c = ch_cursor(data, size), body;
	uint64_t type;

	(void)ch_cursor_take(&c, CH_JFR_HEADER_SIZE);
	while (!starts_chunk(c.p, ch_cursor_left(&c)) && ch_jfr_event_next(&c, &type, &body))
		;
	return (size_t)(c.p - data);
}

bool ch_jfr_chunk_next(const uint8_t *file, size_t size, size_t at, struct ch_jfr_chunk *ret)
{
	struct ch_jfr_header h;

	while ((at = find_start(file, size, at)) < size && !read_header(file + at, size - at, &h))
		at++;
	if (at >= size)
		return false;
	*ret = (struct ch_jfr_chunk){ .data = file + at, .at = at, .head = h };
	if (h.size >= CH_JFR_HEADER_SIZE && h.size <= size - at) {
		size_t left = size - at - h.size;

		ret->finished = h.state == 0 && h.pools_at && h.types_at;
		ret->size = h.size;
		/* What follows an unfinished chunk may be events that its header does not count. */
		if (ret->finished || !left || starts_chunk(ret->data + h.size, left))
			return true;
	}
	ret->size = walk_to_end(ret->data, size - at);
	return true;
}

static int64_t scale(const struct ch_jfr_header *h, int64_t ticks)
{
	int64_t per_s = h->ticks_per_s;

	if (per_s == NS_PER_S || per_s <= 0)
		return ticks;
	/* The part below a second cannot overflow for clocks up to 9 GHz. */
	if (per_s <= INT64_MAX / NS_PER_S)
		return ch_sat_add(ch_sat_mul(ticks / per_s, NS_PER_S),
		                  ticks % per_s * NS_PER_S / per_s);
	return (int64_t)((__int128)ticks * NS_PER_S / per_s);
}

int64_t ch_jfr_ns_of(const struct ch_jfr_header *h, int64_t ticks)
{
	return scale(h, ticks);
}

int64_t ch_jfr_ns_at(const struct ch_jfr_header *h, int64_t ticks)
{
	int64_t since;

	if (__builtin_sub_overflow(ticks, h->start_ticks, &since))
		since = 0;
	return ch_sat_add(h->start_ns, scale(h, since));
}
