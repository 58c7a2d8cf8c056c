/* What differs between processors in the frames of compiled code. */
#ifndef CH_HOTSPOT_FRAME_ARCH_H
#define CH_HOTSPOT_FRAME_ARCH_H

#if defined(__x86_64__)
#include "hotspot/frame_x86_64.h"
#elif defined(__aarch64__)
#include "hotspot/frame_aarch64.h"
#endif

#endif
