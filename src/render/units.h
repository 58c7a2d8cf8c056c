/*
 * Numbers as people read them, the same in every view: 1,234,567 · 12.34% · 1.50 s · 3.20 MiB.
 * The rules are those of web/src/format.ts. No printf: pictures hold a hundred thousand numbers.
 */
#ifndef CH_RENDER_UNITS_H
#define CH_RENDER_UNITS_H

#include "base/buf.h"

/* v with commas between groups of three digits. */
void ch_put_grouped(struct ch_buf *b, int64_t v);
/* v with this many decimals (0 to 6), rounded; the whole part grouped. */
void ch_put_fixed(struct ch_buf *b, double v, unsigned decimals);
/* v / scale: a grouped whole number, or two decimals where the data has a fraction. */
void ch_put_count(struct ch_buf *b, int64_t v, int64_t scale);
/*
 * v / scale with its unit: "ns" and "bytes" move to the unit that fits (three digits), "samples"
 * gets its noun, "count" and "" nothing, any other word stands behind the number.
 */
void ch_put_quantity(struct ch_buf *b, int64_t v, int64_t scale, const char *unit);
/* part / whole with two decimals and a percent sign; a dash where there is no whole. */
void ch_put_percent(struct ch_buf *b, double part, double whole);
/* A difference of two shares in points of a percent, always signed: "+1.25 pt". */
void ch_put_points(struct ch_buf *b, double delta);

#endif
