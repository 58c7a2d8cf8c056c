#include "base/strtab.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"

#include <errno.h>

void ch_strtab_init(struct ch_strtab *t, size_t max_bytes)
{
	*t = (struct ch_strtab){ .arena = CH_ARENA(max_bytes) };
	if (CH_ROOM(t->text, t->text_cap, 16) < 0 || CH_ROOM(t->len, t->len_cap, 16) < 0) {
		t->err = -ENOMEM;
		return;
	}
	/* Id 0 is the empty string and the answer to every failure; it is in no index. */
	t->text[0] = "";
	t->len[0] = 0;
	t->n = 1;
}

void ch_strtab_done(struct ch_strtab *t)
{
	ch_arena_done(&t->arena);
	ch_index_done(&t->index);
	free(t->text);
	free(t->len);
	*t = (struct ch_strtab){ 0 };
}

static uint32_t find(const struct ch_strtab *t, const char *s, size_t n, uint32_t hash)
{
	size_t at = ch_index_start(&t->index, hash);
	uint32_t id;

	while ((id = ch_index_next(&t->index, hash, &at)))
		if (t->len[id] == n && !memcmp(t->text[id], s, n))
			return id;
	return 0;
}

static uint32_t add(struct ch_strtab *t, const char *s, size_t n, uint32_t hash)
{
	uint32_t id = (uint32_t)t->n;
	char *copy;

	if (t->err || n > UINT32_MAX || t->n >= UINT32_MAX)
		goto fail;
	if (CH_ROOM(t->text, t->text_cap, t->n + 1) < 0 ||
	    CH_ROOM(t->len, t->len_cap, t->n + 1) < 0)
		goto fail;
	copy = ch_arena_strndup(&t->arena, s, n);
	if (!copy || ch_index_put(&t->index, hash, id) < 0)
		goto fail;
	t->text[id] = copy;
	t->len[id] = (uint32_t)n;
	t->n++;
	return id;
fail:
	if (!t->err)
		t->err = -ENOMEM;
	return 0;
}

static uint32_t add_repaired(struct ch_strtab *t, const char *s, size_t n)
{
	/* Each broken byte becomes three. */
	CH_CLEANUP(ch_freep) char *fixed = n < SIZE_MAX / 3 ? malloc(n * 3 + 1) : NULL;

	if (!fixed) {
		t->err = -ENOMEM;
		return 0;
	}
	return ch_strtab_id(t, fixed, ch_utf8_repair(s, n, fixed));
}

uint32_t ch_strtab_id(struct ch_strtab *t, const char *s, size_t n)
{
	uint32_t hash, id;

	if (!n)
		return 0;
	hash = ch_hash_bytes(s, n);
	id = find(t, s, n, hash);
	if (CH_LIKELY(id))
		return id;
	return ch_utf8_valid(s, n) ? add(t, s, n, hash) : add_repaired(t, s, n);
}

uint32_t ch_strtab_find(const struct ch_strtab *t, const char *s, size_t n)
{
	return n ? find(t, s, n, ch_hash_bytes(s, n)) : 0;
}
