/*
 * The wire form of protobuf: fields in any order, known by number, unknown ones skipped by their
 * type. Reading is on a cursor and keeps its rules: damage sticks in `bad`, values read as 0 then.
 * A message inside a message is a cursor of its own.
 *
 *	struct ch_proto f;
 *	while (ch_proto_next(&cursor, &f))
 *		switch (f.number) {
 *		case 1: id = f.value; break;
 *		case 2: read_sample(f.body); break;
 *		}
 *	if (cursor.bad) …
 */
#ifndef CH_CODEC_PROTO_H
#define CH_CODEC_PROTO_H

#include "base/buf.h"
#include "base/cursor.h"

enum ch_proto_wire {
	CH_PROTO_VARINT = 0,
	CH_PROTO_FIXED64 = 1,
	CH_PROTO_BYTES = 2,
	CH_PROTO_FIXED32 = 5,
};

struct ch_proto {
	uint32_t number;
	enum ch_proto_wire wire;
	uint64_t value;        /* of varint, fixed64, fixed32; 0 for bytes */
	struct ch_cursor body; /* of bytes; empty for the others */
};

static inline uint64_t ch_proto_fixed(struct ch_cursor *c, unsigned n)
{
	const uint8_t *p = ch_cursor_take(c, n);
	uint64_t v = 0;

	if (p)
		while (n--)
			v = v << 8 | p[n];
	return v;
}

/* The next field. False at the end and on damage (c->bad). Groups are damage: nobody uses them. */
static inline bool ch_proto_next(struct ch_cursor *c, struct ch_proto *ret)
{
	uint64_t tag;

	if (c->p == c->end || c->bad)
		return false;
	tag = ch_cursor_varint(c);
	*ret = (struct ch_proto){ .number = (uint32_t)(tag >> 3),
		                  .wire = (enum ch_proto_wire)(tag & 7),
		                  .body = ch_cursor(c->p, 0) };
	switch (ret->wire) {
	case CH_PROTO_VARINT:
		ret->value = ch_cursor_varint(c);
		break;
	case CH_PROTO_BYTES:
		ret->body = ch_cursor_sub(c, ch_cursor_varint(c));
		break;
	case CH_PROTO_FIXED64:
		ret->value = ch_proto_fixed(c, 8);
		break;
	case CH_PROTO_FIXED32:
		ret->value = ch_proto_fixed(c, 4);
		break;
	default:
		ch_cursor_fail(c);
	}
	if (!ret->number || tag >> 32)
		ch_cursor_fail(c);
	return !c->bad;
}

/*
 * Goes over a repeated integer field, packed or not: each call gives one value of f until there
 * are no more. `*done` starts as false.
 */
static inline bool ch_proto_each(struct ch_proto *f, bool *done, uint64_t *ret)
{
	if (f->wire == CH_PROTO_BYTES) {
		if (f->body.p == f->body.end)
			return false;
		*ret = ch_cursor_varint(&f->body);
		return !f->body.bad;
	}
	if (*done)
		return false;
	*ret = f->value;
	*done = true;
	return true;
}

static inline void ch_proto_put_tag(struct ch_buf *b, uint32_t number, enum ch_proto_wire wire)
{
	ch_buf_varint(b, (uint64_t)number << 3 | wire);
}

/* A field that is 0 is left out, as proto3 does. */
static inline void ch_proto_put_u64(struct ch_buf *b, uint32_t number, uint64_t v)
{
	if (!v)
		return;
	ch_proto_put_tag(b, number, CH_PROTO_VARINT);
	ch_buf_varint(b, v);
}

static inline void ch_proto_put_i64(struct ch_buf *b, uint32_t number, int64_t v)
{
	ch_proto_put_u64(b, number, (uint64_t)v);
}

/* A string, a message or a packed field; written also when empty. */
static inline void ch_proto_put_bytes(struct ch_buf *b, uint32_t number, const void *s, size_t n)
{
	ch_proto_put_tag(b, number, CH_PROTO_BYTES);
	ch_buf_varint(b, n);
	ch_buf_put(b, s, n);
}

#endif
