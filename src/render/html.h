/*
 * The flame graph page: the built template of web/ with the profile spliced in, in the form that
 * docs/page-format.md states. Nothing from the profile becomes markup.
 */
#ifndef CH_RENDER_HTML_H
#define CH_RENDER_HTML_H

#include "render/view.h"

int ch_html_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);

#endif
