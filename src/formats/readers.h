/* What the table of input formats is made of: probe and read of each format (see inputs.h). */
#ifndef CH_FORMATS_READERS_H
#define CH_FORMATS_READERS_H

#include "formats/inputs.h"

#define CH_READER(name)                                                                            \
	int ch_##name##_probe(const struct ch_input *in);                                          \
	int ch_##name##_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)

CH_READER(jfr);
CH_READER(collapsed);
CH_READER(pprof);
CH_READER(speedscope);
CH_READER(perf);
CH_READER(jstack);
CH_READER(hpl);
CH_READER(uber);

bool ch_jstack_find(const struct ch_input *in);
bool ch_uber_find(const struct ch_input *in);

#undef CH_READER

#endif
