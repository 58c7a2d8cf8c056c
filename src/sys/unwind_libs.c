#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "sys/maps.h"
#include "sys/unwind_table.h"

/* A file that is mapped, with its table if it has one. */
struct source {
	uint64_t device, inode;
	struct ch_unwind_table *table; /* NULL: not wanted, no room, or it has none */
	bool seen;
};

struct ch_unwind {
	struct ch_unwind_shared shared; /* first: handlers know only this part */
	size_t max_bytes, used;
	ch_unwind_want *want;
	void *ctx;
	uint64_t stamp;
	struct ch_maps maps;
	struct source *sources;
	size_t n_sources, sources_cap;
	struct ch_unwind_list *old; /* lists that a handler may still look at */
};

struct ch_unwind *ch_unwind_new(size_t max_bytes, ch_unwind_want *want, void *ctx)
{
	struct ch_unwind *u = calloc(1, sizeof(*u));

	if (u) {
		u->max_bytes = max_bytes;
		u->want = want;
		u->ctx = ctx;
	}
	return u;
}

size_t ch_unwind_bytes(const struct ch_unwind *u)
{
	return u->used;
}

/* --- what is over ------------------------------------------------------------------------------ */

static void free_table(struct ch_unwind *u, struct ch_unwind_table *t)
{
	if (t)
		u->used -= t->bytes;
	ch_unwind_table_free(t);
}

static void free_list(struct ch_unwind *u, struct ch_unwind_list *list)
{
	while (list) {
		struct ch_unwind_list *next = list->next;

		while (list->retire) {
			struct ch_unwind_table *t = list->retire;

			list->retire = t->next;
			free_table(u, t);
		}
		free(list);
		list = next;
	}
}

/* Old lists were unpublished before: when nobody is inside now, nobody sees them any more. */
static void free_old(struct ch_unwind *u)
{
	if (!u->old || atomic_load(&u->shared.handlers))
		return;
	free_list(u, u->old);
	u->old = NULL;
}

void ch_unwind_free(struct ch_unwind *u)
{
	if (!u)
		return;
	free_list(u, u->old);
	free_list(u, atomic_load(&u->shared.list));
	for (size_t i = 0; i < u->n_sources; i++)
		free_table(u, u->sources[i].table);
	free(u->sources);
	ch_maps_done(&u->maps);
	free(u);
}

/* --- what is there ----------------------------------------------------------------------------- */

static struct source *source_of(struct ch_unwind *u, const struct ch_maps_range *r)
{
	for (size_t i = 0; i < u->n_sources; i++)
		if (u->sources[i].inode == r->inode && u->sources[i].device == r->device)
			return &u->sources[i];
	if (CH_ROOM(u->sources, u->sources_cap, u->n_sources + 1) < 0)
		return NULL;
	u->sources[u->n_sources] = (struct source){ .device = r->device, .inode = r->inode };
	return &u->sources[u->n_sources++];
}

static void build(struct ch_unwind *u, struct source *s, const struct ch_elf *e,
                  const struct ch_maps_range *r)
{
	size_t room = u->used < u->max_bytes ? u->max_bytes - u->used : 0;

	if (u->want && !u->want(u->ctx, r->path))
		return;
	if (ch_unwind_build_elf(e, room, &s->table, NULL) >= 0)
		u->used += s->table->bytes;
}

/* Adds the range to the list when there is a table for it; makes the table for a new file. */
static void add_range(struct ch_unwind *u, struct ch_unwind_list *list,
                      const struct ch_maps_range *r)
{
	size_t known = u->n_sources;
	struct source *s = source_of(u, r);
	struct ch_elf e = { 0 };
	uint64_t addr = r->offset;

	if (!s)
		return;
	s->seen = true;
	if (known == u->n_sources && !s->table)
		return;
	if (ch_maps_open(r, &e) < 0)
		return;
	if (known != u->n_sources)
		build(u, s, &e, r);
	if (s->table && ch_elf_addr(&e, r->offset, &addr))
		list->libs[list->n++] =
		    (struct ch_unwind_lib){ r->start, r->end, r->start - addr, s->table };
	ch_elf_done(&e);
}

/* Tables of files that are gone leave with the list that knew them. */
static void retire_unseen(struct ch_unwind *u, struct ch_unwind_list *last)
{
	size_t n = 0;

	for (size_t i = 0; i < u->n_sources; i++) {
		struct source *s = &u->sources[i];

		if (s->seen) {
			s->seen = false;
			u->sources[n++] = *s;
		} else if (s->table && last) {
			s->table->next = last->retire;
			last->retire = s->table;
		}
	}
	u->n_sources = n;
}

static int publish(struct ch_unwind *u)
{
	struct ch_unwind_list *list, *last = atomic_load(&u->shared.list);

	list = calloc(1, sizeof(*list) + u->maps.n * sizeof(list->libs[0]));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < u->maps.n; i++)
		if (ch_maps_is_file(&u->maps.ranges[i]))
			add_range(u, list, &u->maps.ranges[i]);
	retire_unseen(u, last);
	atomic_store(&u->shared.list, list);
	if (last) {
		last->next = u->old;
		u->old = last;
	}
	return 1;
}

int ch_unwind_refresh(struct ch_unwind *u)
{
	uint64_t stamp = ch_maps_stamp();
	int r;

	free_old(u);
	if (atomic_load(&u->shared.list) && stamp == u->stamp)
		return 0;
	r = ch_maps_read(&u->maps, 0, NULL);
	if (r > 0)
		r = publish(u);
	if (r >= 0)
		u->stamp = stamp;
	else
		ch_maps_done(&u->maps); /* to be read again */
	return r;
}
