#include "formats/inputs.h"
#include "formats/readers.h"
#include "base/buf.h"

#include <string.h>

/* The order only matters between formats that are equally sure. */
const struct ch_reader ch_readers[] = {
	{ "jfr", "JDK flight recording, async-profiler, Charcloth", ch_jfr_probe, NULL,
	  ch_jfr_read },
	{ "hpl", "honest-profiler log", ch_hpl_probe, NULL, ch_hpl_read },
	{ "pprof", "pprof protobuf", ch_pprof_probe, NULL, ch_pprof_read },
	{ "speedscope", "speedscope JSON", ch_speedscope_probe, NULL, ch_speedscope_read },
	{ "uber", "Uber JVM profiler and PySpark stack records", ch_uber_probe, ch_uber_find,
	  ch_uber_read },
	{ "jstack", "jstack and other Java thread dumps", ch_jstack_probe, ch_jstack_find,
	  ch_jstack_read },
	{ "perf", "text of perf script", ch_perf_probe, NULL, ch_perf_read },
	{ "collapsed", "collapsed (folded) stacks", ch_collapsed_probe, NULL, ch_collapsed_read },
};
const size_t ch_n_readers = CH_LEN(ch_readers);

static const struct ch_reader *by_name(const char *name)
{
	for (size_t i = 0; i < ch_n_readers; i++)
		if (!strcmp(ch_readers[i].name, name))
			return &ch_readers[i];
	return NULL;
}

int ch_reader_check(const char *name, struct ch_error *err)
{
	struct ch_buf known = CH_BUF(1024);

	if (by_name(name))
		return 0;
	for (size_t i = 0; i < ch_n_readers; i++)
		ch_buf_printf(&known, "%s%s", i ? ", " : "", ch_readers[i].name);
	ch_buf_putc(&known, 0);
	ch_fail(err, -EINVAL, "there is no input format '%s'; known are %s", name,
	        known.err ? "many" : known.data);
	ch_buf_done(&known);
	return -EINVAL;
}

static const struct ch_reader *by_content(const struct ch_input *in)
{
	const struct ch_reader *best = NULL;
	int sure = 0;

	for (size_t i = 0; i < ch_n_readers; i++) {
		int s = ch_readers[i].probe(in);

		if (s > sure) {
			sure = s;
			best = &ch_readers[i];
		}
	}
	for (size_t i = 0; !best && i < ch_n_readers; i++)
		if (ch_readers[i].find && ch_readers[i].find(in))
			best = &ch_readers[i];
	return best;
}

static int read_input(const struct ch_input *in, const char *format, struct ch_profile *p,
                      struct ch_error *err)
{
	const struct ch_reader *r = format ? by_name(format) : by_content(in);

	if (format && !r)
		return ch_reader_check(format, err);
	if (!in->size)
		return ch_fail(err, CH_NOT_A_PROFILE, "'%s' is empty", in->name);
	if (!r)
		return ch_fail(err, CH_NOT_A_PROFILE,
		               "'%s' is no profile known here; name its format with "
		               "--input-format if it is one",
		               in->name);
	return r->read(in, p, err);
}

int ch_read_path(const char *path, const char *format, struct ch_profile *p, struct ch_error *err)
{
	struct ch_input in;
	int r = ch_input_open(path, &in, err);

	if (r < 0)
		return r;
	r = read_input(&in, format, p, err);
	if (in.cut_short)
		ch_profile_damage(p, "'%s': the compressed data is damaged or cut short", in.name);
	if (ch_map_broken(&in.map))
		ch_profile_damage(p, "'%s' shrank while it was read", in.name);
	if (r >= 0)
		r = ch_profile_status(p, err);
	ch_input_done(&in);
	return r;
}
