/*
 * The output formats: one table. File extensions, `--format`, help, completion and what must be
 * read for a format all come from here.
 */
#ifndef CH_RENDER_OUTPUTS_H
#define CH_RENDER_OUTPUTS_H

#include "render/view.h"

/* What a format can show: readers keep it (struct ch_want), the selection too (struct ch_select). */
struct ch_output_needs {
	bool times;      /* single samples with their time */
	bool labels;     /* every label */
	bool lines;      /* source lines of frames */
	bool series;     /* metric series */
	bool all_events; /* every event at once; else one is chosen */
	bool kinds;      /* frames as recorded, Java kinds not merged */
	bool colors;     /* one kind per frame, that with most weight */
	bool plain;      /* plain numbers: shares of a difference must be worked in */
	bool turns;      /* the format reverses stacks itself: leave them as they are */
};

struct ch_output {
	const char *name;          /* the word for --format */
	const char *title;         /* for help and docs */
	const char *extensions[4]; /* with their dots, the usual one first; NULL at the end */
	struct ch_output_needs needs;
	bool diff; /* can show a difference */
	int (*write)(const struct ch_view *v, struct ch_out *out, struct ch_error *err);
};

extern const struct ch_output ch_outputs[];
extern const size_t ch_n_outputs;

/*
 * The format of a file by the longest extension that fits its name, or by `format` unless that is
 * NULL. "-" has no extension: without a format it is collapsed stacks. -EINVAL with the known ones.
 */
int ch_output_find(const char *path, const char *format, const struct ch_output **ret,
                   struct ch_error *err);

#endif
