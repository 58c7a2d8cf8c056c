/*
 * Interned strings: each distinct string has one id, counted from 0 (the empty string). Strings
 * never move and are NUL-terminated; they may hold any bytes but are kept as valid UTF-8: broken
 * sequences become U+FFFD when a string is first seen.
 */
#ifndef CH_BASE_STRTAB_H
#define CH_BASE_STRTAB_H

#include "base/arena.h"
#include "base/index.h"

#include <string.h>

struct ch_strtab {
	struct ch_arena arena;
	struct ch_index index;
	const char **text;
	uint32_t *len;
	size_t n, text_cap, len_cap;
	int err; /* first failure, sticky: -ENOMEM */
};

/* max_bytes limits the text of all strings together. */
void ch_strtab_init(struct ch_strtab *t, size_t max_bytes);
void ch_strtab_done(struct ch_strtab *t);
/* The id of s[0..n); 0 with t->err set when it cannot be stored. */
uint32_t ch_strtab_id(struct ch_strtab *t, const char *s, size_t n);
/* The id when the string is known, else 0. Never changes the table. */
uint32_t ch_strtab_find(const struct ch_strtab *t, const char *s, size_t n);

static inline uint32_t ch_strtab_idz(struct ch_strtab *t, const char *s)
{
	return ch_strtab_id(t, s, strlen(s));
}

#endif
