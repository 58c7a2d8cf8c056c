/* What differs between processors in the frames of Java code. */
#ifndef CH_HOTSPOT_FRAME_ARCH_H
#define CH_HOTSPOT_FRAME_ARCH_H

#include "sys/peek.h"

#include <stdbool.h>

/* How much of its frame a compiled method has at an instruction. */
enum ch_frame_state {
	CH_FRAME_STANDS,
	CH_FRAME_BARE, /* not built yet, or gone: the return address is on top or in its register */
	CH_FRAME_LINKED, /* only the caller's frame pointer, and the return address above it */
	CH_FRAME_HOLLOW, /* the stack pointer has moved, the return address is still in its register */
};

/*
 * Each processor's header has:
 *
 * enum ch_frame_state ch_frame_state(uint64_t pc, bool in_prologue)
 *	at an interrupted pc of compiled code.
 * uint64_t ch_frame_call_bytes(uint64_t pc)
 *	what compiled code has put on the stack below its frame, at a pc where it was interrupted
 *	or to which native code returns.
 * CH_FRAME_ENTRY_WRAPPER
 *	where the frame of the call stub keeps its JavaCallWrapper, in words from its frame
 *	pointer, when the VM does not tell.
 * uint64_t ch_frame_sender_sp(uint64_t fp, uint64_t sender_sp)
 *	the stack pointer of an interpreted frame's caller, given what the frame says about it.
 */
#if defined(__x86_64__)
#include "hotspot/frame_x86_64.h"
#elif defined(__aarch64__)
#include "hotspot/frame_aarch64.h"
#endif

#endif
