/* The registers of an interrupted thread that a walk needs, on aarch64. */
#ifndef CH_SYS_REGS_ARCH_H
#define CH_SYS_REGS_ARCH_H

#define CH_REG_PC(uc)  ((uc)->uc_mcontext.pc)
#define CH_REG_SP(uc)  ((uc)->uc_mcontext.sp)
#define CH_REG_FP(uc)  ((uc)->uc_mcontext.regs[29])
#define CH_REG_LR(uc)  ((uc)->uc_mcontext.regs[30])
#define CH_REG_BCP(uc) ((uc)->uc_mcontext.regs[22]) /* the interpreter's bytecode pointer */

#endif
