/*
 * The types of a chunk: what its metadata event says. Names are borrowed from the chunk's bytes or
 * from the arena inside; both must outlive this.
 */
#ifndef CH_JFR_TYPES_H
#define CH_JFR_TYPES_H

#include "base/arena.h"
#include "jfr/chunk.h"
#include "jfr/idmap.h"
#include "jfr/text.h"

/* How a value of a type lies in the bytes. */
enum ch_jfr_shape {
	CH_JFR_STRUCT, /* its fields, one after the other */
	CH_JFR_BYTE,   /* boolean, byte */
	CH_JFR_INT,    /* short, char, int, long: a varint */
	CH_JFR_FLOAT,  /* big-endian */
	CH_JFR_DOUBLE,
	CH_JFR_STRING,
};

struct ch_jfr_field {
	struct ch_span name;
	uint64_t type_id;
	bool pooled; /* a varint key of the type's constant pool */
	bool array;
};

struct ch_jfr_type {
	uint64_t id;
	struct ch_span name;
	enum ch_jfr_shape shape;
	uint32_t first_field, n_fields;
	uint32_t first_remark, n_remarks;
};

/* What is said about a type beside its fields: an annotation and its value. */
struct ch_jfr_remark {
	uint64_t annotation_id;
	struct ch_span value;
};

struct ch_jfr_types {
	struct ch_jfr_type *items;
	size_t n, cap;
	struct ch_jfr_field *fields;
	size_t n_fields, fields_cap;
	struct ch_jfr_remark *remarks;
	size_t n_remarks, remarks_cap;
	struct ch_jfr_idmap by_id; /* place in items, plus 1 */
	struct ch_arena arena;     /* lives as long as the types; users may take from it, too */
	bool no_memory;            /* a plan could not be made for want of memory */
};

/*
 * Reads the body of a metadata event. Returns 0, -EBADMSG when it cannot be understood, or -ENOMEM;
 * call ch_jfr_types_done in any case.
 */
int ch_jfr_types_read(struct ch_jfr_types *t, struct ch_cursor body);
void ch_jfr_types_done(struct ch_jfr_types *t);

/* NULL when there is no such type. */
const struct ch_jfr_type *ch_jfr_type_by_id(const struct ch_jfr_types *t, uint64_t id);
const struct ch_jfr_type *ch_jfr_type_by_name(const struct ch_jfr_types *t, const char *name);
const struct ch_jfr_field *ch_jfr_field(const struct ch_jfr_types *t,
                                        const struct ch_jfr_type *type, const char *name);
/* The value of an annotation of the type; empty when it has none, or annotation is NULL. */
struct ch_span ch_jfr_remark(const struct ch_jfr_types *t, const struct ch_jfr_type *type,
                             const struct ch_jfr_type *annotation);

#endif
