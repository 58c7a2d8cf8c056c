/* The handler behind fault.h, and what was there before it. */
#ifndef CH_SYS_FAULT_HANDLER_H
#define CH_SYS_FAULT_HANDLER_H

#include <signal.h>

extern struct sigaction ch_fault_before_segv, ch_fault_before_bus;

void ch_fault_signal(int sig, siginfo_t *si, void *context);

#endif
