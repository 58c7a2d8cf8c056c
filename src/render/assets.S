/* The files of the web build as bytes; assembled where the include path leads to them. */
	.section .rodata, "a"
	.macro asset name, file
	.globl \name\()_start, \name\()_end
	.hidden \name\()_start, \name\()_end
\name\()_start:
	.incbin "\file"
\name\()_end:
	.byte 0
	.endm

	asset ch_page_html, "page.html"
	asset ch_svg_js, "svg.js"

	.section .note.GNU-stack, "", %progbits
