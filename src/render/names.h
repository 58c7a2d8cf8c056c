/*
 * Names of frames on their way to a reader. Names come from files of strangers: characters that
 * hide or reorder text are spelled out, so that one method cannot pose as another. The rules are
 * those of web/src/format.ts.
 */
#ifndef CH_RENDER_NAMES_H
#define CH_RENDER_NAMES_H

#include "base/buf.h"

/* Where the package ends: org/apache/Foo.bar → 10, before "/Foo"; 0 when there is none. */
size_t ch_name_package(const char *s, size_t n);
/* s with control, invisible and direction-changing characters written as ⟨U+202E⟩. */
void ch_name_show(struct ch_buf *b, const char *s, size_t n);
/* The same for the one character at s (n >= 1 bytes left); returns its length. */
size_t ch_name_show_one(struct ch_buf *b, const char *s, size_t n);
/*
 * s (already fit to be shown) cut in the middle to `room` characters: the package gives way first,
 * because class and method tell more. Returns how many characters were put; none for room < 2.
 */
size_t ch_name_cut(struct ch_buf *b, const char *s, size_t n, size_t room);
/* Characters (code points) in s. */
size_t ch_name_chars(const char *s, size_t n);

#endif
