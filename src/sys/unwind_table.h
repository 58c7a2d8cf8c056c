/* What the makers of unwind tables and the signal handlers share. */
#ifndef CH_SYS_UNWIND_TABLE_H
#define CH_SYS_UNWIND_TABLE_H

#include "sys/unwind.h"

#include <stdatomic.h>

/* Holds from pc up to the next row. */
struct ch_unwind_row {
	uint32_t pc; /* in the library */
	uint32_t rule;
};

struct ch_unwind_table {
	size_t bytes; /* mapped for it */
	struct ch_unwind_table *next;
	size_t n;
	struct ch_unwind_row rows[];
};

/*
 * A rule in 32 bits: where the frame of the caller starts (the CFA), counted from the stack or the
 * frame pointer in words of 8 bytes, and how many words below it the caller's frame pointer was
 * saved (0: it is still in its register).
 */
enum {
	CH_RULE_UNKNOWN = 0,
	CH_RULE_SP = 1,
	CH_RULE_FP = 2,
	CH_RULE_END = 3, /* nobody called this */
};

/* Where the return address is, on machines that do not push it. */
enum {
	CH_RULE_RA_REGISTER = 0,
	CH_RULE_RA_ABOVE_FP = 1, /* one word above the saved frame pointer */
	CH_RULE_RA_ALONE = 2,    /* in its place: the frame pointer is not saved */
};

#define CH_RULE_WORDS_MAX ((1u << 14) - 1)

static inline uint32_t ch_rule(unsigned base, unsigned ra, uint32_t cfa_words, uint32_t save_words)
{
	return base | ra << 2 | cfa_words << 4 | save_words << 18;
}

static inline unsigned ch_rule_base(uint32_t rule)
{
	return rule & 3;
}

static inline unsigned ch_rule_ra(uint32_t rule)
{
	return rule >> 2 & 3;
}

static inline uint64_t ch_rule_cfa(uint32_t rule)
{
	return (uint64_t)(rule >> 4 & CH_RULE_WORDS_MAX) * 8;
}

static inline uint64_t ch_rule_save(uint32_t rule)
{
	return (uint64_t)(rule >> 18) * 8;
}

struct ch_unwind_list {
	struct ch_unwind_table *retire; /* tables that only older lists know */
	struct ch_unwind_list *next;
	size_t n;
	struct ch_unwind_lib libs[];
};

/* The part of struct ch_unwind that handlers see. */
struct ch_unwind_shared {
	_Atomic(struct ch_unwind_list *) list;
	atomic_uint handlers;
};

#endif
