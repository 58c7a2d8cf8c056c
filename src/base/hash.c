#include "base/hash.h"

#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t ch_hash_seed;

/* Before main, so that no table is built with another seed. */
__attribute__((constructor)) static void draw_seed(void)
{
	struct timespec now;

	if (syscall(SYS_getrandom, &ch_hash_seed, sizeof(ch_hash_seed), GRND_NONBLOCK) ==
	    (ssize_t)sizeof(ch_hash_seed))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	ch_hash_seed = (uint64_t)now.tv_nsec * CH_HASH_K1 ^ (uint64_t)now.tv_sec;
}
