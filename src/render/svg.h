/*
 * A flame graph as one SVG file that zooms and searches by itself and is a picture without its
 * script. What is narrower than the least width is drawn as grey bands and counted in the footer.
 * web/src/svg.ts is that script and says which elements it looks for.
 */
#ifndef CH_RENDER_SVG_H
#define CH_RENDER_SVG_H

#include "render/view.h"

int ch_svg_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);

#endif
