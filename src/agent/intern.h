/*
 * Names, methods and stacks of a chunk: each distinct one is written once, as a constant, and has a
 * key. Used by the recorder's thread only.
 *
 * Threads that sample refer to methods and thread names by ids of their own (agent/ids.h), which
 * were defined before. All is forgotten when a chunk ends; definitions of the chunk before are kept
 * one chunk longer, for samples that were under way. What is needed for longer is carried over,
 * under new ids.
 */
#ifndef CH_AGENT_INTERN_H
#define CH_AGENT_INTERN_H

#include "agent/chunk.h"
#include "agent/record.h"
#include "base/strtab.h"

struct ch_intern;
struct ch_symbols;

/* Names a jmethodID of AsyncGetCallTrace; false when it is gone. */
struct ch_jmethod_name {
	char class_name[CH_METHOD_TEXT_MAX], method[CH_METHOD_TEXT_MAX], sig[CH_METHOD_TEXT_MAX];
};
typedef bool ch_jmethod_fn(void *arg, uint64_t jmethod, unsigned bci, struct ch_jmethod_name *ret,
                           unsigned *ret_line);

struct ch_intern *ch_intern_new(struct ch_chunk *chunk, const struct ch_vm *vm,
                                struct ch_symbols *symbols, ch_jmethod_fn *jmethod, void *arg);
void ch_intern_free(struct ch_intern *in);
/*
 * A new chunk begins: nothing is known in it. What the n samples refer to is kept: their ids of
 * methods, thread and class are changed to ones that stay valid until the next call.
 */
void ch_intern_forget(struct ch_intern *in, struct ch_rec_sample *const *kept, size_t n);
/* The chunk is begun anew: definitions stay, nothing is a constant any more. */
void ch_intern_unwrite(struct ch_intern *in);
/* Bytes that are held. */
size_t ch_intern_memory(const struct ch_intern *in);
/* 0, or -ENOMEM once something could not be stored. */
int ch_intern_error(const struct ch_intern *in);

/* Definitions, as they come out of the rings. */
void ch_intern_define_method(struct ch_intern *in, const struct ch_rec_method *m);
void ch_intern_define_thread(struct ch_intern *in, const struct ch_rec_thread *t);
void ch_intern_define_class(struct ch_intern *in, const struct ch_rec_class *c);

/* Keys, written as constants when they are new; 0 for what was never defined. */
uint64_t ch_intern_thread(struct ch_intern *in, uint32_t name_id);
uint64_t ch_intern_class(struct ch_intern *in, uint32_t class_id);
/* The stack of a wall sample, which may be "as before". */
uint64_t ch_intern_wall_stack(struct ch_intern *in, const struct ch_rec_sample *s);
uint64_t ch_intern_stack(struct ch_intern *in, const uint64_t *frames, unsigned n,
                         enum ch_walk_end end);

#endif
