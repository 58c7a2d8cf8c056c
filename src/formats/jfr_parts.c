#include "formats/jfr_read.h"
#include "base/vec.h"
#include "sys/par.h"

#include <errno.h>
#include <pthread.h>

/* Below this a chunk is read before threads have started. */
#define CHUNK_MIN_BYTES ((size_t)4 << 20)
/* Long enough that taking a range and giving its memory back costs little beside reading it. */
#define RANGE_BYTES ((size_t)2 << 20)
/* What a fault brings in at most, around the page that is asked for. */
#define FAULT_BYTES ((size_t)256 << 10)
/* Events other than samples are few; a chunk of many is read the plain way. */
#define LATER_MAX ((size_t)1 << 16)

/* Where a range begins in its chunk and in what its part holds. */
struct range {
	size_t at, group, later;
};

/*
 * What one job makes of its ranges. The reader is a copy of the chunk's own with handlers and groups
 * of its own; all else in it is only read.
 */
struct part {
	struct ch_rec r;
	struct ch_rec_groups groups;
	struct ch_rec_later later;
	struct range *ranges;
	size_t n_ranges, cap;
	size_t next; /* range to be joined next */
};

struct ch_rec_parts {
	pthread_mutex_t lock;
	struct ch_cursor events; /* those not yet taken */
	struct ch_rec *whole;
	struct ch_error *why;
	int status; /* of the pools */
	unsigned n;
	struct part part[];
};

static bool part_init(struct part *part, const struct ch_rec *r)
{
	part->r = *r;
	part->r.groups = &part->groups;
	part->r.later = &part->later;
	part->r.handlers = ch_rec_handlers_copy(r);
	return part->r.handlers;
}

struct ch_rec_parts *ch_rec_parts_new(struct ch_rec *r)
{
	unsigned n = ch_par_cores();
	struct ch_rec_parts *parts;

	/* Times and spans make of each event a sample of its own, or look into pools. */
	if (n == 1 || r->chunk.size < CHUNK_MIN_BYTES || r->p->want.times || r->spans)
		return NULL;
	parts = calloc(1, sizeof(*parts) + n * sizeof(*parts->part));
	if (!parts)
		return NULL;
	pthread_mutex_init(&parts->lock, NULL);
	parts->events = ch_jfr_events(&r->chunk);
	parts->whole = r;
	while (parts->n < n && part_init(&parts->part[parts->n], r))
		parts->n++;
	if (parts->n)
		return parts;
	ch_rec_parts_free(parts);
	return NULL;
}

void ch_rec_parts_free(struct ch_rec_parts *parts)
{
	if (!parts)
		return;
	for (unsigned i = 0; i < parts->n; i++) {
		struct part *part = &parts->part[i];

		free(part->r.handlers);
		free(part->later.items);
		free(part->ranges);
		ch_rec_groups_done(&part->groups);
	}
	pthread_mutex_destroy(&parts->lock);
	free(parts);
}

/* The next range of whole events: only their sizes are read here. */
static bool take(struct ch_rec_parts *parts, struct ch_cursor *ret)
{
	struct ch_cursor body, *c = &parts->events;
	const uint8_t *start;
	uint64_t type;

	pthread_mutex_lock(&parts->lock);
	start = c->p;
	while ((size_t)(c->p - start) < RANGE_BYTES && ch_jfr_event_next(c, &type, &body))
		;
	*ret = ch_cursor(start, (size_t)(c->p - start));
	pthread_mutex_unlock(&parts->lock);
	return ch_cursor_left(ret);
}

static void read_range(struct part *part, struct ch_cursor c)
{
	struct ch_rec *r = &part->r;
	size_t at = (size_t)(c.p - r->chunk.data), end = (size_t)(c.end - r->chunk.data);
	struct ch_cursor body;
	uint64_t type;

	if (CH_ROOM(part->ranges, part->cap, part->n_ranges + 1) < 0) {
		part->later.full = true;
		return;
	}
	part->ranges[part->n_ranges++] = (struct range){ at, part->groups.n, part->later.n };
	while (ch_jfr_event_next(&c, &type, &body))
		ch_rec_event(r, type, body);
	if (!ch_rec_groups_settle(&part->groups))
		part->later.full = true;
	/* A fault at the start of this range brought in the end of the one before, too. */
	at -= at < FAULT_BYTES ? at : FAULT_BYTES;
	ch_input_release(r->in, r->chunk.at + at, r->chunk.at + end);
}

/* The first job reads the pools before it takes events: they are not needed to group them. */
static void work(void *ctx, unsigned i)
{
	struct ch_rec_parts *parts = ctx;
	struct part *part = &parts->part[i];
	struct ch_cursor range;

	if (i == 0)
		parts->status = ch_rec_open_pools(parts->whole, parts->why);
	while (!part->later.full && take(parts, &range))
		read_range(part, range);
}

int ch_rec_parts_run(struct ch_rec_parts *parts, struct ch_error *why)
{
	parts->why = why;
	ch_par_run(parts->n, work, parts);
	return parts->status;
}

/* The part whose next range comes first in the chunk, or NULL. */
static struct part *first_part(struct ch_rec_parts *parts)
{
	struct part *first = NULL;

	for (unsigned i = 0; i < parts->n; i++) {
		struct part *part = &parts->part[i];

		if (part->next < part->n_ranges &&
		    (!first || part->ranges[part->next].at < first->ranges[first->next].at))
			first = part;
	}
	return first;
}

static void join_range(struct ch_rec *r, struct part *part)
{
	const struct range *from = &part->ranges[part->next++];
	bool last = part->next == part->n_ranges;
	size_t groups_end = last ? part->groups.n : from[1].group;
	size_t later_end = last ? part->later.n : from[1].later;

	for (size_t i = from->group; i < groups_end; i++)
		ch_rec_sample(r, &part->groups.items[i]);
	for (size_t i = from->later; i < later_end; i++)
		ch_rec_event(r, part->later.items[i].type, part->later.items[i].body);
}

bool ch_rec_parts_join(struct ch_rec_parts *parts, struct ch_cursor *ret_end)
{
	struct ch_rec *r = parts->whole;
	struct part *part;

	for (unsigned i = 0; i < parts->n; i++)
		if (parts->part[i].later.full)
			return false;
	while ((part = first_part(parts)))
		join_range(r, part);
	for (unsigned i = 0; i < parts->n; i++) {
		r->n_bad += parts->part[i].r.n_bad;
		ch_rec_handlers_join(r, parts->part[i].r.handlers);
	}
	*ret_end = parts->events;
	return true;
}

bool ch_rec_later_add(struct ch_rec_later *l, uint64_t type, struct ch_cursor body)
{
	if (l->n >= LATER_MAX || CH_ROOM(l->items, l->cap, l->n + 1) < 0)
		return false;
	l->items[l->n].type = type;
	l->items[l->n++].body = body;
	return true;
}
