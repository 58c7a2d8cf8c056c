/* How Java code on aarch64 builds and takes down its frames; chosen by hotspot/frame_arch.h. */
#ifndef CH_HOTSPOT_FRAME_AARCH64_H
#define CH_HOTSPOT_FRAME_AARCH64_H

#define CH_FRAME_ENTRY_WRAPPER (-8)

/* The longest way from moving sp to frame_complete: the frame pointer, the barrier of the entry. */
#define CH_FRAME_PROLOGUE_MAX 24

/* Only the poll for safepoints, if anything, before the method returns: the frame is gone. */
static inline bool ch_frame_returning(uint64_t pc)
{
	for (int i = 0; i < 4; i++) {
		uint32_t code = ch_peek32(pc + 4 * (uint64_t)i, 0);

		if (code == 0xd65f03c0) /* ret */
			return true;
		if ((code & 0xffc003ff) != 0xf9400388 && /* ldr x8, [x28, #n] */
		    code != 0xeb2863ff &&                /* cmp sp, x8 */
		    (code & 0xff00001f) != 0x54000008 && /* b.hi */
		    code != 0xb940011f)                  /* ldr wzr, [x8] (JDK 11) */
			return false;
	}
	return false;
}

static inline enum ch_frame_state ch_frame_state(uint64_t pc, bool in_prologue)
{
	uint32_t code = ch_peek32(pc, 0);

	if (ch_frame_returning(pc))
		return CH_FRAME_BARE;
	if (code == 0xa8c17bfd) /* ldp x29, x30, [sp], #16 */
		return CH_FRAME_LINKED;
	if (!in_prologue)
		return CH_FRAME_STANDS;
	for (int i = 1; i <= CH_FRAME_PROLOGUE_MAX; i++) {
		uint32_t before = ch_peek32(pc - 4 * (uint64_t)i, 0);

		if (before == 0xa9bf7bfd) /* stp x29, x30, [sp, #-16]! */
			return CH_FRAME_LINKED;
		/* sub sp, sp, #n or x8; in small frames stp x29, x30, [sp, #n] follows */
		if ((before & 0xff8003ff) == 0xd10003ff || before == 0xcb2863ff)
			return (code & 0xffc07fff) == 0xa9007bfd ? CH_FRAME_HOLLOW
			                                         : CH_FRAME_STANDS;
	}
	return CH_FRAME_BARE;
}

/* Up to JDK 24 calls of C functions leave their return address on the stack for the VM. */
static inline uint64_t ch_frame_call_bytes(uint64_t pc)
{
	uint32_t code = ch_peek32(pc, 0), before = ch_peek32(pc - 4, 0);
	bool calls =
	    code == 0xd63f0100 && before == 0xa9bf27ff; /* stp xzr, x9, [sp, #-16]!; blr x8 */
	bool called = code == 0x910043ff && before == 0xd63f0100; /* blr x8; add sp, sp, #16 */

	return calls || called ? 16 : 0;
}

/*
 * The interpreter keeps its operands apart from sp, which lies as low as they can ever come; what
 * it calls starts at the operands, above that. Only a compiled caller is found by this value.
 */
static inline uint64_t ch_frame_sender_sp(uint64_t fp, uint64_t sender_sp)
{
	return sender_sp > fp ? sender_sp : fp + 16;
}

#endif
