/*
 * Writing recordings, low level: values, events, metadata, checkpoints and the header of a chunk,
 * appended to growing buffers. Memory is only ever taken by those buffers, up to the limit they
 * were born with, and their errors stick; nothing else is needed beyond libc. One thread per
 * buffer.
 *
 * A chunk is a header, then events in any order, among them one metadata event (ch_jfr_put_types)
 * and at least one checkpoint. Readers of the JDK want every pool to hold at least one constant.
 */
#ifndef CH_JFR_WRITER_H
#define CH_JFR_WRITER_H

#include "base/buf.h"
#include "jfr/chunk.h"

/* An annotation of a type or a field: names of the annotation's type, and its only value. */
struct ch_jfr_note {
	const char *type, *value; /* value NULL: none */
};

struct ch_jfr_field_def {
	const char *name, *type;
	bool pooled, array;
	struct ch_jfr_note note; /* type NULL: none */
};

/* A type to be written; ids follow from the place in the table. */
struct ch_jfr_type_def {
	const char *name;
	const char *super; /* CH_JFR_EVENT for events, NULL for values */
	bool simple;       /* the tools of the JDK show its only field in its place */
	const struct ch_jfr_field_def *fields;
	size_t n_fields;
	const struct ch_jfr_note *notes;
	size_t n_notes;
};

#define CH_JFR_EVENT      "jdk.jfr.Event"
#define CH_JFR_ANNOTATION "java.lang.annotation.Annotation"

/* The id of the i-th type of a table. */
static inline uint64_t ch_jfr_type_id(size_t i)
{
	return i + 32;
}

void ch_jfr_put_int(struct ch_buf *b, uint64_t v);
void ch_jfr_put_text(struct ch_buf *b, const char *s, size_t n);
void ch_jfr_put_null(struct ch_buf *b); /* the text that is none */
void ch_jfr_put_double(struct ch_buf *b, double v);

/* Begins an event of a type; what is put next is its body. Returns what the end wants to know. */
size_t ch_jfr_event_begin(struct ch_buf *b, uint64_t type_id);
void ch_jfr_event_end(struct ch_buf *b, size_t begun);

/* The metadata event for a table of types, which must name every type that its fields have. */
void ch_jfr_put_types(struct ch_buf *b, const struct ch_jfr_type_def *types, size_t n,
                      int64_t ticks);

/*
 * Begins a checkpoint of n_pools pools; `back` is how far behind the checkpoint before it starts,
 * 0 for the first one of a chunk. Then, for each pool: its type, the number of its constants, and
 * for each of them key and value, all put by hand. Ended like any event.
 */
size_t ch_jfr_checkpoint_begin(struct ch_buf *b, int64_t ticks, int64_t back, uint64_t n_pools);

/* Encodes the header, of version 2.1 with compressed integers; the flags of h are not used. */
void ch_jfr_header_put(const struct ch_jfr_header *h, uint8_t to[CH_JFR_HEADER_SIZE]);

#endif
