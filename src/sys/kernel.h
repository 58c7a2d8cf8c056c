/*
 * Calls of the kernel for which libc has no function that old systems have, too: those of stat got
 * theirs with glibc 2.33, those of timers moved out of librt, which a JVM need not have loaded.
 * All return -1 and set errno, as in libc, and are signal-safe.
 */
#ifndef CH_SYS_KERNEL_H
#define CH_SYS_KERNEL_H

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's struct stat is libc's on the machines that we know, and 64 bits wide. */
static inline int ch_fstat(int fd, struct stat *ret)
{
	return (int)syscall(SYS_fstat, fd, ret);
}

static inline int ch_stat(const char *path, struct stat *ret)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, ret, 0);
}

/* Timers by the kernel's own numbers. */
static inline int ch_timer_create(clockid_t clock, struct sigevent *to, int *ret)
{
	return (int)syscall(SYS_timer_create, clock, to, ret);
}

static inline int ch_timer_settime(int timer, const struct itimerspec *when)
{
	return (int)syscall(SYS_timer_settime, timer, 0, when, NULL);
}

static inline int ch_timer_delete(int timer)
{
	return (int)syscall(SYS_timer_delete, timer);
}

#endif
