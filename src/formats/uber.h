/*
 * What the reader and the writer of Uber's records share: which field is which label, and how
 * methods are spelled. One JSON object a line; see docs/formats.md.
 */
#ifndef CH_FORMATS_UBER_H
#define CH_FORMATS_UBER_H

#include "base/buf.h"
#include "profile/profile.h"

#define CH_UBER_EVENT    "Stacktrace"
#define CH_PYSPARK_EVENT "pyspark-stack"
/* PySpark's records belong to an RDD, written as `"i_d":"<number>_id"`. */
#define CH_PYSPARK_LABEL  "rdd"
#define CH_PYSPARK_SUFFIX "_id"

struct ch_uber_field {
	const char *field, *label;
};

extern const struct ch_uber_field ch_uber_fields[];
extern const size_t ch_n_uber_fields;

/*
 * `java.lang.Thread.run` as `java/lang/Thread.run`, appended to out; false, and the name as it is,
 * when it is not written like a Java method.
 */
bool ch_uber_to_slash(struct ch_buf *out, const char *name, size_t n);
/* The way back for names of Java frames. */
void ch_uber_to_dot(struct ch_buf *out, const char *name, size_t n);

#endif
