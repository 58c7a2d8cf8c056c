#include "sys/eh.h"

#include "base/hash.h"

/* How a pointer is written: the low half says its size, the high half what it counts from. */
enum {
	ENC_ABSPTR = 0x00,
	ENC_ULEB = 0x01,
	ENC_UDATA2 = 0x02,
	ENC_UDATA4 = 0x03,
	ENC_UDATA8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_SDATA2 = 0x0a,
	ENC_SDATA4 = 0x0b,
	ENC_SDATA8 = 0x0c,
	ENC_FORMAT = 0x0f,
	ENC_PCREL = 0x10,
	ENC_DATAREL = 0x30,
	ENC_BASE = 0x70,
};

uint64_t ch_eh_le(struct ch_cursor *c, unsigned bytes)
{
	const uint8_t *p = ch_cursor_take(c, bytes);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, bytes);
	return v;
}

int64_t ch_eh_sleb(struct ch_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = ch_cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while ((b & 0x80) && !c->bad);
	if (shift < 64 && (b & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

/* --- the list ---------------------------------------------------------------------------------- */

bool ch_eh_open(const struct ch_elf *e, struct ch_eh *ret)
{
	struct ch_elf_section s, frames;
	struct ch_cursor c;
	uint64_t n;

	if (!ch_elf_find(e, ".eh_frame_hdr", &s) || s.size < 12 ||
	    !ch_elf_find(e, ".eh_frame", &frames))
		return false;
	/* Version, then the forms of: where .eh_frame is, the count, the rows. */
	if (s.data[0] != 1 || s.data[1] != (ENC_PCREL | ENC_SDATA4) || s.data[2] != ENC_UDATA4 ||
	    s.data[3] != (ENC_DATAREL | ENC_SDATA4))
		return false;
	c = ch_cursor(s.data + 8, s.size - 8);
	n = ch_eh_le(&c, 4);
	if (n > ch_cursor_left(&c) / 8)
		return false;
	*ret = (struct ch_eh){ c.p, (size_t)n, s.addr, frames };
	return true;
}

static uint64_t row_field(const struct ch_eh *eh, size_t i, size_t field)
{
	return eh->addr + (uint64_t)(int64_t)(int32_t)ch_load32(eh->rows + i * 8 + field);
}

uint64_t ch_eh_start(const struct ch_eh *eh, size_t i)
{
	return row_field(eh, i, 0);
}

/* --- records ----------------------------------------------------------------------------------- */

static uint64_t read_number(struct ch_cursor *c, uint8_t encoding)
{
	switch (encoding & ENC_FORMAT) {
	case ENC_ABSPTR:
	case ENC_UDATA8:
	case ENC_SDATA8:
		return ch_eh_le(c, 8);
	case ENC_UDATA4:
		return ch_eh_le(c, 4);
	case ENC_SDATA4:
		return (uint64_t)(int64_t)(int32_t)ch_eh_le(c, 4);
	case ENC_UDATA2:
		return ch_eh_le(c, 2);
	case ENC_SDATA2:
		return (uint64_t)(int64_t)(int16_t)ch_eh_le(c, 2);
	case ENC_ULEB:
		return ch_cursor_varint(c);
	case ENC_SLEB:
		return (uint64_t)ch_eh_sleb(c);
	default:
		ch_cursor_fail(c);
		return 0;
	}
}

static uint64_t read_pointer(const struct ch_eh *eh, struct ch_cursor *c, uint8_t encoding)
{
	uint64_t here = eh->frames.addr + (uint64_t)(c->p - eh->frames.data);
	uint64_t v = read_number(c, encoding);

	if ((encoding & ENC_BASE) == ENC_PCREL)
		return v + here;
	if (encoding & ENC_BASE)
		ch_cursor_fail(c);
	return v;
}

/* The letters of an augmentation after z, each with its field. */
static void read_augmentation(const char *letters, struct ch_cursor *c, struct ch_eh_common *ret)
{
	for (; *letters && !c->bad; letters++) {
		switch (*letters) {
		case 'R':
			ret->pointer_encoding = ch_cursor_u8(c);
			break;
		case 'P': {
			uint8_t encoding = ch_cursor_u8(c);

			(void)read_number(c, encoding);
			break;
		}
		case 'L':
			(void)ch_cursor_u8(c);
			break;
		case 'S': /* a frame made by a signal */
		case 'B': /* return addresses are signed */
			break;
		default:
			return; /* the rest is skipped by its length */
		}
	}
}

/* A record's body behind its length; false at the end of the section. */
static bool next_record(struct ch_cursor *at, struct ch_cursor *ret)
{
	uint64_t n = ch_eh_le(at, 4);

	if (n == UINT32_MAX)
		n = ch_eh_le(at, 8);
	if (at->bad || !n)
		return false;
	*ret = ch_cursor_sub(at, n);
	return !ret->bad;
}

static bool read_common(const struct ch_eh *eh, uint64_t offset, struct ch_eh_common *ret)
{
	struct ch_cursor at, c;
	const char *letters;
	const uint8_t *nul;
	uint8_t version;

	if (offset >= eh->frames.size)
		return false;
	at = ch_cursor(eh->frames.data + offset, eh->frames.size - offset);
	if (!next_record(&at, &c) || ch_eh_le(&c, 4) != 0)
		return false;
	version = ch_cursor_u8(&c);
	nul = memchr(c.p, 0, ch_cursor_left(&c));
	if (!nul || (version != 1 && version != 3))
		return false;
	letters = (const char *)c.p;
	c.p = nul + 1;
	*ret = (struct ch_eh_common){ .code_factor = ch_cursor_varint(&c) };
	ret->data_factor = ch_eh_sleb(&c);
	(void)(version == 1 ? ch_cursor_u8(&c) : ch_cursor_varint(&c)); /* known by machine */
	ret->augmented = letters[0] == 'z';
	if (ret->augmented) {
		struct ch_cursor fields = ch_cursor_sub(&c, ch_cursor_varint(&c));

		read_augmentation(letters + 1, &fields, ret);
		c.bad |= fields.bad;
	} else if (letters[0]) {
		return false; /* fields of unknown length */
	}
	ret->program = c;
	return !c.bad;
}

bool ch_eh_function(const struct ch_eh *eh, size_t i, struct ch_eh_function *ret)
{
	uint64_t offset = row_field(eh, i, 4) - eh->frames.addr, at, back;
	struct ch_cursor rest, c;

	if (offset >= eh->frames.size)
		return false;
	rest = ch_cursor(eh->frames.data + offset, eh->frames.size - offset);
	if (!next_record(&rest, &c))
		return false;
	at = (uint64_t)(c.p - eh->frames.data);
	back = ch_eh_le(&c, 4); /* counts back from itself to what is shared */
	if (c.bad || !back || back > at || !read_common(eh, at - back, &ret->common))
		return false;
	ret->start = read_pointer(eh, &c, ret->common.pointer_encoding);
	ret->size = read_number(&c, ret->common.pointer_encoding);
	if (ret->common.augmented)
		(void)ch_cursor_sub(&c, ch_cursor_varint(&c));
	ret->program = c;
	return !c.bad && ret->size && ret->start + ret->size > ret->start;
}
