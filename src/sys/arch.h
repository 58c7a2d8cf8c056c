/* The machine: registers that a walk of the stack needs. All of it is signal safe. */
#ifndef CH_SYS_ARCH_H
#define CH_SYS_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct ch_regs {
	uint64_t pc, sp, fp;
	uint64_t lr;  /* aarch64, only while `caller` is false */
	bool caller;  /* pc is a return address: the call stands before it */
	bool sp_low;  /* sp may be higher: the frame below was left by its frame pointer */
	uint64_t bcp; /* where HotSpot's interpreter would keep its bytecode pointer */
};

#if defined(__x86_64__)
#include "sys/arch_x86_64.h"
#elif defined(__aarch64__)
#include "sys/arch_aarch64.h"
#else
#error "this machine is not known"
#endif

#endif
