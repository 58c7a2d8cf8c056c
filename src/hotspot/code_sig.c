#include "hotspot/code.h"

#include "hotspot/walk.h"
#include "sys/peek.h"

#define SEGMENT_FREE  0xff
#define SEGMENT_HOPS  4096 /* a blob of 256 segments per hop: more than any code heap holds */
#define SEARCH_STEPS  32
#define PC_DESC_BYTES 16

bool ch_vm_is_code(const struct ch_vm *vm, uint64_t addr)
{
	return addr - vm->code_low < vm->code_high - vm->code_low;
}

/* The first segment of the block around the segment `i`; its map holds how far back to go. */
static bool block_start(const struct ch_vm_heap *h, uint64_t *i)
{
	for (int hops = 0; hops < SEGMENT_HOPS; hops++) {
		uint8_t back = ch_peek8(h->segmap + *i, SEGMENT_FREE);

		if (back == 0)
			return true;
		if (back == SEGMENT_FREE || back > *i)
			return false;
		*i -= back;
	}
	return false;
}

static enum ch_blob_kind kind_of(const struct ch_vm *vm, uint64_t blob)
{
	static const struct {
		char start[8];
		enum ch_blob_kind kind;
	} names[] = {
		{ "nmethod\0", CH_BLOB_NMETHOD },    { "native n", CH_BLOB_NMETHOD },
		{ "Interpre", CH_BLOB_INTERPRETER }, { "StubRout", CH_BLOB_STUBS },
		{ "Stub Gen", CH_BLOB_STUBS },       { "vtable c", CH_BLOB_FRAMELESS },
		{ "I2C/C2I ", CH_BLOB_FRAMELESS },
	};
	uint64_t start = ch_peek64(ch_peek64(blob + (uint64_t)vm->blob_name, 0), 0);

	for (size_t i = 0; i < CH_LEN(names); i++) {
		uint64_t want;

		__builtin_memcpy(&want, names[i].start, 8);
		if (start == want)
			return names[i].kind;
	}
	return CH_BLOB_OTHER;
}

static struct ch_blob blob_at(const struct ch_vm *vm, uint64_t at)
{
	struct ch_blob b = { .at = at, .kind = kind_of(vm, at) };

	b.frame_words = (int32_t)ch_peek32(at + (uint64_t)vm->blob_frame_size, 0);
	if (vm->code_by_offset) {
		b.code = at + ch_peek32(at + (uint64_t)vm->blob_code_offset, 0);
		b.frame_complete = (int16_t)ch_peek16(at + (uint64_t)vm->blob_frame_complete, 0);
	} else {
		b.code = ch_peek64(at + (uint64_t)vm->blob_code_begin, 0);
		b.frame_complete = (int32_t)ch_peek32(at + (uint64_t)vm->blob_frame_complete, 0);
	}
	return b;
}

struct ch_blob ch_blob_find(const struct ch_vm *vm, uint64_t pc)
{
	for (unsigned i = 0; i < vm->n_heaps; i++) {
		const struct ch_vm_heap *h = &vm->heaps[i];
		uint64_t segment, block;

		if (pc < h->low || pc >= h->high)
			continue;
		segment = (pc - h->low) >> h->log2_segment;
		if (!block_start(h, &segment))
			break;
		block = h->low + (segment << h->log2_segment);
		if (!ch_peek8(block + (uint64_t)vm->block_used, 0))
			break;
		return blob_at(vm, block + (uint64_t)vm->block_size);
	}
	return (struct ch_blob){ 0 };
}

bool ch_blob_in_use(const struct ch_vm *vm, uint64_t blob)
{
	return ch_peek8(blob - (uint64_t)vm->block_size + (uint64_t)vm->block_used, 0);
}

uint64_t ch_blob_end(const struct ch_vm *vm, const struct ch_blob *b)
{
	if (vm->blob_code_end >= 0)
		return ch_peek64(b->at + (uint64_t)vm->blob_code_end, 0);
	if (vm->blob_data_offset >= 0)
		return b->at + ch_peek32(b->at + (uint64_t)vm->blob_data_offset, 0);
	return 0;
}

uint32_t ch_unsigned5(const struct ch_vm *vm, uint64_t *at)
{
	uint32_t excluded = vm->symbols_exclude_zero, low = 192 - excluded, sum = 0;

	for (unsigned i = 0; i < 5; i++) {
		uint32_t b = ch_peek8((*at)++, (uint8_t)excluded) - excluded;

		sum += b << (6 * i);
		if (b < low)
			break;
	}
	return sum;
}

/* The tables of an nmethod: first and last description, scope bytes, metadata. */
struct tables {
	uint64_t first, last, data, metadata;
};

static struct tables tables_of(const struct ch_vm *vm, uint64_t nm)
{
	struct tables t;
	uint64_t pcs = ch_peek32(nm + (uint64_t)vm->nm_scopes_pcs, 0);

	if (vm->code_by_offset) {
		uint64_t immutable = ch_peek64(nm + (uint64_t)vm->nm_immutable, 0);
		uint64_t data = ch_peek32(nm + (uint64_t)vm->nm_scopes_data, 0);
		uint64_t relocation = ch_peek32(nm + (uint64_t)vm->blob_relocation_size, 0);

		t.first = immutable + pcs;
		t.last = t.data = immutable + data;
		t.metadata = ch_peek64(nm + (uint64_t)vm->blob_mutable_data, 0) +
		             ((relocation + 7) & ~UINT64_C(7));
	} else {
		t.first = nm + pcs;
		t.last = nm + ch_peek32(nm + (uint64_t)vm->nm_dependencies, 0);
		t.data = ch_peek64(nm + (uint64_t)vm->nm_scopes_begin, 0);
		t.metadata = nm + ch_peek32(nm + (uint64_t)vm->nm_metadata, 0);
	}
	return t;
}

struct ch_scope ch_scope_find(const struct ch_vm *vm, const struct ch_blob *b, uint64_t pc,
                              bool exact)
{
	struct tables t = tables_of(vm, b->at);
	struct ch_scope s = { .data = t.data, .metadata = t.metadata };
	/* An interrupted instruction belongs to the next description behind it. */
	int32_t key = (int32_t)(pc - b->code) + !exact;
	uint64_t low = 0, high = t.last > t.first ? (t.last - t.first) / PC_DESC_BYTES : 0;

	for (int step = 0; low < high && step < SEARCH_STEPS; step++) {
		uint64_t mid = (low + high) / 2;

		if ((int32_t)ch_peek32(t.first + mid * PC_DESC_BYTES, 0) < key)
			low = mid + 1;
		else
			high = mid;
	}
	low = t.first + low * PC_DESC_BYTES;
	if (low < t.last && (!exact || (int32_t)ch_peek32(low, 0) == key))
		s.offset = ch_peek32(low + 4, 0);
	return s;
}

bool ch_scope_next(const struct ch_vm *vm, struct ch_scope *s, uint64_t *ret_method, int *ret_bci)
{
	uint64_t at = s->data + s->offset;
	uint32_t sender, method, offset = s->offset;

	if (!offset)
		return false;
	sender = ch_unsigned5(vm, &at);
	method = ch_unsigned5(vm, &at);
	*ret_bci = (int)ch_unsigned5(vm, &at) - 1;
	*ret_method = method ? ch_peek64(s->metadata + 8 * (uint64_t)(method - 1), 0) : 0;
	/* Callers are written first: a chain that does not go down is none. */
	s->offset = sender < offset ? sender : 0;
	return true;
}

bool ch_method_plausible(const struct ch_vm *vm, uint64_t method)
{
	uint64_t constant, pool;

	if (method < 0x1000 || method & 7 || method >> 48)
		return false;
	constant = ch_peek64(method + (uint64_t)vm->method_const, 0);
	if (constant < 0x1000 || constant & 7)
		return false;
	pool = ch_peek64(constant + (uint64_t)vm->const_constants, 0);
	return pool >= 0x1000 && !(pool & 7);
}
