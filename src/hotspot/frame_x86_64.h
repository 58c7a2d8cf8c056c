/* How compiled code on x86_64 builds and takes down its frames. */
#ifndef CH_HOTSPOT_FRAME_CPU_H
#define CH_HOTSPOT_FRAME_CPU_H

#include "sys/peek.h"

#include <stdbool.h>

/*
 * At an interrupted pc of compiled code: how many words above sp the return address lies because
 * the frame is not built yet or already gone; -1 when the frame stands.
 */
static inline int ch_frame_unbuilt(uint64_t pc, bool in_prologue)
{
	uint64_t code = ch_peek64(pc, 0);
	uint8_t first = (uint8_t)code;

	if (first == 0xc3) /* ret */
		return 0;
	if (first == 0x5d) /* pop %rbp, then ret */
		return 1;
	/* The poll between the two: cmp poll(%r15),%rsp; ja stub; or test %eax,page (JDK 11). */
	if ((code & 0xffffff) == 0xa73b49 || (code & 0xffffff) == 0x673b49)
		return 0;
	if ((code & 0xffff) == 0x870f && ch_peek8(pc + 6, 0) == 0xc3)
		return 0;
	if ((code & 0xffff) == 0x0585 && ch_peek8(pc + 6, 0) == 0xc3)
		return 0;
	/* JDK 11 with polls of each thread: mov poll(%r15),%r10; test %eax,(%r10). */
	if ((code & 0xffffffff) == 0xc3028541)
		return 0;
	if ((code & 0xffffff) == 0x978b4d && (ch_peek64(pc + 7, 0) & 0xffffffff) == 0xc3028541)
		return 0;
	if (!in_prologue)
		return -1;
	/* sub $n,%rsp behind push %rbp: the old %rbp is on top. */
	if ((code & 0xffffff) == 0xec8348 || (code & 0xffffff) == 0xec8148)
		return ch_peek8(pc - 1, 0) == 0x55 ? 1 : 0;
	/* mov %rbp,n(%rsp) behind sub: the frame has its size already. */
	if ((code & 0xffffff) == 0x6c8948 || (code & 0xffffff) == 0xac8948)
		return -1;
	return 0;
}

#endif
