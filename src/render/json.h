/*
 * Trees and lists as JSON; docs/json.md states the fields. Numbers are as stored: divide by `scale`.
 */
#ifndef CH_RENDER_JSON_H
#define CH_RENDER_JSON_H

#include "render/view.h"

/* The call tree: a header, then nested {"name","kind","self","total","children"}. */
int ch_json_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);
/* The flat list of hot methods: the same header, then {"name","self","total"} for each. */
int ch_json_top_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);

#endif
