#include "sys/symtable.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "sys/eh.h"

struct ch_symtable_row {
	uint32_t start, size;
	uint32_t name; /* flags and offset */
};

/* Of names for the same address the lowest rank is shown. */
#define NAME_POOLED     0x80000000u /* the offset is into the pool */
#define NAME_RANK_SHIFT 29
#define NAME_RANK_MAX   3u /* no name at all */
#define NAME_OFFSET     ((1u << NAME_RANK_SHIFT) - 1)

/* The files of large libraries pass through memory piece by piece. */
#define RELEASE_EVERY 8192

/* How far a symbol reaches that has neither a size nor a neighbour. */
#define REACH 4096u

void ch_symtable_init(struct ch_symtable *t, uint64_t base, size_t max_bytes)
{
	*t = (struct ch_symtable){ .base = base,
		                   .max_bytes = max_bytes,
		                   .names =
		                       CH_BUF(max_bytes < NAME_OFFSET ? max_bytes : NAME_OFFSET) };
}

void ch_symtable_done(struct ch_symtable *t)
{
	free(t->rows);
	ch_buf_done(&t->names);
	*t = (struct ch_symtable){ 0 };
}

size_t ch_symtable_bytes(const struct ch_symtable *t)
{
	return t->n * sizeof(*t->rows) + t->names.len;
}

/* --- filling ----------------------------------------------------------------------------------- */

/* Plain names before those with underscores (malloc, __libc_malloc), global before local ones. */
static uint32_t rank_of(const char *name, bool global)
{
	uint32_t rank = (name[0] == '_' && name[1] == '_') + !global;

	return rank << NAME_RANK_SHIFT;
}

static int add_row(struct ch_symtable *t, uint64_t start, uint64_t size, uint32_t name)
{
	uint64_t at = start - t->base;

	if (start < t->base || at > UINT32_MAX)
		return 0;
	if (ch_symtable_bytes(t) + sizeof(*t->rows) > t->max_bytes)
		return -E2BIG;
	if (CH_ROOM(t->rows, t->cap, t->n + 1) < 0)
		return -ENOMEM;
	if (size > UINT32_MAX - at)
		size = UINT32_MAX - at;
	t->rows[t->n++] = (struct ch_symtable_row){ (uint32_t)at, (uint32_t)size, name };
	return 0;
}

static int add_copy(struct ch_symtable *t, uint64_t start, uint64_t size, const char *name,
                    size_t n, uint32_t rank)
{
	size_t at = t->names.len;

	ch_buf_put(&t->names, name, n);
	ch_buf_putc(&t->names, '\0');
	if (t->names.err)
		return t->names.err;
	return add_row(t, start, size, NAME_POOLED | rank | (uint32_t)at);
}

int ch_symtable_add(struct ch_symtable *t, uint64_t start, uint64_t size, const char *name,
                    size_t n)
{
	return add_copy(t, start, size, name, n, 0);
}

static int add_symbols(struct ch_symtable *t, const struct ch_elf *e,
                       const struct ch_elf_symtab *from, bool copy)
{
	struct ch_elf_sym s;
	int r = 0;

	for (size_t i = 0; i < from->n && r >= 0; i++) {
		if (i % RELEASE_EVERY == RELEASE_EVERY - 1)
			ch_elf_release(e);
		if (!ch_elf_sym(from, i, &s) || !s.function || s.name_at > NAME_OFFSET)
			continue;
		if (copy)
			r = add_copy(t, s.value, s.size, s.name, strlen(s.name),
			             rank_of(s.name, s.global));
		else
			r = add_row(t, s.value, s.size, s.name_at | rank_of(s.name, s.global));
	}
	return r;
}

static int add_debugdata(struct ch_symtable *t, const struct ch_elf *e)
{
	struct ch_elf_symtab symtab;
	struct ch_elf inner;
	int r = 0;

	if (ch_elf_debugdata(e, &inner) < 0)
		return 0; /* fewer names */
	if (ch_elf_symtab(&inner, CH_ELF_SYMTAB, &symtab))
		r = add_symbols(t, &inner, &symtab, true);
	ch_elf_done(&inner);
	return r;
}

static int add_unnamed(struct ch_symtable *t, const struct ch_elf *e)
{
	struct ch_eh eh;
	int r = 0;

	if (!ch_eh_open(e, &eh))
		return 0;
	for (size_t i = 0; i < eh.n && r >= 0; i++)
		r = add_row(t, ch_eh_start(&eh, i), 0, NAME_RANK_MAX << NAME_RANK_SHIFT);
	return r;
}

int ch_symtable_add_elf(struct ch_symtable *t, const struct ch_elf *e, bool copy)
{
	struct ch_elf_symtab symtab = ch_symtable_names(e), all;
	int r = add_symbols(t, e, &symtab, copy);

	if (r >= 0 && !ch_elf_symtab(e, CH_ELF_SYMTAB, &all))
		r = add_debugdata(t, e);
	return r < 0 ? r : add_unnamed(t, e);
}

struct ch_elf_symtab ch_symtable_names(const struct ch_elf *e)
{
	struct ch_elf_symtab t = { 0 };

	if (!ch_elf_symtab(e, CH_ELF_SYMTAB, &t) && !ch_elf_symtab(e, CH_ELF_DYNSYM, &t))
		return (struct ch_elf_symtab){ 0 };
	return t;
}

/* --- order ------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct ch_symtable_row *x = a, *y = b;
	uint32_t xr = x->name & ~NAME_POOLED, yr = y->name & ~NAME_POOLED;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return xr < yr ? -1 : xr > yr; /* the rank stands above the offset */
}

static void merge_equal(struct ch_symtable *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct ch_symtable_row *last = n ? &t->rows[n - 1] : NULL;

		if (!last || last->start != t->rows[i].start)
			t->rows[n++] = t->rows[i];
		else if (!last->size)
			last->size = t->rows[i].size;
	}
	t->n = n;
}

static void reach_neighbours(struct ch_symtable *t)
{
	for (size_t i = 0; i < t->n; i++) {
		uint32_t room = UINT32_MAX - t->rows[i].start;

		if (t->rows[i].size)
			continue;
		if (i + 1 < t->n)
			t->rows[i].size = t->rows[i + 1].start - t->rows[i].start;
		else
			t->rows[i].size = room < REACH ? room : REACH;
	}
}

void ch_symtable_finish(struct ch_symtable *t)
{
	void *fit;

	if (t->n)
		qsort(t->rows, t->n, sizeof(*t->rows), by_start);
	merge_equal(t);
	reach_neighbours(t);
	fit = t->n ? realloc(t->rows, t->n * sizeof(*t->rows)) : NULL;
	if (fit) {
		t->rows = fit;
		t->cap = t->n;
	}
	fit = t->names.len ? realloc(t->names.data, t->names.len) : NULL;
	if (fit) {
		t->names.data = fit;
		t->names.cap = t->names.len;
	}
}

/* --- search ------------------------------------------------------------------------------------ */

/* How many rows start at or before an offset. */
static size_t rows_upto(const struct ch_symtable *t, uint32_t at)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->rows[mid].start <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const char *name_of(const struct ch_symtable *t, uint32_t name,
                           const struct ch_elf_symtab *elf_names)
{
	uint32_t at = name & NAME_OFFSET;

	if (name & NAME_POOLED)
		return t->names.data + at;
	if ((name >> NAME_RANK_SHIFT) == NAME_RANK_MAX || !elf_names || at >= elf_names->names_size)
		return NULL;
	return elf_names->names + at;
}

bool ch_symtable_find(const struct ch_symtable *t, uint64_t addr,
                      const struct ch_elf_symtab *elf_names, struct ch_symtable_hit *ret)
{
	/* A symbol may lie within another one: look some rows back for the outer one. */
	enum { BACK = 8 };
	uint64_t at = addr - t->base;
	size_t i;

	if (addr < t->base || at > UINT32_MAX)
		return false;
	i = rows_upto(t, (uint32_t)at);
	for (size_t back = 0; back < BACK && i > back; back++) {
		const struct ch_symtable_row *row = &t->rows[i - back - 1];

		if (at - row->start >= row->size)
			continue;
		*ret = (struct ch_symtable_hit){ t->base + row->start, row->size,
			                         name_of(t, row->name, elf_names) };
		return true;
	}
	return false;
}
