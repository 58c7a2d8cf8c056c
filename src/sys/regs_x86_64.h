/* The registers of an interrupted thread that a walk needs, on x86_64. */
#ifndef CH_SYS_REGS_ARCH_H
#define CH_SYS_REGS_ARCH_H

#define CH_REG_PC(uc)  ((uc)->uc_mcontext.gregs[REG_RIP])
#define CH_REG_SP(uc)  ((uc)->uc_mcontext.gregs[REG_RSP])
#define CH_REG_FP(uc)  ((uc)->uc_mcontext.gregs[REG_RBP])
#define CH_REG_LR(uc)  0                                  /* return addresses are on the stack */
#define CH_REG_BCP(uc) ((uc)->uc_mcontext.gregs[REG_R13]) /* the interpreter's bytecode pointer */

#endif
