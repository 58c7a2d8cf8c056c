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
/* Names are cut much shorter; this bounds one string on its way. */
#define TEXT_MAX ((size_t)256 << 20)

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

int ch_rec_open_types(struct ch_rec *r, struct ch_error *why)
{
	struct ch_cursor body;
	int e;

	r->scratch = CH_BUF(TEXT_MAX);
	r->name = CH_BUF(TEXT_MAX);
	ch_rec_labels_init(r);
	r->touched_blocks = calloc(touched_words(r), sizeof(*r->touched_blocks));
	if (!r->touched_blocks)
		return ch_fail(why, -ENOMEM, "%m");
	if (!r->chunk.head.compressed)
		return ch_fail(why, -EBADMSG, "its integers are not compressed, as no JDK writes");
	if (!find_metadata(&r->chunk, &body))
		return ch_fail(why, -EBADMSG,
		               "it has no metadata, without which its events mean nothing");
	e = ch_jfr_types_read(&r->types, body);
	if (e == -ENOMEM)
		return ch_fail(why, e, "%m");
	return e < 0 ? ch_fail(why, e, "its metadata is damaged") : 0;
}

int ch_rec_open_pools(struct ch_rec *r, struct ch_error *why)
{
	int e;

	ch_rec_constants_plan(r);
	e = ch_jfr_pools_read(&r->chunk, &r->types, r->pools, CH_REC_POOLS);
	if (e == -ENOMEM || r->types.no_memory)
		return ch_fail(why, -ENOMEM, "%m");
	if (e < 0)
		ch_profile_damage(r->p, "'%s': some constants of the chunk at byte %zu are damaged",
		                  r->in->name, r->chunk.at);
	ch_rec_constants_init(r);
	return 0;
}

void ch_rec_done(struct ch_rec *r)
{
	ch_rec_events_done(r);
	ch_rec_labels_done(r);
	ch_rec_constants_done(r);
	ch_jfr_pools_done(r->pools, CH_REC_POOLS);
	ch_jfr_types_done(&r->types);
	free(r->touched_blocks);
	ch_input_release(r->in, r->chunk.at, r->chunk.at + r->chunk.size);
}

static struct ch_cursor walk_alone(struct ch_rec *r)
{
	struct ch_cursor c = ch_jfr_events(&r->chunk), body;
	uint64_t type;

	while (ch_jfr_event_next(&c, &type, &body)) {
		ch_rec_touch(r, (size_t)(body.p - r->chunk.data));
		ch_rec_event(r, type, body);
	}
	return c;
}

static void walk(struct ch_rec *r, struct ch_rec_parts *parts)
{
	struct ch_cursor end;

	if (!parts || !ch_rec_parts_join(parts, &end))
		end = walk_alone(r);
	ch_rec_events_flush(r);
	if (end.bad)
		ch_profile_damage(r->p, "'%s': the events end at byte %zu, where one is damaged",
		                  r->in->name, (size_t)(end.p - r->in->data));
}

static void tell(struct ch_rec *r)
{
	if (r->n_bad)
		ch_profile_damage(r->p,
		                  "'%s': %llu damaged events of the chunk at byte %zu left out",
		                  r->in->name, (unsigned long long)r->n_bad, r->chunk.at);
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
	struct ch_rec_parts *parts = NULL;
	int e = ch_rec_open_types(r, why);

	if (e >= 0 && (ch_rec_events_init(r) < 0 || r->types.no_memory))
		e = ch_fail(why, -ENOMEM, "%m");
	if (e >= 0) {
		parts = ch_rec_parts_new(r);
		e = parts ? ch_rec_parts_run(parts, why) : ch_rec_open_pools(r, why);
	}
	/* Constants come last in a chunk: one cut short has counts, and nothing to count. */
	if (e >= 0 && !r->pools[CH_REC_STACKS].map.used && !r->chunk.finished)
		e = ch_fail(why, -EBADMSG,
		            "it was cut short before its stacks were written "
		            "(the recorder was killed)");
	if (e >= 0) {
		walk(r, parts);
		tell(r);
		add_times(r);
	}
	ch_rec_parts_free(parts);
	ch_rec_done(r);
	return e;
}
