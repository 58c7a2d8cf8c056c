/* See peek.h. The fallback stays in x1 until the load has worked. */
	.text
	.hidden ch_peek_begin, ch_peek_end, ch_peek_fail
	.hidden ch_peek64, ch_peek32, ch_peek16, ch_peek8
	.globl ch_peek_begin, ch_peek_end, ch_peek_fail
	.globl ch_peek64, ch_peek32, ch_peek16, ch_peek8
	.type ch_peek64, %function
	.type ch_peek32, %function
	.type ch_peek16, %function
	.type ch_peek8, %function
	.p2align 4
ch_peek_begin:
ch_peek64:
	ldr x0, [x0]
	ret
ch_peek32:
	ldr w0, [x0]
	ret
ch_peek16:
	ldrh w0, [x0]
	ret
ch_peek8:
	ldrb w0, [x0]
	ret
ch_peek_end:
ch_peek_fail:
	mov x0, x1
	ret
	.section .note.GNU-stack, "", %progbits
