/*
 * Writers of foreign formats. Each writes a selected profile (see profile/select.h) to out; errors
 * of writing stick in out, the result is 0 or a negative errno with a sentence for what the format
 * cannot express.
 */
#ifndef CH_FORMATS_WRITERS_H
#define CH_FORMATS_WRITERS_H

#include "profile/profile.h"
#include "profile/tree.h"
#include "sys/out.h"

/* `a;b;c 42` per distinct stack; escaping in docs/formats.md. Of a diff: `a;b;c before after`. */
int ch_collapsed_write(const struct ch_profile *p, enum ch_metric metric, struct ch_out *out,
                       struct ch_error *err);
/* gzip-compressed pprof with labels. */
int ch_pprof_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err);
/* One profile per thread, or per value of the label `by` when given. */
int ch_speedscope_write(const struct ch_profile *p, const char *title, const char *by,
                        struct ch_out *out, struct ch_error *err);
/* One JSON record a line, as Uber's JVM profiler writes Stacktrace. */
int ch_uber_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err);
/* A flight recording that the JDK's tools open. */
int ch_jfr_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err);

#endif
