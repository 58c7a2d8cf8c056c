#include "formats/jfr_read.h"

#include <string.h>

/* "20 ms", "1 s", "500 us" or a plain number of ns; 0 for anything else. */
static int64_t duration_ns(struct ch_span t)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = { { "", 1 },         { "ns", 1 },         { "us", 1000 },
		      { "ms", 1000000 }, { "s", 1000000000 }, { "m", INT64_C(60000000000) } };
	int64_t v = ch_span_number(t);
	size_t i = ch_span_digits(t);

	if (!i)
		return 0;
	while (i < t.n && t.s[i] == ' ')
		i++;
	for (size_t k = 0; k < CH_LEN(units); k++)
		if (ch_span_is((struct ch_span){ t.s + i, t.n - i }, units[k].unit))
			return ch_sat_mul(v, units[k].ns);
	return 0;
}

void ch_rec_setting(struct ch_rec_settings *s, struct ch_span of, struct ch_span name,
                    struct ch_span value)
{
	bool execution = ch_span_is(of, "jdk.ExecutionSample");

	if (ch_span_is(name, "period") && execution)
		s->execution_period_ns = duration_ns(value);
	else if (ch_span_is(name, "period") && ch_span_is(of, "jdk.NativeMethodSample"))
		s->native_period_ns = duration_ns(value);
	else if (ch_span_is(name, "interval") && execution)
		s->interval_ns = duration_ns(value);
	else if (ch_span_is(name, "wall") && execution)
		s->wall_ns = duration_ns(value);
	else if (ch_span_is(name, "event") && ch_span_is(of, "jdk.ActiveRecording") && value.n &&
	         value.n < sizeof(s->event)) {
		memcpy(s->event, value.s, value.n);
		s->event[value.n] = 0;
	}
}

void ch_rec_settings_join(struct ch_rec_settings *to, const struct ch_rec_settings *from)
{
	if (from->execution_period_ns)
		to->execution_period_ns = from->execution_period_ns;
	if (from->native_period_ns)
		to->native_period_ns = from->native_period_ns;
	if (from->interval_ns)
		to->interval_ns = from->interval_ns;
	if (from->wall_ns)
		to->wall_ns = from->wall_ns;
	if (*from->event)
		memcpy(to->event, from->event, sizeof(to->event));
}

/* async-profiler counts other things than time, too: its interval then is no time. */
static bool counts_cpu_time(const char *event)
{
	return !strcmp(event, "cpu") || !strcmp(event, "itimer") || !strcmp(event, "ctimer");
}

int64_t ch_rec_interval(const struct ch_rec_settings *s, const char *type)
{
	if (!strcmp(type, "jdk.NativeMethodSample"))
		return s->native_period_ns;
	if (!strcmp(type, "profiler.WallClockSample"))
		return s->wall_ns ? s->wall_ns : strcmp(s->event, "wall") ? 0 : s->interval_ns;
	if (strcmp(type, "jdk.ExecutionSample") != 0)
		return 0;
	if (counts_cpu_time(s->event) && s->interval_ns)
		return s->interval_ns;
	return s->execution_period_ns;
}
