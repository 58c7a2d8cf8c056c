/*
 * Code blobs: what the code cache holds at an address. Plain values read through ch_peek*; a blob
 * may be freed while it is looked at, so everything is checked again by who uses it. Signal-safe.
 */
#ifndef CH_HOTSPOT_CODE_H
#define CH_HOTSPOT_CODE_H

#include "hotspot/vm.h"

enum ch_blob_kind {
	CH_BLOB_OTHER, /* runtime stubs, adapters with frames, deoptimisation, … */
	CH_BLOB_NMETHOD,
	CH_BLOB_INTERPRETER,
	CH_BLOB_STUBS,     /* generated leaf routines: arraycopy, intrinsics, call stub */
	CH_BLOB_FRAMELESS, /* vtable stubs and adapters: the return address is on top */
};

struct ch_blob {
	uint64_t at; /* CodeBlob *, 0 when there is none */
	uint64_t code;
	enum ch_blob_kind kind;
	int32_t frame_words, frame_complete;
};

/* The blob around pc; .at is 0 when there is none. */
struct ch_blob ch_blob_find(const struct ch_vm *vm, uint64_t pc);

/* Whether the room of a blob that was found before is still somebody's. Signal-safe. */
bool ch_blob_in_use(const struct ch_vm *vm, uint64_t blob);
/* Where the code of a blob ends; 0 when this JVM does not tell. Signal-safe. */
uint64_t ch_blob_end(const struct ch_vm *vm, const struct ch_blob *b);

/* Where a pc of a compiled method stands in its debug information. */
struct ch_scope {
	uint64_t data, metadata;
	uint32_t offset; /* of the innermost scope; 0: there is none for this pc */
};

/* `exact`: pc is a return address, which has a description of its own or none. */
struct ch_scope ch_scope_find(const struct ch_vm *vm, const struct ch_blob *b, uint64_t pc,
                              bool exact);
/* Reads one scope and moves to its caller; false when there is none left. */
bool ch_scope_next(const struct ch_vm *vm, struct ch_scope *s, uint64_t *ret_method, int *ret_bci);

/* An unsigned number as HotSpot packs them; *at moves behind it. */
uint32_t ch_unsigned5(const struct ch_vm *vm, uint64_t *at);

/* True when addr looks like a Method that can be named. */
bool ch_method_plausible(const struct ch_vm *vm, uint64_t method);

#endif
