#include "agent/chunk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/file.h"
#include "agent/record.h"
#include "agent/sampler.h"
#include "sys/kernel.h"

#define EVENTS_MAX  (64u << 20)
#define POOL_MAX    (64u << 20)

#define NS_PER_TICK (1000000000 / CH_TICKS_PER_S)

int64_t ch_ticks(uint64_t monotonic_ns)
{
	static _Atomic uint64_t base;
	uint64_t zero = 0;

	/* No tick is 0, which means none in some places. */
	if (!atomic_load_explicit(&base, memory_order_relaxed))
		atomic_compare_exchange_strong(&base, &zero, monotonic_ns - NS_PER_TICK);
	return (int64_t)(monotonic_ns - atomic_load_explicit(&base, memory_order_relaxed)) /
	       NS_PER_TICK;
}

uint64_t ch_ticks_span(uint64_t ns)
{
	return (ns + NS_PER_TICK / 2) / NS_PER_TICK;
}

static int write_at(struct ch_chunk *c, const void *data, size_t n, uint64_t at,
                    struct ch_error *err)
{
	return ch_file_write(c->fd, c->path, data, n, at, err);
}

/* The header of the chunk as it is now. */
static void put_header(const struct ch_chunk *c, int64_t duration_ns, void *to)
{
	struct ch_jfr_header h = { .size = c->size,
		                   .pools_at = c->last_pools,
		                   .types_at = c->types_at,
		                   .start_ns = c->start_ns,
		                   .duration_ns = duration_ns,
		                   .start_ticks = c->start_ticks,
		                   .ticks_per_s = CH_TICKS_PER_S };

	ch_jfr_header_put(&h, to);
}

static int write_header(struct ch_chunk *c, struct ch_error *err)
{
	uint8_t bytes[CH_JFR_HEADER_SIZE];

	put_header(c, NS_PER_TICK * (ch_ticks(ch_now_ns()) - c->start_ticks), bytes);
	return write_at(c, bytes, sizeof(bytes), c->chunk_at, err);
}

static void put_constant(struct ch_chunk *c, enum ch_type type, uint64_t key, const char *text)
{
	struct ch_pool *p = &c->pools[type];

	ch_jfr_put_int(&p->bytes, key);
	ch_jfr_put_text(&p->bytes, text, strlen(text));
	p->n++;
}

static void put_fixed_constants(struct ch_chunk *c)
{
	for (unsigned i = 0; i < CH_STATE_COUNT; i++)
		put_constant(c, CH_T_STATE, i, ch_state_names[i]);
	for (unsigned i = 0; i < CH_FT_COUNT; i++)
		put_constant(c, CH_T_FRAME_TYPE, i, ch_frame_type_names[i]);
	put_constant(c, CH_T_GC_WHEN, CH_WHEN_BEFORE_GC, "Before GC");
	put_constant(c, CH_T_GC_WHEN, CH_WHEN_AFTER_GC, "After GC");
	put_constant(c, CH_T_GC_WHEN, CH_WHEN_NOW, "Now");
}

/* The constants since the last checkpoint, behind the events in c->tail. */
static void put_checkpoint(struct ch_chunk *c)
{
	uint64_t at = c->size + c->tail.len, n = 0;
	size_t begun;

	for (unsigned t = 0; t < CH_T_COUNT; t++)
		n += c->pools[t].n > 0;
	if (!n)
		return;
	begun = ch_jfr_checkpoint_begin(&c->tail, ch_ticks(ch_now_ns()),
	                                c->last_pools ? (int64_t)(at - c->last_pools) : 0, n);
	for (unsigned t = 0; t < CH_T_COUNT; t++) {
		struct ch_pool *p = &c->pools[t];

		if (!p->n)
			continue;
		ch_jfr_put_int(&c->tail, ch_type_id((enum ch_type)t));
		ch_jfr_put_int(&c->tail, p->n);
		ch_buf_put(&c->tail, p->bytes.data, p->bytes.len);
	}
	ch_jfr_event_end(&c->tail, begun);
	c->last_pools = at;
}

static void forget_gathered(struct ch_chunk *c)
{
	ch_buf_reset(&c->events);
	ch_buf_reset(&c->tail);
	for (unsigned t = 0; t < CH_T_COUNT; t++) {
		ch_buf_reset(&c->pools[t].bytes);
		c->pools[t].n = 0;
	}
}

static int gathered_error(const struct ch_chunk *c)
{
	int e = c->events.err ? c->events.err : c->tail.err;

	for (unsigned t = 0; t < CH_T_COUNT && !e; t++)
		e = c->pools[t].bytes.err;
	return e;
}

/* What nobody can open any more, or nobody can read, would only fill the disk. */
static int check_there(const struct ch_chunk *c, struct ch_error *err)
{
	struct stat st;

	if (ch_fstat(c->fd, &st) < 0)
		return 0;
	if (st.st_nlink == 0)
		return ch_fail(err, -ENOENT, "'%s' was removed while it was written", c->path);
	if ((uint64_t)st.st_size < c->chunk_at + c->size)
		return ch_fail(err, -EIO, "'%s' was cut by another while it was written", c->path);
	return 0;
}

int ch_chunk_flush(struct ch_chunk *c, struct ch_error *err)
{
	uint64_t pools_before = c->last_pools;
	int r;

	if (!c->size)
		return ch_fail(err, -EIO, "'%s': there is no chunk to write to", c->path);
	r = check_there(c, err);
	if (r < 0)
		return r;
	ch_buf_put(&c->tail, c->events.data, c->events.len);
	put_checkpoint(c);
	r = gathered_error(c);
	if (r < 0)
		ch_fail(err, r, "'%s': what gathered since the last flush: %m", c->path);
	else
		r = write_at(c, c->tail.data, c->tail.len, c->chunk_at + c->size, err);
	if (r < 0) {
		/* Bytes behind the end of the last chunk would make others refuse the file. */
		c->last_pools = pools_before;
		ch_buf_reset(&c->tail);
		if (ftruncate(c->fd, (off_t)(c->chunk_at + c->size)) < 0)
			return r;
		return r;
	}
	c->size += c->tail.len;
	c->written += c->tail.len;
	forget_gathered(c);
	return write_header(c, err);
}

static int write_begin(struct ch_chunk *c, struct ch_error *err)
{
	static const uint8_t header_later[CH_JFR_HEADER_SIZE];
	struct timespec now;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	c->start_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	c->start_ticks = ch_ticks(ch_now_ns());
	c->last_pools = 0;
	c->size = 0;
	/* Header and all in one write: the file never ends in half a chunk. */
	ch_buf_put(&c->tail, header_later, sizeof(header_later));
	c->types_at = c->tail.len;
	ch_jfr_put_types(&c->tail, ch_types, CH_T_COUNT, c->start_ticks);
	put_fixed_constants(c);
	put_checkpoint(c);
	r = gathered_error(c);
	if (r < 0)
		return ch_fail(err, r, "'%s': %m", c->path);
	c->size = c->tail.len;
	put_header(c, 1, c->tail.data);
	r = write_at(c, c->tail.data, c->size, c->chunk_at, err);
	if (r < 0)
		return r;
	c->written += c->size;
	forget_gathered(c);
	return 0;
}

static int begin(struct ch_chunk *c, struct ch_error *err)
{
	int r = write_begin(c, err);

	if (r >= 0)
		return 0;
	/* There is no chunk that could be flushed later. */
	c->size = 0;
	forget_gathered(c);
	if (ftruncate(c->fd, (off_t)c->chunk_at) < 0)
		return r;
	return r;
}

int ch_chunk_open(struct ch_chunk *c, const char *path, struct ch_error *err)
{
	int r;

	*c = (struct ch_chunk){ .fd = -1,
		                .events = CH_BUF(EVENTS_MAX),
		                .tail = CH_BUF(2 * EVENTS_MAX) };
	for (unsigned t = 0; t < CH_T_COUNT; t++)
		c->pools[t].bytes = CH_BUF(POOL_MAX);
	snprintf(c->path, sizeof(c->path), "%s", path);
	c->fd = ch_file_create(path, err);
	if (c->fd < 0)
		return c->fd;
	r = begin(c, err);
	if (r < 0) {
		struct ch_error ignored;

		unlink(path);
		ch_chunk_close(c, &ignored);
	}
	return r;
}

int ch_chunk_next(struct ch_chunk *c, struct ch_error *err)
{
	int r = ch_chunk_flush(c, err);

	if (r < 0)
		return r;
	c->chunk_at += c->size;
	return begin(c, err);
}

int ch_chunk_again(struct ch_chunk *c, struct ch_error *err)
{
	forget_gathered(c);
	if (ftruncate(c->fd, (off_t)c->chunk_at) < 0)
		return ch_fail(err, -errno, "'%s': %m", c->path);
	return begin(c, err);
}

int ch_chunk_close(struct ch_chunk *c, struct ch_error *err)
{
	int r = 0;

	if (c->fd < 0)
		return 0;
	if (c->size)
		r = ch_chunk_flush(c, err);
	close(c->fd);
	c->fd = -1;
	ch_buf_done(&c->events);
	ch_buf_done(&c->tail);
	for (unsigned t = 0; t < CH_T_COUNT; t++)
		ch_buf_done(&c->pools[t].bytes);
	return r;
}

size_t ch_chunk_event(struct ch_chunk *c, enum ch_type type, int64_t ticks)
{
	size_t begun = ch_jfr_event_begin(&c->events, ch_type_id(type));

	ch_jfr_put_int(&c->events, (uint64_t)ticks);
	return begun;
}

void ch_chunk_text(struct ch_chunk *c, const char *text)
{
	if (text)
		ch_jfr_put_text(&c->events, text, strlen(text));
	else
		ch_jfr_put_null(&c->events);
}

void ch_chunk_float(struct ch_chunk *c, float v)
{
	uint32_t bits;
	uint8_t be[4];

	memcpy(&bits, &v, sizeof(bits));
	for (int i = 0; i < 4; i++)
		be[i] = (uint8_t)(bits >> (24 - 8 * i));
	ch_buf_put(&c->events, be, sizeof(be));
}
