#include "agent/defs.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

#define ARENA_MAX  (256u << 20)
#define SLACK      64         /* smaller ids that have their place without moving the others */
#define SPREAD_MAX (1u << 22) /* ids of one chunk lie no further apart */

void ch_defs_init(struct ch_defs *d)
{
	*d = (struct ch_defs){ .arena = CH_ARENA(ARENA_MAX) };
}

void ch_defs_done(struct ch_defs *d)
{
	struct ch_def_thread *t = d->threads.items;

	for (size_t i = 0; i < d->threads.n; i++)
		free(t[i].wall_frames);
	ch_arena_done(&d->arena);
	free(d->methods.items);
	free(d->threads.items);
	free(d->classes.items);
	*d = (struct ch_defs){ 0 };
}

size_t ch_defs_memory(const struct ch_defs *d)
{
	return d->arena.used + d->wall_bytes + d->methods.cap * sizeof(struct ch_def_method) +
	       d->threads.cap * sizeof(struct ch_def_thread) +
	       d->classes.cap * sizeof(struct ch_def_class);
}

static void *find(const struct ch_def_array *a, uint64_t id, size_t elem)
{
	return id >= a->first && id - a->first < a->n ? (char *)a->items + (id - a->first) * elem
	                                              : NULL;
}

/*
 * Makes room for smaller ids. Stripes are read one after the other, and a thread may be put aside
 * between taking an id and defining it: ids come in any order.
 */
static int lower(struct ch_def_array *a, uint64_t id, size_t elem)
{
	uint64_t first = id > SLACK ? id - SLACK : 0;
	size_t more = a->first - first;

	if (more >= SPREAD_MAX ||
	    (a->n + more > a->cap && ch_grow(&a->items, &a->cap, a->n + more, elem) < 0))
		return -ENOMEM;
	memmove((char *)a->items + more * elem, a->items, a->n * elem);
	memset(a->items, 0, more * elem);
	a->first = first;
	a->n += more;
	return 0;
}

/* The place of an id, zeroed when it is new. */
static void *place(struct ch_def_array *a, uint64_t id, size_t elem)
{
	size_t i;

	if (!a->n)
		a->first = id;
	if (id < a->first && lower(a, id, elem) < 0)
		return NULL;
	i = id - a->first;
	if (i >= SPREAD_MAX)
		return NULL;
	if (i >= a->n) {
		if (i >= a->cap && ch_grow(&a->items, &a->cap, i + 1, elem) < 0)
			return NULL;
		memset((char *)a->items + a->n * elem, 0, (i + 1 - a->n) * elem);
		a->n = i + 1;
	}
	return (char *)a->items + i * elem;
}

static const char *keep(struct ch_defs *d, const char *s, size_t n)
{
	char *copy = ch_arena_bytes(&d->arena, n + 1);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}

int ch_defs_add_method(struct ch_defs *d, const struct ch_rec_method *m)
{
	const struct ch_method_copy *c = &m->copy;
	struct ch_def_method *def = place(&d->methods, m->id, sizeof(*def));

	if (!def)
		return -ENOMEM;
	*def = (struct ch_def_method){ .class_len = c->class_len,
		                       .name_len = c->name_len,
		                       .sig_len = c->sig_len,
		                       .lines_len = c->lines_len };
	def->bytes =
	    keep(d, c->bytes, (size_t)c->class_len + c->name_len + c->sig_len + c->lines_len);
	return def->bytes ? 0 : -ENOMEM;
}

int ch_defs_add_thread(struct ch_defs *d, const struct ch_rec_thread *t)
{
	struct ch_def_thread *def = place(&d->threads, t->id, sizeof(*def));

	if (!def)
		return -ENOMEM;
	*def = (struct ch_def_thread){ .name = keep(d, t->name, t->len),
		                       .len = t->len,
		                       .tid = t->tid,
		                       .java_id = t->java_id };
	return def->name ? 0 : -ENOMEM;
}

int ch_defs_add_class(struct ch_defs *d, const struct ch_rec_class *c)
{
	struct ch_def_class *def = place(&d->classes, c->id, sizeof(*def));

	if (!def)
		return -ENOMEM;
	*def = (struct ch_def_class){ .name = keep(d, c->name, c->len), .len = c->len };
	return def->name ? 0 : -ENOMEM;
}

void ch_defs_follow(struct ch_defs *d, const struct ch_defs *before)
{
	d->methods.next = before->methods.next;
	d->threads.next = before->threads.next;
	d->classes.next = before->classes.next;
}

/* The place behind the last one: ids of what is carried over have no gaps. */
static void *next_place(struct ch_def_array *a, size_t elem, uint32_t *ret_id)
{
	*ret_id = ++a->next;
	return place(a, *ret_id, elem);
}

uint32_t ch_defs_carry_method(struct ch_defs *to, struct ch_def_method *def)
{
	size_t n = (size_t)def->class_len + def->name_len + def->sig_len + def->lines_len;
	struct ch_def_method *copy;
	uint32_t id;

	if (def->carried)
		return def->carried;
	copy = next_place(&to->methods, sizeof(*copy), &id);
	if (!copy)
		return 0;
	*copy = *def;
	copy->key = 0;
	copy->bytes = keep(to, def->bytes, n);
	return copy->bytes ? def->carried = id : 0;
}

uint32_t ch_defs_carry_thread(struct ch_defs *to, struct ch_def_thread *def)
{
	struct ch_def_thread *copy;
	uint32_t id;

	if (def->carried)
		return def->carried;
	copy = next_place(&to->threads, sizeof(*copy), &id);
	if (!copy)
		return 0;
	*copy = (struct ch_def_thread){ .name = keep(to, def->name, def->len),
		                        .len = def->len,
		                        .tid = def->tid,
		                        .java_id = def->java_id };
	return copy->name ? def->carried = id : 0;
}

uint32_t ch_defs_carry_class(struct ch_defs *to, struct ch_def_class *def)
{
	struct ch_def_class *copy;
	uint32_t id;

	if (def->carried)
		return def->carried;
	copy = next_place(&to->classes, sizeof(*copy), &id);
	if (!copy)
		return 0;
	*copy = (struct ch_def_class){ .name = keep(to, def->name, def->len), .len = def->len };
	return copy->name ? def->carried = id : 0;
}

/* Never 0, which malloc may answer with NULL: a sample without frames is one, too. */
static size_t wall_bytes(uint32_t n)
{
	return ((size_t)n + 1) * sizeof(uint64_t);
}

static void drop_wall(struct ch_defs *d, struct ch_def_thread *t)
{
	if (t->wall_frames)
		d->wall_bytes -= wall_bytes(t->wall_n);
	free(t->wall_frames);
	t->wall_frames = NULL;
}

void ch_defs_keep_wall(struct ch_defs *d, struct ch_def_thread *t, const uint64_t *frames,
                       uint32_t n, uint32_t end)
{
	/* First: without memory for the new one the old one must not be shown in its place. */
	drop_wall(d, t);
	t->wall_frames = malloc(wall_bytes(n));
	if (!t->wall_frames)
		return;
	memcpy(t->wall_frames, frames, n * sizeof(*frames));
	t->wall_n = n;
	t->wall_end = end;
	d->wall_bytes += wall_bytes(n);
}

struct ch_def_method *ch_defs_method(struct ch_defs *d, uint64_t id)
{
	struct ch_def_method *def = find(&d->methods, id, sizeof(*def));

	return def && def->bytes ? def : NULL;
}

struct ch_def_thread *ch_defs_thread(struct ch_defs *d, uint64_t id)
{
	struct ch_def_thread *def = find(&d->threads, id, sizeof(*def));

	return def && def->name ? def : NULL;
}

struct ch_def_class *ch_defs_class(struct ch_defs *d, uint64_t id)
{
	struct ch_def_class *def = find(&d->classes, id, sizeof(*def));

	return def && def->name ? def : NULL;
}

void ch_defs_unwrite(struct ch_defs *d)
{
	struct ch_def_method *m = d->methods.items;
	struct ch_def_thread *t = d->threads.items;
	struct ch_def_class *c = d->classes.items;

	for (size_t i = 0; i < d->methods.n; i++)
		m[i].key = m[i].carried = 0;
	for (size_t i = 0; i < d->threads.n; i++) {
		t[i].written = false;
		t[i].carried = 0;
	}
	for (size_t i = 0; i < d->classes.n; i++)
		c[i].carried = 0;
}
