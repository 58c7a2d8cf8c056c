/*
 * Loads from addresses that may not be there. Each load gives the fallback when the page is
 * missing: the fault handler (sys/fault.h) recognises the instruction and resumes behind it. Safe
 * in signal handlers; without an installed fault handler a bad address kills as usual.
 */
#ifndef CH_SYS_PEEK_H
#define CH_SYS_PEEK_H

#include <stdint.h>

uint64_t ch_peek64(uint64_t addr, uint64_t fallback);
uint32_t ch_peek32(uint64_t addr, uint32_t fallback);
uint16_t ch_peek16(uint64_t addr, uint16_t fallback);
uint8_t ch_peek8(uint64_t addr, uint8_t fallback);

/* The loads above lie between these two; a fault there goes on at ch_peek_fail. */
extern const char ch_peek_begin[], ch_peek_end[], ch_peek_fail[];

#endif
