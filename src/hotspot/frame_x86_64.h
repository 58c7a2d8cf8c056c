/* How Java code on x86_64 builds and takes down its frames; chosen by hotspot/frame_arch.h. */
#ifndef CH_HOTSPOT_FRAME_X86_64_H
#define CH_HOTSPOT_FRAME_X86_64_H

#define CH_FRAME_ENTRY_WRAPPER (-6)

static inline enum ch_frame_state ch_frame_state(uint64_t pc, bool in_prologue)
{
	uint64_t code = ch_peek64(pc, 0);
	uint8_t first = (uint8_t)code;

	if (first == 0xc3) /* ret */
		return CH_FRAME_BARE;
	if (first == 0x5d) /* pop %rbp, then ret */
		return CH_FRAME_LINKED;
	/* The poll between the two: cmp poll(%r15),%rsp; ja stub; or test %eax,page (JDK 11). */
	if ((code & 0xffffff) == 0xa73b49 || (code & 0xffffff) == 0x673b49)
		return CH_FRAME_BARE;
	if ((code & 0xffff) == 0x870f && ch_peek8(pc + 6, 0) == 0xc3)
		return CH_FRAME_BARE;
	if ((code & 0xffff) == 0x0585 && ch_peek8(pc + 6, 0) == 0xc3)
		return CH_FRAME_BARE;
	/* JDK 11 with polls of each thread: mov poll(%r15),%r10; test %eax,(%r10). */
	if ((code & 0xffffffff) == 0xc3028541)
		return CH_FRAME_BARE;
	if ((code & 0xffffff) == 0x978b4d && (ch_peek64(pc + 7, 0) & 0xffffffff) == 0xc3028541)
		return CH_FRAME_BARE;
	if (!in_prologue)
		return CH_FRAME_STANDS;
	/* sub $n,%rsp behind push %rbp: the old %rbp is on top. */
	if ((code & 0xffffff) == 0xec8348 || (code & 0xffffff) == 0xec8148)
		return ch_peek8(pc - 1, 0) == 0x55 ? CH_FRAME_LINKED : CH_FRAME_BARE;
	/* mov %rbp,n(%rsp) behind sub: the frame has its size already. */
	if ((code & 0xffffff) == 0x6c8948 || (code & 0xffffff) == 0xac8948)
		return CH_FRAME_STANDS;
	return CH_FRAME_BARE;
}

static inline uint64_t ch_frame_call_bytes(uint64_t pc)
{
	(void)pc;
	return 0;
}

/* Its caller's, before arguments were put on the stack for it. */
static inline uint64_t ch_frame_sender_sp(uint64_t fp, uint64_t sender_sp)
{
	return sender_sp > fp ? sender_sp : 0;
}

#endif
