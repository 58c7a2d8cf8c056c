/* The call tree as JSON: a header, then nested {"name","kind","self","total","children"}. */
#ifndef CH_RENDER_JSON_H
#define CH_RENDER_JSON_H

#include "render/view.h"

/* Kinds by name: "java", "c1", "interpreted", "inlined", "native" … */
int ch_json_write(const struct ch_view *v, struct ch_out *out, struct ch_error *err);

#endif
