/* How compiled code on aarch64 builds and takes down its frames. */
#ifndef CH_HOTSPOT_FRAME_CPU_H
#define CH_HOTSPOT_FRAME_CPU_H

#include "sys/peek.h"

#include <stdbool.h>

/*
 * At an interrupted pc of compiled code: 0 when the return address is still, or again, in the link
 * register because the frame is not built yet or already gone; -1 when the frame stands.
 */
static inline int ch_frame_unbuilt(uint64_t pc, bool in_prologue)
{
	if (ch_peek32(pc, 0) == 0xd65f03c0) /* ret */
		return 0;
	return in_prologue ? 0 : -1;
}

#endif
