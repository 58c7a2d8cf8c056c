/*
 * Walking the stack of a HotSpot thread from inside a signal handler: interpreted, compiled and
 * inlined frames, stubs, entry frames, and native frames on top. Nothing is allocated, no lock is
 * taken, every load from the target goes through ch_peek*.
 */
#ifndef CH_HOTSPOT_WALK_H
#define CH_HOTSPOT_WALK_H

#include "hotspot/pc_cache.h"
#include "hotspot/vm.h"
#include "sys/unwind.h"

/*
 * A frame in 64 bits. Java frames: kind, bytecode index, and the Method's address (/ 8) or, once
 * named, an id. Native and kernel frames: kind and address. Notes: why there is no frame.
 */
enum ch_frame_kind {
	CH_FRAME_INTERPRETED,
	CH_FRAME_COMPILED, /* by C2, or by a compiler of unknown level */
	CH_FRAME_INLINED,
	CH_FRAME_C1,
	CH_FRAME_JMETHOD, /* a jmethodID of AsyncGetCallTrace */
	CH_FRAME_NATIVE,
	CH_FRAME_KERNEL,
	CH_FRAME_NOTE,
};

#define CH_FRAME_BCI_NONE 0xffff

static inline uint64_t ch_frame_java(enum ch_frame_kind kind, uint64_t what, unsigned bci)
{
	return (uint64_t)kind << 61 | (uint64_t)(bci & 0xffff) << 45 | (what & 0x1fffffffffff);
}

static inline uint64_t ch_frame_addr(enum ch_frame_kind kind, uint64_t addr)
{
	return (uint64_t)kind << 61 | (addr & 0x1fffffffffffffff);
}

static inline enum ch_frame_kind ch_frame_kind(uint64_t f)
{
	return (enum ch_frame_kind)(f >> 61);
}

static inline unsigned ch_frame_bci(uint64_t f)
{
	return f >> 45 & 0xffff;
}

/* Of a Java frame: the Method's address / 8, or the id. */
static inline uint64_t ch_frame_what(uint64_t f)
{
	return f & 0x1fffffffffff;
}

static inline uint64_t ch_frame_address(uint64_t f)
{
	/* The sign bit of 61: kernel addresses have all upper bits set. */
	return (uint64_t)((int64_t)(f << 3) >> 3);
}

/* Frames that name a method. */
static inline bool ch_frame_is_java(uint64_t f)
{
	return ch_frame_kind(f) <= CH_FRAME_JMETHOD;
}

/* Why a walk ended; CH_WALK_DONE and CH_WALK_NATIVE are the good ones. */
enum ch_walk_end {
	CH_WALK_DONE,      /* reached the first Java frame of the thread */
	CH_WALK_NATIVE,    /* a thread without Java frames */
	CH_WALK_TRUNCATED, /* max frames */
	CH_WALK_BAD_SP,
	CH_WALK_BAD_PC,
	CH_WALK_BAD_FRAME,
	CH_WALK_ENDS,
};

struct ch_walk {
	const struct ch_vm *vm;
	uint64_t thread; /* JavaThread *, 0 for a thread that is none */
	uint64_t *frames;
	unsigned max, n;
	bool native;               /* native frames on top are wanted */
	struct ch_unwind *unwind;  /* for native code without frame pointers; NULL: there is none */
	struct ch_pc_cache *cache; /* NULL: none */
	/*
	 * The id of a Method, asked for while its frame keeps it alive; 0: there is none to be had,
	 * and the walk ends, `unnamed`. NULL: frames hold addresses. What the cache holds counts for
	 * one epoch: ids mean the same as long as it is the same.
	 */
	uint32_t (*name)(struct ch_walk *w, uint64_t method);
	void *arg; /* of name */
	uint32_t epoch;
	bool unnamed;
};

/*
 * Walks from regs, innermost frame first. When `regs` lie in native code, or are NULL, Java frames
 * start at the thread's anchor. Signal-safe.
 */
enum ch_walk_end ch_walk_sig(struct ch_walk *w, const struct ch_regs *regs);

/* True when addr lies in the code cache. Signal-safe. */
bool ch_vm_is_code(const struct ch_vm *vm, uint64_t addr);

#endif
