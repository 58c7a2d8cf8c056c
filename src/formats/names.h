/* What a frame is, judged by nothing but its name: for formats that say no more. */
#ifndef CH_FORMATS_NAMES_H
#define CH_FORMATS_NAMES_H

#include "formats/scan.h"
#include "profile/profile.h"

/*
 * The kind by async-profiler's annotation (`_[j]`, `_[i]`, `_[k]`, `_[0]`, `_[1]`), which is cut
 * off the name; CH_KIND_OTHER and an untouched name when there is none.
 */
enum ch_kind ch_name_annotation(struct ch_span *name);

/*
 * The kind by the way the name is written. Careful: CH_KIND_OTHER whenever another language could
 * have written it too.
 */
enum ch_kind ch_name_kind(struct ch_span name);

/* `java/lang/Thread.run` or `java.lang.Thread.run`, also of lambdas and Scala objects. */
bool ch_name_is_java(struct ch_span name);

#endif
