#include "hotspot/vm.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "hotspot/frame_arch.h"

/* One row per fact. A field that several releases name differently has several rows. */
enum kind { OFFSET, ADDRESS };

static const struct fact {
	const char *type, *field;
	enum kind kind;
	size_t at; /* in struct ch_vm: int32_t for offsets, uint64_t for addresses */
} facts[] = {
#define F(type, field, member)                                                                     \
	{                                                                                          \
		type, field, OFFSET, offsetof(struct ch_vm, member)                                \
	}
#define A(type, field, member)                                                                     \
	{                                                                                          \
		type, field, ADDRESS, offsetof(struct ch_vm, member)                               \
	}
	A("CodeCache", "_low_bound", code_low),
	A("CodeCache", "_high_bound", code_high),
	A("CodeCache", "_heaps", code_heaps),
	A("AbstractInterpreter", "_code", interpreter),
	F("StubQueue", "_stub_buffer", stubs_buffer),
	F("StubQueue", "_buffer_limit", stubs_limit),
	A("StubRoutines", "_call_stub_return_address", call_stub_return),
	A("StubRoutines", "_cont_returnBarrier", cont_return_barrier),
	A("PerfMemory", "_start", perf_start),
	A("Universe", "_collectedHeap", collected_heap),
	A("Universe", "_narrow_oop._base", narrow_oop_base),
	A("Universe", "_narrow_oop._shift", narrow_oop_shift),
	A("CompressedOops", "_narrow_oop._base", narrow_oop_base),
	A("CompressedOops", "_narrow_oop._shift", narrow_oop_shift),
	A("CompressedOops", "_base", narrow_oop_base),
	A("CompressedOops", "_shift", narrow_oop_shift),
	F("CodeHeap", "_memory", heap_memory),
	F("CodeHeap", "_segmap", heap_segmap),
	F("CodeHeap", "_log2_segment_size", heap_log2),
	F("VirtualSpace", "_low", space_low),
	F("VirtualSpace", "_high_boundary", space_high_boundary),
	F("HeapBlock::Header", "_used", block_used),
	F("CodeBlob", "_name", blob_name),
	F("CodeBlob", "_frame_size", blob_frame_size),
	F("CodeBlob", "_frame_complete_offset", blob_frame_complete),
	F("CodeBlob", "_code_begin", blob_code_begin),
	F("CodeBlob", "_code_offset", blob_code_offset),
	F("CodeBlob", "_code_end", blob_code_end),
	F("CodeBlob", "_data_offset", blob_data_offset),
	F("CodeBlob", "_mutable_data", blob_mutable_data),
	F("CodeBlob", "_relocation_size", blob_relocation_size),
	F("CompiledMethod", "_method", nm_method),
	F("nmethod", "_method", nm_method),
	F("nmethod", "_comp_level", nm_comp_level),
	F("nmethod", "_compile_id", nm_compile_id),
	F("nmethod", "_scopes_pcs_offset", nm_scopes_pcs),
	F("nmethod", "_dependencies_offset", nm_dependencies),
	F("nmethod", "_scopes_data_offset", nm_scopes_data),
	F("CompiledMethod", "_scopes_data_begin", nm_scopes_begin),
	F("nmethod", "_metadata_offset", nm_metadata),
	F("nmethod", "_immutable_data", nm_immutable),
	F("JavaThread", "_anchor", thread_anchor),
	F("JavaThread", "_stack_base", thread_stack_base),
	F("JavaThread", "_stack_size", thread_stack_size),
	F("JavaThread", "_thread_state", thread_state),
	F("JavaThread", "_osthread", thread_osthread),
	F("Thread", "_osthread", thread_osthread),
	F("JavaThread", "_threadObj", thread_obj),
	F("OSThread", "_thread_id", osthread_id),
	F("JavaFrameAnchor", "_last_Java_sp", anchor_sp),
	F("JavaFrameAnchor", "_last_Java_pc", anchor_pc),
	F("JavaFrameAnchor", "_last_Java_fp", anchor_fp),
	F("JavaCallWrapper", "_anchor", wrapper_anchor),
	F("Method", "_constMethod", method_const),
	F("ConstMethod", "_constants", const_constants),
	F("ConstMethod", "_flags", const_flags),
	F("ConstMethod", "_flags._flags", const_flags),
	F("ConstMethod", "_code_size", const_code_size),
	F("ConstMethod", "_name_index", const_name),
	F("ConstMethod", "_signature_index", const_sig),
	F("ConstantPool", "_pool_holder", pool_holder),
	F("Klass", "_name", klass_name),
	F("Symbol", "_length", symbol_length),
	F("Symbol", "_body", symbol_body),
	F("GrowableArray<int>", "_data", array_data),
	F("GenericGrowableArray", "_len", array_len),
	F("GrowableArrayBase", "_len", array_len),
	F("CollectedHeap", "_is_gc_active", gc_active),
	F("CollectedHeap", "_is_stw_gc_active", gc_active),
	F("CollectedHeap", "_total_collections", gc_count),
#undef F
#undef A
};

/* Without these no walk is possible. */
static const struct {
	const char *what;
	size_t at;
} needed[] = {
#define N(member)                                                                                  \
	{                                                                                          \
#member, offsetof(struct ch_vm, member)                                            \
	}
	N(heap_memory),         N(heap_segmap),     N(heap_log2),       N(space_low),
	N(block_used),          N(blob_name),       N(blob_frame_size), N(blob_frame_complete),
	N(nm_method),           N(nm_scopes_pcs),   N(thread_anchor),   N(thread_stack_base),
	N(thread_stack_size),   N(thread_state),    N(thread_osthread), N(osthread_id),
	N(anchor_sp),           N(anchor_pc),       N(anchor_fp),       N(wrapper_anchor),
	N(method_const),        N(const_constants), N(const_flags),     N(const_code_size),
	N(const_name),          N(const_sig),       N(pool_holder),     N(klass_name),
	N(symbol_length),       N(symbol_body),     N(array_data),      N(array_len),
	N(space_high_boundary),
#undef N
};

static uint64_t word(void *lib, const char *symbol)
{
	const uint64_t *p = dlsym(lib, symbol);

	return p ? *p : 0;
}

static const char *text_at(const char *entry, uint64_t offset)
{
	return *(const char *const *)(entry + offset);
}

/* The table of fields, and where in an entry is what. */
struct fields {
	const char *next; /* NULL: this JVM has no such table */
	uint64_t stride, type, name, offset, address;
};

struct field {
	const char *type, *name;
	uint64_t offset, address; /* in its object, or of itself when it is static */
};

static struct fields fields_of(void *lib)
{
	struct fields f = {
		.next = (const char *)word(lib, "gHotSpotVMStructs"),
		.stride = word(lib, "gHotSpotVMStructEntryArrayStride"),
		.type = word(lib, "gHotSpotVMStructEntryTypeNameOffset"),
		.name = word(lib, "gHotSpotVMStructEntryFieldNameOffset"),
		.offset = word(lib, "gHotSpotVMStructEntryOffsetOffset"),
		.address = word(lib, "gHotSpotVMStructEntryAddressOffset"),
	};

	if (!f.stride)
		f.next = NULL;
	return f;
}

static bool next_field(struct fields *f, struct field *ret)
{
	const char *e = f->next;

	if (!e || !text_at(e, f->type) || !text_at(e, f->name))
		return false;
	*ret = (struct field){ text_at(e, f->type), text_at(e, f->name),
		               *(const uint64_t *)(e + f->offset),
		               *(const uint64_t *)(e + f->address) };
	f->next += f->stride;
	return true;
}

static bool field_is(const struct field *f, const char *type, const char *name)
{
	return !strcmp(f->type, type) && !strcmp(f->name, name);
}

static void take_fact(struct ch_vm *vm, const struct fact *fact, const struct field *f)
{
	if (fact->kind == OFFSET)
		*(int32_t *)((char *)vm + fact->at) = (int32_t)f->offset;
	else
		*(uint64_t *)((char *)vm + fact->at) = f->address;
}

static int read_fields(struct ch_vm *vm, void *lib, struct ch_error *err)
{
	struct fields all = fields_of(lib);
	struct field f;

	if (!all.next)
		return ch_fail(err, -ENOTSUP, "this JVM exports no VMStructs: not HotSpot?");
	while (next_field(&all, &f))
		for (size_t i = 0; i < CH_LEN(facts); i++)
			if (field_is(&f, facts[i].type, facts[i].field))
				take_fact(vm, &facts[i], &f);
	return 0;
}

/* The size of a type, -1 when the table has none. */
static int32_t type_size(void *lib, const char *name)
{
	const char *e = (const char *)word(lib, "gHotSpotVMTypes");
	uint64_t stride = word(lib, "gHotSpotVMTypeEntryArrayStride");
	uint64_t at = word(lib, "gHotSpotVMTypeEntryTypeNameOffset");
	uint64_t size = word(lib, "gHotSpotVMTypeEntrySizeOffset");

	for (; e && text_at(e, at); e += stride)
		if (!strcmp(text_at(e, at), name))
			return (int32_t) * (const uint64_t *)(e + size);
	return -1;
}

static int32_t int_constant(void *lib, const char *name, int32_t fallback)
{
	const char *e = (const char *)word(lib, "gHotSpotVMIntConstants");
	uint64_t stride = word(lib, "gHotSpotVMIntConstantEntryArrayStride");
	uint64_t at = word(lib, "gHotSpotVMIntConstantEntryNameOffset");
	uint64_t value = word(lib, "gHotSpotVMIntConstantEntryValueOffset");

	for (; e && text_at(e, at); e += stride)
		if (!strcmp(text_at(e, at), name))
			return *(const int32_t *)(e + value);
	return fallback;
}

/* Address and offset of one field, for the few that are read here only. */
static const char *static_field(void *lib, const char *type, const char *name, uint64_t *ret_offset)
{
	struct fields all = fields_of(lib);
	struct field f;

	while (next_field(&all, &f))
		if (field_is(&f, type, name)) {
			*ret_offset = f.offset;
			return (const char *)f.address;
		}
	*ret_offset = UINT64_MAX;
	return NULL;
}

bool ch_vm_flag(void *lib, const char *name, bool fallback)
{
	uint64_t name_at, addr_at, unused;
	int32_t size = type_size(lib, "JVMFlag");
	const char *table = static_field(lib, "JVMFlag", "flags", &unused);
	const char *count = static_field(lib, "JVMFlag", "numFlags", &unused);

	static_field(lib, "JVMFlag", "_name", &name_at);
	static_field(lib, "JVMFlag", "_addr", &addr_at);
	if (!table || !count || size <= 0 || name_at > 64 || addr_at > 64)
		return fallback;
	table = *(const char *const *)table;
	for (uint64_t i = 0, n = *(const uint64_t *)count; i < n; i++, table += size) {
		const char *flag = text_at(table, name_at);

		if (flag && !strcmp(flag, name))
			return *(const bool *)text_at(table, addr_at);
	}
	return fallback;
}

static int major_version(void *lib)
{
	uint64_t unused;
	const char *at = static_field(lib, "Abstract_VM_Version", "_vm_major_version", &unused);

	return at ? *(const int *)at : 0;
}

static int read_heaps(struct ch_vm *vm, struct ch_error *err)
{
	const char *array = *(const char *const *)vm->code_heaps;
	int n = array ? *(const int *)(array + vm->array_len) : 0;
	const char *const *heap =
	    array ? *(const char *const *const *)(array + vm->array_data) : NULL;

	if (n <= 0 || n > CH_VM_HEAPS_MAX || !heap)
		return ch_fail(err, -EAGAIN, "the JVM has no code cache yet");
	for (int i = 0; i < n; i++) {
		const char *memory = heap[i] + vm->heap_memory;
		const char *segmap = heap[i] + vm->heap_segmap;

		vm->heaps[i] = (struct ch_vm_heap){
			.low = *(const uint64_t *)(memory + vm->space_low),
			.high = *(const uint64_t *)(memory + vm->space_high_boundary),
			.segmap = *(const uint64_t *)(segmap + vm->space_low),
			.log2_segment = *(const unsigned *)(heap[i] + vm->heap_log2),
		};
	}
	vm->n_heaps = (unsigned)n;
	return 0;
}

static int check(const struct ch_vm *vm, struct ch_error *err)
{
	for (size_t i = 0; i < CH_LEN(needed); i++)
		if (*(const int32_t *)((const char *)vm + needed[i].at) < 0)
			return ch_fail(err, -ENOTSUP, "this JVM does not tell its %s",
			               needed[i].what);
	if (!vm->code_low || !vm->code_high || !vm->code_heaps || !vm->call_stub_return)
		return ch_fail(err, -ENOTSUP, "this JVM does not tell where its code cache is");
	if (vm->method_size <= 0 || vm->const_size <= 0 || vm->pool_size <= 0 ||
	    vm->block_size <= 0)
		return ch_fail(err, -ENOTSUP, "this JVM does not tell the sizes of its types");
	if (vm->code_by_offset ? vm->nm_immutable < 0 || vm->blob_mutable_data < 0 ||
	                             vm->nm_scopes_data < 0 || vm->blob_relocation_size < 0
	                       : vm->blob_code_begin < 0 || vm->nm_dependencies < 0 ||
	                             vm->nm_scopes_begin < 0 || vm->nm_metadata < 0)
		return ch_fail(err, -ENOTSUP, "this JVM keeps its debug information elsewhere");
	return 0;
}

/* Variables that never change once the VM runs: their value in the place of their address. */
static void load(uint64_t *variable)
{
	if (*variable)
		*variable = *(const uint64_t *)*variable;
}

/* Its code is where its queue of stubs is. A JVM that does not tell is asked at each frame. */
static void read_interpreter(struct ch_vm *vm)
{
	const char *queue;

	load(&vm->interpreter);
	queue = (const char *)vm->interpreter;
	if (!queue || vm->stubs_buffer < 0 || vm->stubs_limit < 0)
		return;
	vm->interpreter = *(const uint64_t *)(queue + vm->stubs_buffer);
	vm->interpreter_size = *(const uint32_t *)(queue + vm->stubs_limit);
}

int ch_vm_read(struct ch_vm *vm, void *lib, struct ch_error *err)
{
	int r;

	memset(vm, 0, sizeof(*vm));
	for (size_t i = 0; i < CH_LEN(facts); i++)
		if (facts[i].kind == OFFSET)
			*(int32_t *)((char *)vm + facts[i].at) = -1;
	r = read_fields(vm, lib, err);
	if (r < 0)
		return r;
	vm->major = major_version(lib);
	vm->method_size = type_size(lib, "Method");
	vm->const_size = type_size(lib, "ConstMethod");
	vm->pool_size = type_size(lib, "ConstantPool");
	vm->block_size = type_size(lib, "HeapBlock");
	vm->entry_wrapper_slot =
	    int_constant(lib, "frame::entry_frame_call_wrapper_offset", CH_FRAME_ENTRY_WRAPPER);
	vm->symbols_exclude_zero = vm->major >= 19;
	vm->code_by_offset = vm->blob_code_offset >= 0;
	vm->compressed_oops = ch_vm_flag(lib, "UseCompressedOops", false);
	vm->moves_concurrently =
	    ch_vm_flag(lib, "UseZGC", false) || ch_vm_flag(lib, "UseShenandoahGC", false);
	r = check(vm, err);
	if (r < 0)
		return r;
	load(&vm->code_low);
	load(&vm->code_high);
	load(&vm->call_stub_return);
	load(&vm->cont_return_barrier);
	load(&vm->narrow_oop_base);
	if (vm->narrow_oop_shift)
		vm->narrow_oop_shift = *(const uint32_t *)vm->narrow_oop_shift;
	read_interpreter(vm);
	return read_heaps(vm, err);
}
