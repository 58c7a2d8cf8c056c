#include "agent/cost_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "agent/sampler.h"

static const char *log_path(void)
{
	const char *path = getenv("CHARCLOTH_HANDLER_LOG");

	return path && *path ? path : NULL;
}

void ch_cost_log_begin(void)
{
	void *memory;

	if (!log_path())
		return;
	atomic_store(&ch_sampler.handler_logged, 0);
	if (ch_sampler.handler_log)
		return;
	/* Kept for good, as all that a late handler may look at; populated, so that none faults. */
	memory = mmap(NULL, CH_HANDLER_LOG_MAX * sizeof(uint32_t), PROT_READ | PROT_WRITE,
	              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory != MAP_FAILED)
		ch_sampler.handler_log = memory;
}

void ch_cost_log_end(void)
{
	uint32_t n = atomic_load(&ch_sampler.handler_logged);
	FILE *f;

	if (!ch_sampler.handler_log || !log_path())
		return;
	f = fopen(log_path(), "we");
	if (!f)
		return;
	for (uint32_t i = 0; i < n && i < CH_HANDLER_LOG_MAX; i++)
		fprintf(f, "%u\n", ch_sampler.handler_log[i]);
	fclose(f);
}
