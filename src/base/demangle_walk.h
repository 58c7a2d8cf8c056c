/* What the two halves of the reader of C++ names share; nothing else includes this. */
#ifndef CH_BASE_DEMANGLE_WALK_H
#define CH_BASE_DEMANGLE_WALK_H

#include "base/span.h"

/*
 * A recursive walk over the grammar of the Itanium ABI. Names are written as they are met; types,
 * template arguments and expressions are walked over with `quiet` set. Nothing that is written
 * can refer back (substitutions stand in types only), so there is no table of them.
 */
struct ch_dm {
	const char *p;
	char *to;
	size_t len, size;
	unsigned quiet, depth;
	bool bad;            /* sticky: not understood, or does not fit */
	struct ch_span last; /* the class a constructor is named after */
};

#define CH_DM_DEPTH_MAX 96

static inline void ch_dm_fail(struct ch_dm *w)
{
	w->bad = true;
	w->p = "";
}

static inline bool ch_dm_enter(struct ch_dm *w)
{
	if (++w->depth > CH_DM_DEPTH_MAX)
		ch_dm_fail(w);
	return !w->bad;
}

static inline void ch_dm_put(struct ch_dm *w, const char *s, size_t n)
{
	if (w->quiet || w->bad)
		return;
	if (n >= w->size - w->len) {
		ch_dm_fail(w);
		return;
	}
	memcpy(w->to + w->len, s, n);
	w->len += n;
}

static inline void ch_dm_puts(struct ch_dm *w, const char *s)
{
	ch_dm_put(w, s, strlen(s));
}

static inline bool ch_dm_accept(struct ch_dm *w, char c)
{
	if (*w->p != c)
		return false;
	w->p++;
	return true;
}

static inline bool ch_dm_accept2(struct ch_dm *w, const char *two)
{
	if (w->p[0] != two[0] || w->p[1] != two[1])
		return false;
	w->p += 2;
	return true;
}

/* True until the closing E; nothing left is a failure. */
static inline bool ch_dm_more(struct ch_dm *w)
{
	if (!*w->p)
		ch_dm_fail(w);
	return !w->bad && !ch_dm_accept(w, 'E');
}

static inline void ch_dm_expect(struct ch_dm *w, char c)
{
	if (!ch_dm_accept(w, c))
		ch_dm_fail(w);
}

static inline size_t ch_dm_number(struct ch_dm *w)
{
	size_t v = 0;

	while (ch_is_digit(*w->p) && v < 1u << 24)
		v = v * 10 + (size_t)(*w->p++ - '0');
	return v;
}

/* `_`, `0_`, `1_` …, as ids of parameters and lambdas are written: 0, 1, 2 … */
static inline size_t ch_dm_seq(struct ch_dm *w)
{
	size_t v = ch_is_digit(*w->p) ? ch_dm_number(w) + 1 : 0;

	ch_dm_expect(w, '_');
	return v;
}

/* --- names (demangle.c) ------------------------------------------------------------------------ */

void ch_dm_name(struct ch_dm *w);
void ch_dm_encoding(struct ch_dm *w);
void ch_dm_source_name(struct ch_dm *w);
void ch_dm_operator_name(struct ch_dm *w);
/* The row of an operator (code, operands, text) that stands at p, or NULL. */
const char *ch_dm_find_op(const char *p);
void ch_dm_maybe_template_args(struct ch_dm *w);
void ch_dm_back_reference(struct ch_dm *w);

/* --- types, template arguments and expressions (demangle_types.c) ------------------------------ */

void ch_dm_type(struct ch_dm *w);
void ch_dm_template_arg(struct ch_dm *w);

#endif
