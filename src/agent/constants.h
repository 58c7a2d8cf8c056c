/*
 * The constants of a chunk that are texts: symbols, classes, methods, and the names of native code.
 * Each distinct one is written once, when its key is first asked for. For the recorder's thread.
 */
#ifndef CH_AGENT_CONSTANTS_H
#define CH_AGENT_CONSTANTS_H

#include "agent/chunk.h"
#include "base/strtab.h"
#include "hotspot/vm.h"

struct ch_symbols;

struct ch_method_key {
	uint32_t class_name, name, sig; /* ids of strings */
};

/* A native or kernel address, named once. */
struct ch_place {
	uint64_t address;
	uint32_t method;
	uint8_t type; /* enum ch_frame_type */
};

struct ch_constants {
	struct ch_chunk *chunk;
	const struct ch_vm *vm;
	struct ch_symbols *symbols; /* NULL: native code has no names */

	struct ch_strtab strings;
	size_t strings_put; /* those before it are constants already */
	uint8_t *class_put; /* by string: its class is a constant already */
	size_t class_cap;
	struct ch_method_key *methods; /* from 1 on */
	size_t n_methods, methods_cap;
	struct ch_place *places; /* from 1 on */
	size_t n_places, places_cap;
	struct ch_index method_index, place_index;
	int err; /* sticky: -ENOMEM */
};

void ch_constants_init(struct ch_constants *c, struct ch_chunk *chunk, const struct ch_vm *vm,
                       struct ch_symbols *symbols);
void ch_constants_done(struct ch_constants *c);
size_t ch_constants_memory(const struct ch_constants *c);

/* Begins a constant of any type: its value is put into the buffer. */
struct ch_buf *ch_constants_put(struct ch_constants *c, enum ch_type type, uint64_t key);

/* The id of a string, for the keys below. */
uint32_t ch_constants_string(struct ch_constants *c, const char *s, size_t n);
/* Keys; 0 without memory. */
uint64_t ch_constants_class(struct ch_constants *c, uint32_t string);
uint32_t ch_constants_method(struct ch_constants *c, const struct ch_method_key *m);
/* A method that has only a name: native functions and notes. */
uint32_t ch_constants_named(struct ch_constants *c, const char *name);
/* What is at an address of native code, or of the kernel. */
const struct ch_place *ch_constants_place(struct ch_constants *c, uint64_t address, bool kernel);

#endif
