#include "formats/jfr_read.h"

#include <errno.h>
#include <string.h>

/*
 * Pages that were read come to count as our memory. A block is what the kernel maps at one fault;
 * once enough blocks were touched, all of the chunk's pages go back. They stay in the page cache:
 * touching them again costs a fault, no reading.
 */
#define BLOCK_BYTES   ((size_t)64 << 10)
#define RELEASE_BYTES ((size_t)48 << 20)

static size_t touched_words(const struct ch_rec *r)
{
	return r->chunk.size / BLOCK_BYTES / 64 + 1;
}

void ch_rec_touch(struct ch_rec *r, size_t offset)
{
	size_t block = offset / BLOCK_BYTES;
	uint64_t bit = UINT64_C(1) << (block & 63);

	if (r->touched_blocks[block / 64] & bit)
		return;
	r->touched_blocks[block / 64] |= bit;
	r->touched += BLOCK_BYTES;
	if (r->touched < RELEASE_BYTES)
		return;
	ch_input_release(r->in, r->chunk.at, r->chunk.at + r->chunk.size);
	memset(r->touched_blocks, 0, touched_words(r) * sizeof(*r->touched_blocks));
	r->touched = 0;
}

/* The body of the metadata event: where the header says, or the last one there is. */
static bool find_metadata(const struct ch_jfr_chunk *chunk, struct ch_cursor *ret)
{
	struct ch_cursor c, body;
	uint64_t at = chunk->head.types_at, type;
	bool found = false;

	if (at >= CH_JFR_HEADER_SIZE && at < chunk->size) {
		c = ch_jfr_value(chunk, at);
		if (ch_jfr_event_next(&c, &type, ret) && type == CH_JFR_TYPE_METADATA)
			return true;
	}
	c = ch_jfr_events(chunk);
	while (ch_jfr_event_next(&c, &type, &body)) {
		if (type != CH_JFR_TYPE_METADATA)
			continue;
		*ret = body;
		found = true;
	}
	return found;
}

static int read_types(struct ch_rec *r, struct ch_error *why)
{
	struct ch_cursor body;
	int e;

	if (!r->chunk.head.compressed)
		return ch_fail(why, -EBADMSG, "its integers are not compressed, as no JDK writes");
	if (!find_metadata(&r->chunk, &body))
		return ch_fail(why, -EBADMSG,
		               "its metadata is missing, without which no event can be read "
		               "(the recorder was killed before it wrote them)");
	e = ch_jfr_types_read(&r->types, body);
	return e < 0 ? ch_fail(why, e, "its metadata is damaged") : 0;
}

static int read_pools(struct ch_rec *r, struct ch_error *why)
{
	int e;

	ch_rec_constants_plan(r);
	e = ch_jfr_pools_read(&r->chunk, &r->types, r->pools, CH_REC_POOLS);
	if (e == -ENOMEM)
		return ch_fail(why, e, "%m");
	if (e < 0)
		ch_profile_damage(r->p, "'%s': chunk at byte %zu: some constants could not be read",
		                  r->in->name, r->chunk.at);
	if (!r->pools[CH_REC_STACKS].map.used && !r->chunk.finished)
		return ch_fail(why, -EBADMSG,
		               "it was not finished, and its stacks were not written "
		               "(the recorder was killed)");
	ch_rec_constants_init(r);
	return 0;
}

static int prepare(struct ch_rec *r, struct ch_error *why)
{
	int e;

	r->scratch = CH_BUF((size_t)1 << 30);
	r->name = CH_BUF((size_t)1 << 30);
	r->touched_blocks = calloc(touched_words(r), sizeof(*r->touched_blocks));
	if (!r->touched_blocks)
		return ch_fail(why, -ENOMEM, "%m");
	e = read_types(r, why);
	return e < 0 ? e : read_pools(r, why);
}

void ch_rec_done(struct ch_rec *r)
{
	ch_rec_events_done(r);
	ch_rec_constants_done(r);
	ch_jfr_pools_done(r->pools, CH_REC_POOLS);
	ch_jfr_types_done(&r->types);
	free(r->touched_blocks);
	ch_input_release(r->in, r->chunk.at, r->chunk.at + r->chunk.size);
}

static void walk(struct ch_rec *r)
{
	struct ch_cursor c = ch_jfr_events(&r->chunk), body;
	uint64_t type;

	while (ch_jfr_event_next(&c, &type, &body)) {
		ch_rec_touch(r, (size_t)(body.p - r->chunk.data));
		ch_rec_event(r, type, body);
	}
	if (c.bad)
		ch_profile_damage(r->p, "'%s': the events end at byte %zu, where one is damaged",
		                  r->in->name, (size_t)(c.p - r->in->data));
}

static void tell(struct ch_rec *r)
{
	struct ch_profile *p = r->p;
	const char *name = r->in->name;

	if (r->n_bad)
		ch_profile_damage(p, "'%s': chunk at byte %zu: %llu damaged events left out", name,
		                  r->chunk.at, (unsigned long long)r->n_bad);
	if (r->n_lost_stacks)
		ch_profile_damage(p, "'%s': chunk at byte %zu: the stacks of %llu samples are lost",
		                  name, r->chunk.at, (unsigned long long)r->n_lost_stacks);
	if (r->lost_bytes)
		ch_profile_note(p,
		                "'%s': the recorder lost %llu bytes of events in the chunk at %zu",
		                name, (unsigned long long)r->lost_bytes, r->chunk.at);
	if (r->lost_samples)
		ch_profile_note(p,
		                "'%s': the recorder lost %llu CPU time samples in the chunk at %zu",
		                name, (unsigned long long)r->lost_samples, r->chunk.at);
}

static void add_times(struct ch_rec *r)
{
	const struct ch_jfr_header *h = &r->chunk.head;
	int64_t end = ch_sat_add(h->start_ns, h->duration_ns > 0 ? h->duration_ns : 0);

	if (r->p->start_ns == CH_NO_TIME || h->start_ns < r->p->start_ns)
		r->p->start_ns = h->start_ns;
	if (end > r->p->end_ns)
		r->p->end_ns = end;
}

int ch_rec_chunk(struct ch_rec *r, struct ch_error *why)
{
	int e = prepare(r, why);

	if (e >= 0)
		e = ch_rec_events_init(r) < 0 ? ch_fail(why, -ENOMEM, "%m") : 0;
	if (e >= 0) {
		walk(r);
		tell(r);
		add_times(r);
	}
	ch_rec_done(r);
	return e;
}
