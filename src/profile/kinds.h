/* The kinds of frames: their words in files, and what a source file's name says about them. */
#ifndef CH_PROFILE_KINDS_H
#define CH_PROFILE_KINDS_H

#include "profile/profile.h"

/* The word that stands for a kind in files we write; also the order of the page format. */
extern const char *const ch_kinds[CH_KIND_COUNT];

/* The kind of a word, CH_KIND_COUNT when it is none. */
enum ch_kind ch_kind_named(const char *word, size_t n);
/* By the extension of a source file; CH_KIND_OTHER when it says nothing. */
enum ch_kind ch_kind_by_file(const char *file, size_t n);

#endif
