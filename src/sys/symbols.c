#include "sys/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "sys/kernel.h"
#include "sys/maps.h"
#include "sys/symlist.h"
#include "sys/symtable.h"

#define NAME_SIZE   512
#define CACHE_SLOTS 512 /* a power of two */
/* Reading names brings pages of the files in; they are given back after so many, or by refresh. */
#define READS_KEPT 512

struct library {
	const char *base; /* the last part of its path, interned */
	uint64_t device, inode;
	bool tried;
	uint64_t shift;    /* from offsets of the file to addresses, where code is */
	struct ch_elf elf; /* kept for its names; all zero when they were copied */
	struct ch_elf_symtab names;
	struct ch_symtable table;
};

/* What belongs to a range of the maps: address - bias is the address in the library. */
struct place {
	uint32_t library; /* counted from 1; 0 for memory without a file */
	bool known;
	uint64_t bias;
};

/* Other sources of symbols, read when first needed. */
struct list {
	bool tried;
	struct ch_symtable table;
};

struct ch_symbols {
	size_t max_bytes, used;
	uint64_t stamp;
	struct ch_maps maps;
	struct place *places; /* one for each range */
	size_t places_cap;
	struct library *libraries;
	size_t n_libraries, libraries_cap;
	struct ch_strtab names;
	struct list kernel, perf;
	struct timespec perf_time;
	off_t perf_size;
	unsigned reads;
	struct {
		uint64_t pc; /* 0 is never asked for */
		struct ch_symbol symbol;
	} cache[CACHE_SLOTS];
};

struct ch_symbols *ch_symbols_new(size_t max_bytes)
{
	struct ch_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->max_bytes = max_bytes;
	ch_strtab_init(&s->names, max_bytes / 4);
	return s;
}

static void library_done(struct library *l)
{
	ch_elf_done(&l->elf);
	ch_symtable_done(&l->table);
}

void ch_symbols_free(struct ch_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_libraries; i++)
		library_done(&s->libraries[i]);
	free(s->libraries);
	free(s->places);
	ch_symtable_done(&s->kernel.table);
	ch_symtable_done(&s->perf.table);
	ch_maps_done(&s->maps);
	ch_strtab_done(&s->names);
	free(s);
}

size_t ch_symbols_bytes(const struct ch_symbols *s)
{
	return s->used + s->names.arena.used;
}

static size_t room(const struct ch_symbols *s)
{
	return s->used < s->max_bytes ? s->max_bytes - s->used : 0;
}

/* The one copy of a text; NULL when there is no room for it. */
static const char *intern(struct ch_symbols *s, const char *text, size_t n)
{
	uint32_t id = ch_strtab_id(&s->names, text, n);

	s->names.err = 0; /* a shorter one may still fit */
	return id ? s->names.text[id] : NULL;
}

/* --- libraries --------------------------------------------------------------------------------- */

/* The library of a range, from 1; 0 when it is none. The vdso is the one that has no file. */
static uint32_t library_of(struct ch_symbols *s, const struct ch_maps_range *r)
{
	struct ch_span name = ch_maps_name(r);
	const char *base;

	if (!ch_maps_is_file(r))
		return 0;
	for (size_t i = 0; i < s->n_libraries; i++)
		if (s->libraries[i].inode == r->inode && s->libraries[i].device == r->device)
			return (uint32_t)i + 1;
	base = intern(s, name.s, name.n);
	if (!base || CH_ROOM(s->libraries, s->libraries_cap, s->n_libraries + 1) < 0)
		return 0;
	s->libraries[s->n_libraries++] = (struct library){
		.base = base,
		.device = r->device,
		.inode = r->inode,
	};
	return (uint32_t)s->n_libraries;
}

static void load_library(struct ch_symbols *s, struct library *l, const struct ch_maps_range *r)
{
	struct ch_elf elf = { 0 };
	uint64_t addr;
	bool copy;

	l->tried = true;
	if (ch_maps_open(r, &elf) < 0)
		return;
	copy =
	    elf.owner == CH_ELF_MEMORY; /* pages of our own cannot be given back and come again */
	if (ch_elf_addr(&elf, r->offset, &addr))
		l->shift = addr - r->offset;
	ch_symtable_init(&l->table, 0, room(s));
	if (ch_symtable_add_elf(&l->table, &elf, copy) < 0)
		ch_symtable_done(&l->table); /* over the limit: addresses must do */
	ch_symtable_finish(&l->table);
	s->used += ch_symtable_bytes(&l->table);
	if (copy)
		ch_elf_done(&elf);
	ch_elf_release(&elf);
	l->elf = elf;
	l->names = ch_symtable_names(&l->elf);
}

static void release_pages(struct ch_symbols *s)
{
	if (!s->reads)
		return;
	s->reads = 0;
	for (size_t i = 0; i < s->n_libraries; i++)
		ch_elf_release(&s->libraries[i].elf);
}

/* --- answers ----------------------------------------------------------------------------------- */

static void name_it(struct ch_symbols *s, const struct ch_symtable_hit *hit, struct ch_symbol *ret)
{
	char text[NAME_SIZE];
	const char *name;

	if (hit->name)
		ch_demangle(hit->name, text, sizeof(text));
	else
		(void)snprintf(text, sizeof(text), "%s+0x%llx", ret->library,
		               (unsigned long long)hit->start);
	name = intern(s, text, strlen(text));
	ret->name = name ? name : ret->library;
	ret->start = hit->start;
	ret->size = hit->size;
}

static bool find_in_library(struct ch_symbols *s, uint64_t pc, const struct ch_maps_range *r,
                            struct ch_symbol *ret)
{
	struct place *p = &s->places[r - s->maps.ranges];
	struct library *l = &s->libraries[p->library - 1];
	struct ch_symtable_hit hit;
	uint64_t addr = 0;

	if (!l->tried)
		load_library(s, l, r);
	if (!p->known) {
		if (!ch_elf_addr(&l->elf, r->offset, &addr))
			addr = r->offset + l->shift;
		p->bias = r->start - addr;
		p->known = true;
	}
	addr = pc - p->bias;
	if (!ch_symtable_find(&l->table, addr, &l->names, &hit))
		hit = (struct ch_symtable_hit){ .start = addr, .size = 1 };
	ret->library = l->base;
	name_it(s, &hit, ret);
	ret->start += p->bias;
	if (++s->reads >= READS_KEPT)
		release_pages(s);
	return true;
}

static bool find_in_list(struct ch_symbols *s, const struct list *list, uint64_t pc,
                         const char *library, struct ch_symbol *ret)
{
	struct ch_symtable_hit hit;

	if (!ch_symtable_find(&list->table, pc, NULL, &hit))
		return false;
	ret->library = library;
	name_it(s, &hit, ret);
	return true;
}

static bool find_in_kernel(struct ch_symbols *s, uint64_t pc, struct ch_symbol *ret)
{
	if (!s->kernel.tried) {
		s->kernel.tried = true;
		(void)ch_symlist_kernel("/proc/kallsyms", &s->kernel.table, room(s));
		s->used += ch_symtable_bytes(&s->kernel.table);
	}
	return find_in_list(s, &s->kernel, pc, "[kernel]", ret);
}

static void perf_path(char path[64])
{
	(void)snprintf(path, 64, "/tmp/perf-%d.map", getpid());
}

static bool find_in_perf_map(struct ch_symbols *s, uint64_t pc, struct ch_symbol *ret)
{
	char path[64];

	if (!s->perf.tried) {
		s->perf.tried = true;
		perf_path(path);
		(void)ch_symlist_perf(path, &s->perf.table, room(s));
		s->used += ch_symtable_bytes(&s->perf.table);
	}
	return find_in_list(s, &s->perf, pc, "[perf map]", ret);
}

static bool find(struct ch_symbols *s, uint64_t pc, struct ch_symbol *ret)
{
	const struct ch_maps_range *r;

	if (pc >> 63)
		return find_in_kernel(s, pc, ret);
	r = ch_maps_find(&s->maps, pc);
	if (r && s->places[r - s->maps.ranges].library)
		return find_in_library(s, pc, r, ret);
	return find_in_perf_map(s, pc, ret);
}

bool ch_symbols_find(struct ch_symbols *s, uint64_t pc, struct ch_symbol *ret)
{
	size_t slot = ch_hash_u64(pc, 0) & (CACHE_SLOTS - 1);
	struct ch_symbol found;

	if (!pc)
		return false;
	if (s->cache[slot].pc == pc) {
		*ret = s->cache[slot].symbol;
		return true;
	}
	if (!find(s, pc, &found))
		return false;
	s->cache[slot].pc = pc;
	s->cache[slot].symbol = *ret = found;
	return true;
}

/* --- changes ----------------------------------------------------------------------------------- */

static bool perf_map_changed(struct ch_symbols *s)
{
	struct stat st = { 0 };
	char path[64];

	perf_path(path);
	if (ch_stat(path, &st) < 0)
		st = (struct stat){ 0 };
	if (st.st_size == s->perf_size && st.st_mtim.tv_sec == s->perf_time.tv_sec &&
	    st.st_mtim.tv_nsec == s->perf_time.tv_nsec)
		return false;
	s->perf_size = st.st_size;
	s->perf_time = st.st_mtim;
	s->used -= ch_symtable_bytes(&s->perf.table);
	ch_symtable_done(&s->perf.table);
	s->perf.tried = false;
	return true;
}

/* 1 when the libraries are others than before. */
static int read_maps(struct ch_symbols *s)
{
	uint64_t stamp = ch_maps_stamp();
	int r;

	if (s->maps.n && stamp == s->stamp)
		return 0;
	r = ch_maps_read(&s->maps, 0, NULL);
	if (r >= 0)
		s->stamp = stamp;
	if (r <= 0)
		return r;
	if (CH_ROOM(s->places, s->places_cap, s->maps.n) < 0) {
		ch_maps_done(&s->maps);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->maps.n; i++)
		s->places[i] = (struct place){ .library = library_of(s, &s->maps.ranges[i]) };
	return 1;
}

int ch_symbols_refresh(struct ch_symbols *s)
{
	int r = read_maps(s);
	bool perf = perf_map_changed(s);

	release_pages(s);
	if (r > 0 || perf)
		memset(s->cache, 0, sizeof(s->cache));
	return r < 0 ? r : r > 0 || perf;
}
