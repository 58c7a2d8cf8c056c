/*
 * A view: a selected profile and how the user wants to see it. The command line fills it, the
 * writers in outputs.h read it. Everything in it is borrowed for the length of one write.
 */
#ifndef CH_RENDER_VIEW_H
#define CH_RENDER_VIEW_H

#include "base/buf.h"
#include "profile/tree.h"
#include "render/colors.h"
#include "sys/out.h"

#define CH_LABEL_LEVELS_MAX 33

struct ch_picture {
	unsigned width;        /* in pixels; 0: 1200, and as wide as the window where it can be */
	unsigned frame_height; /* 0: 16 */
	double min_width; /* narrower frames are joined into bands; pixels, < 0: the format's own */
	enum ch_color_mode colors;
	bool inverted; /* icicle: the root on top */
	bool reverse;  /* the stacks are from the leaf; the page turns them itself */
};

struct ch_text_style {
	size_t limit; /* rows of the table and children per frame of the tree; 0: as many as help */
	unsigned columns; /* of the terminal; 0: 120 */
	bool color;       /* escape sequences of ANSI terminals */
	bool by_total;    /* lists of methods begin with the largest total, not self */
};

struct ch_view {
	const struct ch_profile *profile;
	enum ch_metric metric;
	const char *title; /* NULL: made from the event's word */
	const char *const *sources;
	size_t n_sources;
	int64_t generated_s;   /* since the epoch; 0 leaves it out */
	unsigned label_levels; /* frames below the root made from labels: one list per group */
	const char *by;        /* label that parts the profiles of speedscope files; may be NULL */
	struct ch_picture picture;
	struct ch_text_style text;
	struct {
		const char *before, *after; /* names of the two sides; NULL unless a difference */
		bool normalized;            /* compare shares of each side's total */
	} diff;
};

/* A view of a selected profile with nothing asked for. */
#define CH_VIEW(p) ((struct ch_view){ .profile = (p), .picture = { .min_width = -1 } })

/* The word of the event shown: cpu, alloc …; "samples" when there is none. */
const char *ch_view_word(const struct ch_view *v);
/* The title, given or made. */
void ch_view_title(const struct ch_view *v, struct ch_buf *b);
/* The name of an input as people read it: "stdin" for "-". */
const char *ch_view_source(const struct ch_view *v, size_t i);
/* Input names joined by commas; of a difference "before → after". */
void ch_view_sources(const struct ch_view *v, struct ch_buf *b);

/*
 * How the two sides of a difference are compared. Widths are before * factor + after, so that what
 * is gone can be seen as well as what is new; a change is a share of the total.
 */
struct ch_compare {
	double before, after; /* totals of the sides, 1 where there is nothing */
	double factor;        /* brings the side before to the size of the one after */
	bool normalized;
};

struct ch_compare ch_view_compare(const struct ch_view *v, const struct ch_tree *t);
/* after - before as a share: of each side's own total when normalized, else of the larger. */
double ch_compare_change(const struct ch_compare *c, int64_t before, int64_t after);

#endif
