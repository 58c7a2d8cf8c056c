/*
 * A profile as text: a heading, the flat list of hot methods, the call tree. What is left out is
 * counted in a line of its own. Of a difference: before, after and change, largest change first.
 */
#ifndef CH_RENDER_TEXT_H
#define CH_RENDER_TEXT_H

#include "render/view.h"

/* Heading, list and tree: `.txt` files. */
int ch_text_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);
/* Heading and list. */
int ch_text_top_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);
/* Heading and tree. */
int ch_text_tree_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);

#endif
