#include "sys/map.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAPS_MAX 256

/* What the handler may look at. A slot is free while `start` is 0; `size` is written first. */
static struct {
	_Atomic uintptr_t start;
	_Atomic size_t size;
	_Atomic bool broken;
} maps[MAPS_MAX];

static struct sigaction previous;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uintptr_t page_size = 4096;

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;

	for (int i = 0; i < MAPS_MAX; i++) {
		uintptr_t start = atomic_load(&maps[i].start);

		if (!start || at < start || at - start >= atomic_load(&maps[i].size))
			continue;
		atomic_store(&maps[i].broken, true);
		if (mmap((void *)(at & ~(page_size - 1)), page_size, PROT_READ,
		         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;
		errno = saved;
		return;
	}
	/* Not ours: fault again with whatever handled it before us. */
	(void)context;
	sigaction(sig, &previous, NULL);
	errno = saved;
}

static void install(void)
{
	struct sigaction sa = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &sa, &previous);
}

static int claim(void *p, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	int slot = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MAPS_MAX && slot < 0; i++) {
		if (atomic_load(&maps[i].start))
			continue;
		atomic_store(&maps[i].size, size);
		atomic_store(&maps[i].broken, false);
		atomic_store(&maps[i].start, (uintptr_t)p);
		slot = i;
	}
	pthread_mutex_unlock(&lock);
	return slot;
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
	slot = claim(p, size);
	if (slot < 0) {
		munmap(p, size);
		return ch_fail(err, -EMFILE, "map '%s': more than %d files open at once", name,
		               MAPS_MAX);
	}
	(void)madvise(p, size, MADV_SEQUENTIAL);
	*ret = (struct ch_map){ p, size, slot };
	return 0;
}

void ch_map_done(struct ch_map *m)
{
	if (m->slot >= 0) {
		/* First: once unmapped, the addresses may be another map's. */
		atomic_store(&maps[m->slot].start, 0);
		munmap((void *)m->data, m->size);
	}
	*m = (struct ch_map){ (const uint8_t *)"", 0, -1 };
}

void ch_map_release(const struct ch_map *m, size_t from, size_t upto)
{
	uintptr_t mask = page_size - 1;
	uintptr_t start = ((uintptr_t)m->data + from + mask) & ~mask;
	uintptr_t end = ((uintptr_t)m->data + upto) & ~mask;

	if (m->slot >= 0 && start < end)
		(void)madvise((void *)start, end - start, MADV_DONTNEED);
}

bool ch_map_broken(const struct ch_map *m)
{
	return m->slot >= 0 && atomic_load(&maps[m->slot].broken);
}
