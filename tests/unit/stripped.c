/* Loaded by test_symbols.c: one function that has a name in the stripped file, one that has none. */
#include <stdint.h>

uintptr_t stripped_hidden_address(void);

static __attribute__((noinline)) uintptr_t hidden(void)
{
	uintptr_t here;

#if defined(__x86_64__)
	__asm__ volatile("lea 0(%%rip), %0\n nop\n nop" : "=r"(here));
#else
	__asm__ volatile("adr %0, .\n nop" : "=r"(here));
#endif
	return here;
}

__attribute__((visibility("default"))) uintptr_t stripped_hidden_address(void)
{
	uintptr_t at = hidden();

	__asm__ volatile("" : "+r"(at)); /* a call, not a jump */
	return at;
}
