#include "hotspot/perfdata.h"

#include <errno.h>

#define PROLOGUE_BYTES 32
#define ENTRY_BYTES    20

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int look(const void *data, size_t size, struct ch_perfdata *ret)
{
	static const uint8_t magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };
	const uint8_t little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	const uint8_t *p = data;
	uint32_t first, count;

	if (size < PROLOGUE_BYTES || memcmp(p, magic, sizeof(magic)) != 0)
		return -EBADMSG;
	if (p[4] != little || p[5] != 2)
		return -EBADMSG;
	first = u32(p + 24);
	count = u32(p + 28);
	if (first < PROLOGUE_BYTES || first > size || count > (size - first) / ENTRY_BYTES)
		return -EBADMSG;
	*ret = (struct ch_perfdata){ p, size, first, count };
	return 0;
}

int ch_perfdata_open(const void *data, size_t size, struct ch_perfdata *ret)
{
	struct ch_perfdata found;
	int r = look(data, size, &found);

	if (r < 0)
		return r;
	if (!found.data[7])
		return -EAGAIN;
	*ret = found;
	return 0;
}

int ch_perfdata_own(const void *data, struct ch_perfdata *ret)
{
	return look(data, u32((const uint8_t *)data + 8), ret);
}

static size_t value_bytes(char type)
{
	switch (type) {
	case 'B':
	case 'Z':
		return 1;
	case 'C':
	case 'S':
		return 2;
	case 'I':
	case 'F':
		return 4;
	default:
		return 8;
	}
}

/* One entry of n bytes. A value without a length of its own is a single number. */
static bool read_entry(const uint8_t *e, uint32_t n, struct ch_perf_counter *ret)
{
	uint32_t name_at = u32(e + 4), length = u32(e + 8), value_at = u32(e + 16);
	size_t elements = length ? length : 1;
	const uint8_t *nul;

	if (name_at > n || value_at > n || elements > (n - value_at) / value_bytes((char)e[12]))
		return false;
	nul = memchr(e + name_at, 0, n - name_at);
	if (!nul)
		return false;
	*ret = (struct ch_perf_counter){
		.name = { (const char *)e + name_at, (size_t)(nul - e) - name_at },
		.type = (char)e[12],
		.units = e[14],
		.value = e + value_at,
		.n = elements,
	};
	return ret->type != 'J' || (uintptr_t)ret->value % 8 == 0;
}

bool ch_perfdata_next(struct ch_perfdata *p, struct ch_perf_counter *ret)
{
	while (p->left && p->size - p->next >= ENTRY_BYTES) {
		const uint8_t *e = p->data + p->next;
		uint32_t n = u32(e);

		if (n < ENTRY_BYTES || n > p->size - p->next)
			break;
		p->next += n;
		p->left--;
		if (read_entry(e, n, ret))
			return true;
	}
	p->left = 0;
	return false;
}

bool ch_perfdata_find(const struct ch_perfdata *p, const char *name, struct ch_perf_counter *ret)
{
	struct ch_perfdata at = *p;
	struct ch_perf_counter c;

	while (ch_perfdata_next(&at, &c)) {
		if (!ch_span_is(c.name, name))
			continue;
		*ret = c;
		return true;
	}
	return false;
}

const int64_t *ch_perfdata_number(const struct ch_perfdata *p, const char *name)
{
	struct ch_perf_counter c;

	return ch_perfdata_find(p, name, &c) && c.type == 'J'
	           ? (const int64_t *)(const void *)c.value
	           : NULL;
}

struct ch_span ch_perfdata_text(const struct ch_perfdata *p, const char *name)
{
	struct ch_perf_counter c;

	if (!ch_perfdata_find(p, name, &c) || c.type != 'B')
		return CH_NO_SPAN;
	return (struct ch_span){ (const char *)c.value, strnlen((const char *)c.value, c.n) };
}
