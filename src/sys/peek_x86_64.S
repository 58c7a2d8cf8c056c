/* See peek.h. The fallback stays in %rsi until the load has worked. */
	.text
	.hidden ch_peek_begin, ch_peek_end, ch_peek_fail
	.hidden ch_peek64, ch_peek32, ch_peek16, ch_peek8
	.globl ch_peek_begin, ch_peek_end, ch_peek_fail
	.globl ch_peek64, ch_peek32, ch_peek16, ch_peek8
	.type ch_peek64, @function
	.type ch_peek32, @function
	.type ch_peek16, @function
	.type ch_peek8, @function
	.p2align 4
ch_peek_begin:
ch_peek64:
	mov (%rdi), %rax
	ret
ch_peek32:
	mov (%rdi), %eax
	ret
ch_peek16:
	movzwl (%rdi), %eax
	ret
ch_peek8:
	movzbl (%rdi), %eax
	ret
ch_peek_end:
ch_peek_fail:
	mov %rsi, %rax
	ret
	.section .note.GNU-stack, "", @progbits
