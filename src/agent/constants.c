#include "agent/constants.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/stubs.h"
#include "base/hash.h"
#include "base/vec.h"
#include "hotspot/walk.h"
#include "sys/symbols.h"

#define STRINGS_MAX (256u << 20)

void ch_constants_init(struct ch_constants *c, struct ch_chunk *chunk, const struct ch_vm *vm,
                       struct ch_symbols *symbols)
{
	*c = (struct ch_constants){
		.chunk = chunk, .vm = vm, .symbols = symbols, .n_methods = 1, .n_places = 1
	};
	ch_strtab_init(&c->strings, STRINGS_MAX);
}

void ch_constants_done(struct ch_constants *c)
{
	ch_strtab_done(&c->strings);
	free(c->class_put);
	free(c->methods);
	free(c->places);
	ch_index_done(&c->method_index);
	ch_index_done(&c->place_index);
}

size_t ch_constants_memory(const struct ch_constants *c)
{
	return c->strings.arena.used + c->strings.text_cap * 12 + c->class_cap +
	       c->methods_cap * sizeof(*c->methods) + c->places_cap * sizeof(*c->places) +
	       8 * (c->strings.index.mask + c->method_index.mask + c->place_index.mask);
}

static void fail(struct ch_constants *c)
{
	c->err = -ENOMEM;
}

/* --- symbols, classes, methods --------------------------------------------------------------- */

/* Key 0 means nothing in JFR: the empty string, id 0, has key 1. */
static uint64_t symbol_key(uint32_t string)
{
	return (uint64_t)string + 1;
}

struct ch_buf *ch_constants_put(struct ch_constants *c, enum ch_type type, uint64_t key)
{
	struct ch_pool *p = &c->chunk->pools[type];

	p->n++;
	ch_jfr_put_int(&p->bytes, key);
	return &p->bytes;
}

static void put_new_strings(struct ch_constants *c)
{
	for (; c->strings_put < c->strings.n; c->strings_put++) {
		size_t i = c->strings_put;

		ch_jfr_put_text(ch_constants_put(c, CH_T_SYMBOL, symbol_key((uint32_t)i)),
		                c->strings.text[i], c->strings.len[i]);
	}
}

/* A class has the key of its name. */
uint64_t ch_constants_class(struct ch_constants *c, uint32_t string)
{
	struct ch_buf *b;
	size_t before = c->class_cap;

	if (string >= c->class_cap) {
		if (CH_ROOM(c->class_put, c->class_cap, (size_t)string + 1) < 0) {
			fail(c);
			return 0;
		}
		memset(c->class_put + before, 0, c->class_cap - before);
	}
	if (c->class_put[string])
		return symbol_key(string);
	c->class_put[string] = 1;
	put_new_strings(c);
	b = ch_constants_put(c, CH_T_CLASS, symbol_key(string));
	ch_jfr_put_int(b, 0); /* loader */
	ch_jfr_put_int(b, symbol_key(string));
	ch_jfr_put_int(b, 0); /* package */
	ch_jfr_put_int(b, 0); /* modifiers */
	return symbol_key(string);
}

uint32_t ch_constants_string(struct ch_constants *c, const char *s, size_t n)
{
	return ch_strtab_id(&c->strings, s, n);
}

uint32_t ch_constants_method(struct ch_constants *c, const struct ch_method_key *m)
{
	uint32_t h = ch_hash_u64((uint64_t)m->class_name << 32 | m->name, m->sig), id;
	size_t at = ch_index_start(&c->method_index, h);
	struct ch_buf *b;

	while ((id = ch_index_next(&c->method_index, h, &at)))
		if (!memcmp(&c->methods[id], m, sizeof(*m)))
			return id;
	id = (uint32_t)c->n_methods;
	if (CH_ROOM(c->methods, c->methods_cap, c->n_methods + 1) < 0 ||
	    ch_index_put(&c->method_index, h, id) < 0) {
		fail(c);
		return 0;
	}
	c->methods[c->n_methods++] = *m;
	ch_constants_class(c, m->class_name);
	put_new_strings(c);
	b = ch_constants_put(c, CH_T_METHOD, id);
	ch_jfr_put_int(b, symbol_key(m->class_name));
	ch_jfr_put_int(b, symbol_key(m->name));
	ch_jfr_put_int(b, symbol_key(m->sig));
	ch_jfr_put_int(b, 0); /* modifiers */
	ch_buf_putc(b, 0);    /* hidden */
	return id;
}

uint32_t ch_constants_named(struct ch_constants *c, const char *name)
{
	struct ch_method_key m = { 0, ch_constants_string(c, name, strlen(name)),
		                   ch_constants_string(c, "()V", 3) };

	return ch_constants_method(c, &m);
}

/* --- native code ----------------------------------------------------------------------------- */

/* A library may have come since the maps were last read. */
static bool find_symbol(struct ch_constants *c, uint64_t address, struct ch_symbol *ret)
{
	if (!c->symbols)
		return false;
	return ch_symbols_find(c->symbols, address, ret) ||
	       (ch_symbols_refresh(c->symbols) > 0 && ch_symbols_find(c->symbols, address, ret));
}

static struct ch_place place_new(struct ch_constants *c, uint64_t address, bool kernel)
{
	struct ch_place p = { .address = address, .type = kernel ? CH_FT_KERNEL : CH_FT_NATIVE };
	struct ch_symbol symbol;
	char text[64];

	if (ch_vm_is_code(c->vm, address) && ch_stubs_find(address, text, sizeof(text))) {
		p.method = ch_constants_named(c, text);
		return p;
	}
	if (find_symbol(c, address, &symbol)) {
		p.method = ch_constants_named(c, symbol.name);
		if (!kernel && !strncmp(symbol.library, "libjvm", 6))
			p.type = CH_FT_CPP;
		return p;
	}
	snprintf(text, sizeof(text), "[unknown %s]", kernel ? "kernel code" : "code");
	p.method = ch_constants_named(c, text);
	return p;
}

const struct ch_place *ch_constants_place(struct ch_constants *c, uint64_t address, bool kernel)
{
	static const struct ch_place none;
	uint32_t h = ch_hash_u64(address, 1), id;
	size_t at = ch_index_start(&c->place_index, h);

	while ((id = ch_index_next(&c->place_index, h, &at)))
		if (c->places[id].address == address)
			return &c->places[id];
	id = (uint32_t)c->n_places;
	if (CH_ROOM(c->places, c->places_cap, c->n_places + 1) < 0 ||
	    ch_index_put(&c->place_index, h, id) < 0) {
		fail(c);
		return &none;
	}
	c->places[id] = place_new(c, address, kernel);
	c->n_places++;
	return &c->places[id];
}
