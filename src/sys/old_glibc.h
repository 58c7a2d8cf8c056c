/*
 * Put before every file of the agent by the build: calls of libc take the oldest version that the
 * machine's glibc ever had, so that a library built today loads where glibc is 2.17 or newer. A
 * function that has no such version is in sys/kernel.h, as a call of the kernel. What is not named
 * here was never renewed; tests/e2e/test_libraries.py compares what comes out.
 */
#ifndef CH_SYS_OLD_GLIBC_H
#define CH_SYS_OLD_GLIBC_H

#ifndef __ASSEMBLER__
#include <features.h>
#endif

#ifdef __GLIBC__

#ifdef __x86_64__
#define CH_FIRST   "GLIBC_2.2.5"
#define CH_SETNAME "GLIBC_2.12"
#else /* ports that came later begin with all that there was */
#define CH_FIRST   "GLIBC_2.17"
#define CH_SETNAME "GLIBC_2.17"
#endif

#define CH_PIN(name, old, version) __asm__(".symver " #name "," #old "@" version)

/* Moved into libc from libdl and libpthread, and given a new version there. */
CH_PIN(dladdr, dladdr, CH_FIRST);
CH_PIN(dlclose, dlclose, CH_FIRST);
CH_PIN(dlerror, dlerror, CH_FIRST);
CH_PIN(dlopen, dlopen, CH_FIRST);
CH_PIN(dlsym, dlsym, CH_FIRST);
CH_PIN(pthread_attr_setstacksize, pthread_attr_setstacksize, CH_FIRST);
CH_PIN(pthread_create, pthread_create, CH_FIRST);
CH_PIN(pthread_join, pthread_join, CH_FIRST);
CH_PIN(pthread_setname_np, pthread_setname_np, CH_SETNAME);
CH_PIN(pthread_sigmask, pthread_sigmask, CH_FIRST);
/* The same function where offsets always have 64 bits. */
CH_PIN(fcntl64, fcntl, CH_FIRST);

#endif
#endif
