/*
 * Names of methods and threads, read out of the VM's own memory: nothing is asked of the VM, so
 * that a name can be taken in a signal handler, while the frame on the stack keeps its class alive.
 */
#ifndef CH_HOTSPOT_METHOD_H
#define CH_HOTSPOT_METHOD_H

#include "hotspot/vm.h"

#define CH_METHOD_TEXT_MAX  1024 /* of each name; longer ones are cut */
#define CH_METHOD_LINES_MAX 4096 /* bytes of the packed line table; a longer one is left out */

/* A method as copied out of the VM: this header, then the bytes of the four parts. */
struct ch_method_copy {
	uint16_t class_len, name_len, sig_len, lines_len;
	char bytes[];
};

#define CH_METHOD_COPY_MAX                                                                         \
	(sizeof(struct ch_method_copy) + 3 * CH_METHOD_TEXT_MAX + CH_METHOD_LINES_MAX + 8)

/* Copies to `to`, which has room for CH_METHOD_COPY_MAX bytes; the size used. Signal-safe. */
size_t ch_method_copy_sig(const struct ch_vm *vm, uint64_t method, struct ch_method_copy *to);
/* A hash of class, name and signature: another method at the same address has another. */
uint64_t ch_method_hash_sig(const struct ch_vm *vm, uint64_t method);

/* The line of a bytecode index, from the packed table of a copy; 0 when it is not known. */
unsigned ch_method_line(const struct ch_vm *vm, const void *lines, size_t n, unsigned bci);

/* True while a collection has the VM stopped, as far as the VM tells. Signal-safe. */
bool ch_vm_collecting_sig(const struct ch_vm *vm);

/* Where the name of a java.lang.Thread is, found out by ch_names_check. */
struct ch_names {
	uint32_t thread_name, string_value, string_coder; /* field offsets */
	uint32_t array_length, array_data;
	bool known;
};

/*
 * Completes `names` (the three field offsets are given) by reading the name of the thread `thread`
 * (JavaThread *), which is known to be `name`: sets `known` only when it reads the same. Off where
 * the collector moves objects while threads run.
 */
void ch_names_check(const struct ch_vm *vm, struct ch_names *names, uint64_t thread,
                    const char *name);
/*
 * Stands for the thread's name as long as it is the same: where its string lies and how many
 * collections there were, without which nothing else can lie there. 0 when it cannot be told.
 */
uint64_t ch_thread_name_mark_sig(const struct ch_vm *vm, const struct ch_names *names,
                                 uint64_t thread);
/* The thread's name as of now, as UTF-8 of at most `room` bytes; -1 when it cannot be told. */
int ch_thread_name_sig(const struct ch_vm *vm, const struct ch_names *names, uint64_t thread,
                       char *to, size_t room);

#endif
