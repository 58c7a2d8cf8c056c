#include "hotspot/method.h"

#include "base/hash.h"
#include "sys/peek.h"

/* 8 bytes at a time: up to 7 bytes more than n are written. */
static void copy_out(char *to, uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t v = ch_peek64(from + i, 0);

		__builtin_memcpy(to + i, &v, 8);
	}
}

struct symbol {
	uint64_t body;
	size_t len;
};

static struct symbol symbol_at(const struct ch_vm *vm, uint64_t symbol)
{
	size_t len = symbol ? ch_peek16(symbol + (uint64_t)vm->symbol_length, 0) : 0;

	return (struct symbol){ symbol + (uint64_t)vm->symbol_body,
		                len < CH_METHOD_TEXT_MAX ? len : CH_METHOD_TEXT_MAX };
}

struct names {
	uint64_t constant;
	struct symbol class, name, sig;
};

static struct names names_of(const struct ch_vm *vm, uint64_t method)
{
	struct names n = { .constant = ch_peek64(method + (uint64_t)vm->method_const, 0) };
	uint64_t pool = ch_peek64(n.constant + (uint64_t)vm->const_constants, 0);
	uint64_t klass = ch_peek64(pool + (uint64_t)vm->pool_holder, 0);
	uint64_t slots = pool + (uint64_t)vm->pool_size;
	uint64_t name = ch_peek16(n.constant + (uint64_t)vm->const_name, 0);
	uint64_t sig = ch_peek16(n.constant + (uint64_t)vm->const_sig, 0);

	n.class = symbol_at(vm, ch_peek64(klass + (uint64_t)vm->klass_name, 0));
	n.name = symbol_at(vm, ch_peek64(slots + 8 * name, 0));
	n.sig = symbol_at(vm, ch_peek64(slots + 8 * sig, 0));
	return n;
}

static uint64_t hash_symbol(uint64_t h, struct symbol s)
{
	for (size_t i = 0; i < s.len; i += 8) {
		uint64_t v = ch_peek64(s.body + i, 0);

		if (s.len - i < 8)
			v &= (UINT64_C(1) << (8 * (s.len - i))) - 1;
		h = ch_hash_mix(h ^ v, CH_HASH_K1);
	}
	return ch_hash_mix(h ^ s.len, CH_HASH_K2);
}

uint64_t ch_method_hash_sig(const struct ch_vm *vm, uint64_t method)
{
	struct names n = names_of(vm, method);

	return hash_symbol(hash_symbol(hash_symbol(1, n.class), n.name), n.sig);
}

/*
 * The packed line table lies behind the bytecodes; its length is not told, so it is walked: a byte
 * 0 ends it, 0xff is followed by two numbers.
 */
static size_t lines_length(const struct ch_vm *vm, uint64_t at)
{
	size_t low = vm->symbols_exclude_zero ? 191 : 192;

	for (size_t i = 0; i < CH_METHOD_LINES_MAX; i++) {
		uint8_t b = ch_peek8(at + i, 0);

		if (b == 0)
			return i;
		if (b != 0xff)
			continue;
		for (int number = 0; number < 2; number++)
			for (int k = 0; k < 5; k++)
				if ((size_t)ch_peek8(at + ++i, 0) - vm->symbols_exclude_zero < low)
					break;
	}
	return 0;
}

size_t ch_method_copy_sig(const struct ch_vm *vm, uint64_t method, struct ch_method_copy *to)
{
	struct names n = names_of(vm, method);
	uint64_t code_size = ch_peek16(n.constant + (uint64_t)vm->const_code_size, 0);
	uint64_t lines = n.constant + (uint64_t)vm->const_size + code_size;
	char *p = to->bytes;

	to->class_len = (uint16_t)n.class.len;
	to->name_len = (uint16_t)n.name.len;
	to->sig_len = (uint16_t)n.sig.len;
	to->lines_len = 0;
	/* The lowest flag says that there is a line table, in all releases. */
	if (ch_peek8(n.constant + (uint64_t)vm->const_flags, 0) & 1)
		to->lines_len = (uint16_t)lines_length(vm, lines);
	copy_out(p, n.class.body, n.class.len);
	copy_out(p += n.class.len, n.name.body, n.name.len);
	copy_out(p += n.name.len, n.sig.body, n.sig.len);
	copy_out(p += n.sig.len, lines, to->lines_len);
	return (size_t)(p + to->lines_len - (char *)to);
}

/* Objects may move, or the memory be reused: only what still looks like a string is believed. */
static uint64_t oop_at(const struct ch_vm *vm, uint64_t field)
{
	uint64_t narrow;

	if (!vm->compressed_oops)
		return ch_peek64(field, 0);
	narrow = ch_peek32(field, 0);
	return narrow ? vm->narrow_oop_base + (narrow << vm->narrow_oop_shift) : 0;
}

static uint64_t thread_object(const struct ch_vm *vm, uint64_t thread)
{
	uint64_t obj = ch_peek64(thread + (uint64_t)vm->thread_obj, 0);

	/* A handle since JDK 17, the object itself before. */
	return vm->major >= 17 && obj ? ch_peek64(obj, 0) : obj;
}

static size_t latin1_to_utf8(uint64_t from, size_t n, char *to, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < n && used + 2 <= room; i++) {
		uint8_t c = ch_peek8(from + i, '?');

		if (c >= 0x80) {
			to[used++] = (char)(0xc0 | c >> 6);
			c = 0x80 | (c & 0x3f);
		}
		to[used++] = (char)c;
	}
	return used;
}

/* The character at `from`, of one or two units; how many bytes it takes. */
static size_t utf16_char(uint64_t from, size_t n, uint32_t *ret)
{
	uint32_t c = ch_peek16(from, '?'), low = n >= 4 ? ch_peek16(from + 2, 0) : 0;

	*ret = c;
	if (c < 0xd800 || c > 0xdfff)
		return 2;
	*ret = 0xfffd;
	if (c > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return 2;
	*ret = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	return 4;
}

static size_t utf16_to_utf8(uint64_t from, size_t n, char *to, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i + 1 < n && used + 4 <= room;) {
		uint32_t c;

		i += utf16_char(from + i, n - i, &c);
		if (c < 0x80) {
			to[used++] = (char)c;
		} else if (c < 0x800) {
			to[used++] = (char)(0xc0 | c >> 6);
			to[used++] = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			to[used++] = (char)(0xe0 | c >> 12);
			to[used++] = (char)(0x80 | (c >> 6 & 0x3f));
			to[used++] = (char)(0x80 | (c & 0x3f));
		} else {
			to[used++] = (char)(0xf0 | c >> 18);
			to[used++] = (char)(0x80 | (c >> 12 & 0x3f));
			to[used++] = (char)(0x80 | (c >> 6 & 0x3f));
			to[used++] = (char)(0x80 | (c & 0x3f));
		}
	}
	return used;
}

static uint64_t heap_of(const struct ch_vm *vm)
{
	return vm->collected_heap ? ch_peek64(vm->collected_heap, 0) : 0;
}

bool ch_vm_collecting_sig(const struct ch_vm *vm)
{
	uint64_t heap = heap_of(vm);

	return heap && vm->gc_active >= 0 && ch_peek8(heap + (uint64_t)vm->gc_active, 0);
}

static uint64_t name_of(const struct ch_vm *vm, const struct ch_names *names, uint64_t thread)
{
	uint64_t obj = thread_object(vm, thread);

	return obj ? oop_at(vm, obj + names->thread_name) : 0;
}

/* How many collections began so far, 0 where the VM does not tell; -1 during the pause of one. */
static int64_t collections(const struct ch_vm *vm)
{
	uint64_t heap = heap_of(vm);

	if (ch_vm_collecting_sig(vm))
		return -1;
	return heap && vm->gc_count >= 0 ? ch_peek32(heap + (uint64_t)vm->gc_count, 0) : 0;
}

uint64_t ch_thread_name_mark_sig(const struct ch_vm *vm, const struct ch_names *names,
                                 uint64_t thread)
{
	int64_t before = collections(vm);
	uint64_t string;

	if (!names->known || vm->gc_count < 0 || before < 0)
		return 0;
	string = name_of(vm, names, thread);
	return string && collections(vm) == before
	           ? string >> 3 << 20 | ((uint64_t)before & 0xfffff)
	           : 0;
}

int ch_thread_name_sig(const struct ch_vm *vm, const struct ch_names *names, uint64_t thread,
                       char *to, size_t room)
{
	int64_t before = collections(vm);
	uint64_t string, value;
	uint32_t length;
	size_t n;

	if (!names->known || before < 0)
		return -1;
	string = name_of(vm, names, thread);
	value = string ? oop_at(vm, string + names->string_value) : 0;
	if (!value)
		return -1;
	length = ch_peek32(value + names->array_length, 0);
	if (length > 4 * room)
		return -1;
	value += names->array_data;
	n = ch_peek8(string + names->string_coder, 0) ? utf16_to_utf8(value, length, to, room)
	                                              : latin1_to_utf8(value, length, to, room);
	/* A pause meanwhile may have moved it all. */
	return collections(vm) == before ? (int)n : -1;
}
