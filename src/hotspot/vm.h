/*
 * What HotSpot says about its own layout: the tables gHotSpotVMStructs, …Types and …Constants that
 * libjvm exports for debuggers, read once in the process itself. All offsets that a walk or a name
 * needs are here; what a JVM does not have is -1. Immutable after ch_vm_read.
 */
#ifndef CH_HOTSPOT_VM_H
#define CH_HOTSPOT_VM_H

#include "base/error.h"

#include <stdbool.h>

#define CH_VM_HEAPS_MAX 8

/* A part of the code cache. Reserved bounds never move; pages inside may not be there yet. */
struct ch_vm_heap {
	uint64_t low, high, segmap;
	unsigned log2_segment;
};

struct ch_vm {
	int major; /* 11, 17, …; 0 unknown */

	/* Values that stay, 0 when there are none. */
	uint64_t code_low, code_high, call_stub_return, cont_return_barrier;
	uint64_t interpreter, interpreter_size; /* where its code is; size 0: unknown */
	uint64_t narrow_oop_base, narrow_oop_shift;
	/* Addresses of variables, 0 when there are none. */
	uint64_t code_heaps, perf_start, collected_heap;

	/* Offsets of fields. */
	int32_t heap_memory, heap_segmap, heap_log2, space_low, space_high_boundary;
	int32_t block_used;
	int32_t blob_name, blob_frame_size, blob_frame_complete, blob_code_begin, blob_code_offset;
	int32_t blob_code_end, blob_data_offset;
	int32_t blob_mutable_data, blob_relocation_size;
	int32_t nm_method, nm_comp_level, nm_compile_id, nm_scopes_pcs, nm_dependencies,
	    nm_scopes_data;
	int32_t nm_scopes_begin, nm_metadata, nm_immutable;
	int32_t thread_anchor, thread_stack_base, thread_stack_size, thread_state, thread_osthread;
	int32_t thread_obj;
	int32_t osthread_id;
	int32_t anchor_sp, anchor_pc, anchor_fp, wrapper_anchor;
	int32_t method_const, const_constants, const_flags, const_code_size, const_name, const_sig;
	int32_t pool_holder, klass_name, symbol_length, symbol_body;
	int32_t array_data, array_len;
	int32_t gc_active, gc_count;
	int32_t stubs_buffer, stubs_limit;

	/* Sizes and constants. */
	int32_t method_size, const_size, pool_size, block_size;
	int32_t entry_wrapper_slot; /* in words from the frame pointer */
	bool symbols_exclude_zero;  /* UNSIGNED5 of JDK 19 and later */
	bool code_by_offset;        /* code begins at blob + blob_code_offset */
	bool compressed_oops, moves_concurrently;

	struct ch_vm_heap heaps[CH_VM_HEAPS_MAX];
	unsigned n_heaps;
};

/*
 * Fills vm from the libjvm opened as `lib` (dlopen handle). Fails with the name of what is missing
 * when this JVM cannot be walked; nothing then may rely on vm.
 */
int ch_vm_read(struct ch_vm *vm, void *lib, struct ch_error *err);
/* The value of a boolean flag of the VM (UseZGC), or the fallback. Valid after ch_vm_read. */
bool ch_vm_flag(void *lib, const char *name, bool fallback);

#endif
