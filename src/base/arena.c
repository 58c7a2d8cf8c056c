#include "base/arena.h"

#include <string.h>

#define BLOCK_MIN (64 * 1024)
#define BLOCK_MAX (4 * 1024 * 1024)

struct ch_arena_block {
	struct ch_arena_block *next;
	size_t size;
	char data[];
};

void ch_arena_done(struct ch_arena *a)
{
	struct ch_arena_block *b = a->head, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct ch_arena){ .max = a->max };
}

static int add_block(struct ch_arena *a, size_t n)
{
	size_t size = a->head ? a->head->size * 2 : BLOCK_MIN;
	struct ch_arena_block *b;

	if (n > a->max || a->used > a->max - n)
		return -1;
	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < n)
		size = n;
	b = malloc(sizeof(*b) + size);
	if (!b)
		return -1;
	b->next = a->head;
	b->size = size;
	a->head = b;
	a->at = b->data;
	a->end = b->data + size;
	a->used += size;
	return 0;
}

char *ch_arena_bytes(struct ch_arena *a, size_t n)
{
	char *p;

	if ((size_t)(a->end - a->at) < n && add_block(a, n) < 0)
		return NULL;
	p = a->at;
	a->at += n;
	return p;
}

void *ch_arena_alloc(struct ch_arena *a, size_t n)
{
	size_t pad = -(uintptr_t)a->at & 7;

	if ((size_t)(a->end - a->at) < n + pad) {
		if (add_block(a, n + 8) < 0)
			return NULL;
		pad = -(uintptr_t)a->at & 7;
	}
	a->at += pad;
	return ch_arena_bytes(a, n);
}

char *ch_arena_strndup(struct ch_arena *a, const char *s, size_t n)
{
	char *p = ch_arena_bytes(a, n + 1);

	if (p) {
		memcpy(p, s, n);
		p[n] = 0;
	}
	return p;
}
