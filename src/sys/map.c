#include "sys/map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "sys/mapped.h"

static struct sigaction previous;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (ch_mapped_fault(info->si_addr))
		return;
	/* Not ours: fault again with whatever handled it before us. */
	sigaction(sig, &previous, NULL);
	errno = saved;
}

static void install(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &sa, &previous);
}

int ch_map_fd(int fd, const char *name, struct ch_map *ret, struct ch_error *err)
{
	struct stat st;
	size_t size;
	void *p;
	int slot;

	if (fstat(fd, &st) < 0)
		return ch_fail(err, -errno, "stat '%s': %m", name);
	size = (size_t)st.st_size;
	if (!size) {
		*ret = (struct ch_map){ (const uint8_t *)"", 0, -1 };
		return 0;
	}
	pthread_once(&once, install);
	p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return ch_fail(err, -errno, "map '%s': %m", name);
	slot = ch_mapped_add(p, size);
	if (slot < 0) {
		munmap(p, size);
		return ch_fail(err, slot, "map '%s': more than %d files open at once", name,
		               CH_MAPPED_MAX);
	}
	(void)madvise(p, size, MADV_SEQUENTIAL);
	*ret = (struct ch_map){ p, size, slot };
	return 0;
}

void ch_map_done(struct ch_map *m)
{
	if (m->slot >= 0) {
		ch_mapped_remove(m->slot);
		munmap((void *)m->data, m->size);
	}
	*m = (struct ch_map){ (const uint8_t *)"", 0, -1 };
}

void ch_map_release(const struct ch_map *m, size_t from, size_t upto)
{
	uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t start = ((uintptr_t)m->data + from + mask) & ~mask;
	uintptr_t end = ((uintptr_t)m->data + upto) & ~mask;

	if (m->slot >= 0 && start < end)
		(void)madvise((void *)start, end - start, MADV_DONTNEED);
}

bool ch_map_broken(const struct ch_map *m)
{
	return m->slot >= 0 && ch_mapped_broken(m->slot);
}
