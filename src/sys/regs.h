/* Where a thread is: program counter, stack pointer, frame pointer. */
#ifndef CH_SYS_REGS_H
#define CH_SYS_REGS_H

#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include "sys/regs_x86_64.h"
#elif defined(__aarch64__)
#include "sys/regs_aarch64.h"
#else
#error "this processor is not known to the agent"
#endif

struct ch_regs {
	uint64_t pc, sp, fp;
	uint64_t lr;  /* aarch64: return address of a leaf; 0 elsewhere */
	uint64_t bcp; /* what the interpreter would keep in its register; a guess elsewhere */
};

static inline struct ch_regs ch_regs_of(const ucontext_t *uc)
{
	return (struct ch_regs){ .pc = (uint64_t)CH_REG_PC(uc),
		                 .sp = (uint64_t)CH_REG_SP(uc),
		                 .fp = (uint64_t)CH_REG_FP(uc),
		                 .lr = (uint64_t)CH_REG_LR(uc),
		                 .bcp = (uint64_t)CH_REG_BCP(uc) };
}

#endif
