/* UTF-8: is it, and make it so. */
#ifndef CH_BASE_UTF8_H
#define CH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Length of the valid UTF-8 sequence at s (n >= 1 bytes left), or 0 when there is none: overlong
 * forms, surrogates and values over U+10FFFF are none.
 */
size_t ch_utf8_len(const char *s, size_t n);
bool ch_utf8_valid(const char *s, size_t n);
/*
 * Copies s to `to` (room for 3 * n bytes) with U+FFFD for every broken byte; returns the length.
 * Pairs of surrogates, as in Java's modified UTF-8, become the character that they stand for.
 */
size_t ch_utf8_repair(const char *s, size_t n, char *to);
/* Writes code point c (U+FFFD when it is none); returns 1 to 4. */
size_t ch_utf8_put(uint32_t c, char to[4]);

#endif
