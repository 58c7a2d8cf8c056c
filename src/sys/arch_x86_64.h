/* What is special to x86_64; chosen by sys/arch.h. */
#ifndef CH_SYS_ARCH_X86_64_H
#define CH_SYS_ARCH_X86_64_H

/* Registers by their numbers in call frame information. */
enum {
	CH_ARCH_FP = 6,
	CH_ARCH_SP = 7,
	CH_ARCH_RA = 16,
};

/* A call pushes the return address: it is always the word below the frame. */
#define CH_ARCH_RA_PUSHED true

/* The saved frame pointer and return address end a frame: above them starts the caller's. */
#define CH_ARCH_FP_ENDS_FRAME true

static inline uint64_t ch_arch_code(uint64_t return_address)
{
	return return_address;
}

static inline struct ch_regs ch_arch_regs(const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;

	return (struct ch_regs){
		.pc = (uint64_t)g[REG_RIP],
		.sp = (uint64_t)g[REG_RSP],
		.fp = (uint64_t)g[REG_RBP],
		.bcp = (uint64_t)g[REG_R13],
	};
}

/* The thread goes on there once the handler returns. */
static inline void ch_arch_resume_at(ucontext_t *uc, uint64_t pc)
{
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

/* The instruction that calls the kernel. */
#define CH_ARCH_SYSCALL_BYTES 2
#define CH_ARCH_SYSCALL       0x050f

#endif
