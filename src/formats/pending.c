/* Until each reader and writer is in place: weak, so that the real ones win. */
#include "formats/readers.h"
#include "formats/writers.h"

#include <errno.h>

#define WEAK __attribute__((weak))

WEAK int ch_jfr_probe(const struct ch_input *in)
{
	(void)in;
	return 0;
}
WEAK int ch_jfr_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	(void)in, (void)p;
	return ch_fail(err, -ENOSYS, "jfr");
}
WEAK int ch_collapsed_probe(const struct ch_input *in)
{
	(void)in;
	return 0;
}
WEAK int ch_collapsed_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	(void)in, (void)p;
	return ch_fail(err, -ENOSYS, "collapsed");
}
WEAK int ch_perf_probe(const struct ch_input *in)
{
	(void)in;
	return 0;
}
WEAK int ch_perf_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	(void)in, (void)p;
	return ch_fail(err, -ENOSYS, "perf");
}
WEAK int ch_jstack_probe(const struct ch_input *in)
{
	(void)in;
	return 0;
}
WEAK int ch_jstack_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	(void)in, (void)p;
	return ch_fail(err, -ENOSYS, "jstack");
}
WEAK int ch_hpl_probe(const struct ch_input *in)
{
	(void)in;
	return 0;
}
WEAK int ch_hpl_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	(void)in, (void)p;
	return ch_fail(err, -ENOSYS, "hpl");
}
WEAK int ch_collapsed_write(const struct ch_profile *p, enum ch_metric m, struct ch_out *out, struct ch_error *err)
{
	(void)p, (void)m, (void)out;
	return ch_fail(err, -ENOSYS, "collapsed");
}
WEAK int ch_jfr_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err)
{
	(void)p, (void)out;
	return ch_fail(err, -ENOSYS, "jfr");
}
