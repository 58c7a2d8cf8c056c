/* What is special to aarch64; chosen by sys/arch.h. */
#ifndef CH_SYS_ARCH_AARCH64_H
#define CH_SYS_ARCH_AARCH64_H

/* Registers by their numbers in call frame information. */
enum {
	CH_ARCH_FP = 29,
	CH_ARCH_SP = 31,
	CH_ARCH_RA = 30,
};

/* A call leaves the return address in a register; functions that call others save it. */
#define CH_ARCH_RA_PUSHED false

/* The saved frame pointer and return address may lie anywhere in a frame, mostly at its bottom. */
#define CH_ARCH_FP_ENDS_FRAME false

/* Return addresses may be signed in their upper bits: how many those are, the processor knows. */
static inline uint64_t ch_arch_code(uint64_t return_address)
{
	register uint64_t x30 __asm__("x30") = return_address;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri; does nothing where nothing is signed */
	return x30;
}

static inline struct ch_regs ch_arch_regs(const ucontext_t *uc)
{
	const mcontext_t *m = &uc->uc_mcontext;

	return (struct ch_regs){
		.pc = m->pc,
		.sp = m->sp,
		.fp = m->regs[29],
		.lr = m->regs[30],
		.bcp = m->regs[22],
	};
}

/* The thread goes on there once the handler returns. */
static inline void ch_arch_resume_at(ucontext_t *uc, uint64_t pc)
{
	uc->uc_mcontext.pc = pc;
}

/* The instruction that calls the kernel. */
#define CH_ARCH_SYSCALL_BYTES 4
#define CH_ARCH_SYSCALL       0xd4000001

#endif
