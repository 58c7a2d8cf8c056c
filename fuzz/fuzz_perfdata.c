/* Any bytes as the counters of a JVM: what is handed out must lie within them. */
#include "hotspot/perfdata.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum;

static void touch(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum += p[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Counters are aligned in a JVM; what comes here is not. */
	uint8_t *aligned = malloc(size ? size : 1);
	struct ch_perf_counter c, again;
	struct ch_perfdata p;

	if (!aligned)
		return 0;
	if (size)
		memcpy(aligned, data, size);
	if (ch_perfdata_open(aligned, size, &p) >= 0) {
		struct ch_perfdata at = p;

		while (ch_perfdata_next(&at, &c)) {
			char name[64];

			touch((const uint8_t *)c.name.s, c.name.n);
			touch(c.value, c.type == 'J' ? 8 * c.n : c.type == 'B' ? c.n : 0);
			if (c.name.n >= sizeof(name))
				continue;
			memcpy(name, c.name.s, c.name.n);
			name[c.name.n] = 0;
			if (!ch_perfdata_find(&p, name, &again))
				abort();
			if (ch_perfdata_number(&p, name))
				sum += (size_t)*ch_perfdata_number(&p, name);
			touch((const uint8_t *)ch_perfdata_text(&p, name).s,
			      ch_perfdata_text(&p, name).n);
		}
	}
	free(aligned);
	return 0;
}
