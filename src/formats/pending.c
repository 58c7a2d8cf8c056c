/* Until each reader and writer is in place: weak, so that the real ones win. */
#include "formats/readers.h"
#include "formats/writers.h"

#include <errno.h>

#define WEAK __attribute__((weak))

WEAK int ch_uber_probe(const struct ch_input *in)
{
	(void)in;
	return 0;
}
WEAK int ch_uber_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	(void)in, (void)p;
	return ch_fail(err, -ENOSYS, "uber");
}
WEAK int ch_uber_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err)
{
	(void)p, (void)out;
	return ch_fail(err, -ENOSYS, "uber");
}
