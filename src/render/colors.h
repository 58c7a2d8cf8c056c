/*
 * Flame colours: made in OKLCH, where equal lightness looks equally light, so that dark text is
 * readable on all of them. The values are those of web/src/colours.ts.
 */
#ifndef CH_RENDER_COLORS_H
#define CH_RENDER_COLORS_H

#include "profile/profile.h"

#define CH_COLOR_SHADES 6
#define CH_COLOR_STEPS  12 /* each way, in a difference */
#define CH_COLOR_HUES   36

enum ch_color_mode {
	CH_COLORS_KIND,
	CH_COLORS_PACKAGE,
};

typedef char ch_color[8]; /* "#rrggbb" */

struct ch_palette {
	ch_color kind[CH_KIND_COUNT][CH_COLOR_SHADES];
	ch_color package[CH_COLOR_HUES][3];
	ch_color change[2 * CH_COLOR_STEPS + 1];
	ch_color root, band;
};

void ch_palette_init(struct ch_palette *ret);
/* The colour of a frame; the lightness or the hue varies with the package. */
const char *ch_palette_frame(const struct ch_palette *c, enum ch_color_mode mode,
                             const struct ch_profile *p, uint32_t frame);
/* Blue for less, orange for more; `change` and the change that gets the full colour, in shares. */
const char *ch_palette_change(const struct ch_palette *c, double change, double full);
/* The name of the i-th mode, for --colors; NULL behind the last. */
const char *ch_color_mode_name(size_t i);
/* The mode of a name. 0, or -EINVAL with the known names. */
int ch_color_mode_parse(const char *s, enum ch_color_mode *ret, struct ch_error *err);

#endif
