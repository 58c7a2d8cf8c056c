/*
 * C++ names as a person reads them: `_ZN20G1ParScanThreadState10trim_queueEv` is
 * `G1ParScanThreadState::trim_queue`. There are no parameters, and what stands between the angle
 * brackets of a template is always shown as `<…>`: frames of a profile are to be short, and the
 * instances of one template to be one row.
 */
#ifndef CH_BASE_DEMANGLE_H
#define CH_BASE_DEMANGLE_H

#include <stddef.h>

/*
 * Writes what `symbol` means to to[0..size), with a NUL; returns the length without it. size is at
 * least 1. A symbol that is no C++ name, is damaged, or does not fit when it is made readable is
 * copied as it stands (cut to size). Suffixes of compilers (`.isra.0`, `.cold`) and the hash at
 * the end of names of Rust are left out. Takes no memory; symbol may be hostile.
 */
size_t ch_demangle(const char *symbol, char *to, size_t size);

#endif
