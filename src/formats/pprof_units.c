#include "formats/pprof.h"
#include "base/span.h"

#include <stdio.h>

static const struct {
	const char *written, *unit;
	int64_t factor;
} units[] = {
	/* The first row of a unit is how it is written. */
	{ "nanoseconds", "ns", 1 },
	{ "nanosecond", "ns", 1 },
	{ "ns", "ns", 1 },
	{ "microseconds", "ns", 1000 },
	{ "microsecond", "ns", 1000 },
	{ "us", "ns", 1000 },
	{ "milliseconds", "ns", 1000000 },
	{ "millisecond", "ns", 1000000 },
	{ "ms", "ns", 1000000 },
	{ "seconds", "ns", 1000000000 },
	{ "second", "ns", 1000000000 },
	{ "s", "ns", 1000000000 },
	{ "bytes", "bytes", 1 },
	{ "byte", "bytes", 1 },
	{ "kilobytes", "bytes", 1024 },
	{ "megabytes", "bytes", 1024 * 1024 },
	{ "count", "count", 1 },
	{ "", "count", 1 },
};

/* Cuts `/1000000` off a unit and returns the number, or 1 when there is none. */
static int64_t cut_scale(const char *written, size_t *n)
{
	const char *slash = *n ? memrchr(written, '/', *n) : NULL;
	int64_t scale = 0;

	if (!slash)
		return 1;
	for (const char *p = slash + 1; p < written + *n; p++) {
		if (!ch_is_digit(*p) || scale > INT32_MAX)
			return 1;
		scale = scale * 10 + (*p - '0');
	}
	if (!scale)
		return 1;
	*n = (size_t)(slash - written);
	return scale;
}

struct ch_pprof_unit ch_pprof_unit_of(const char *written, size_t n)
{
	struct ch_pprof_unit u = { .factor = 1, .scale = cut_scale(written, &n) };

	for (size_t i = 0; i < CH_LEN(units); i++) {
		if (strlen(units[i].written) != n || memcmp(units[i].written, written, n))
			continue;
		(void)snprintf(u.unit, sizeof(u.unit), "%s", units[i].unit);
		u.factor = units[i].factor;
		return u;
	}
	(void)snprintf(u.unit, sizeof(u.unit), "%.*s", n < 60 ? (int)n : 60, written);
	return u;
}

void ch_pprof_unit_spell(const char *unit, int64_t scale, char *to)
{
	for (size_t i = 0; i < CH_LEN(units); i++) {
		if (!strcmp(units[i].unit, unit)) {
			unit = units[i].written;
			break;
		}
	}
	if (scale == 1)
		(void)snprintf(to, 96, "%.60s", unit);
	else
		(void)snprintf(to, 96, "%.60s/%lld", unit, (long long)scale);
}

static const struct {
	const char *word, *count, *value;
} columns[] = {
	{ "cpu", "samples", "cpu" },
	{ "wall", "wall_samples", "wall_time" },
	{ "alloc", "alloc_objects", "alloc_space" },
	{ "live", "inuse_objects", "inuse_space" },
	{ "lock", "contentions", "delay" },
	{ NULL, "objects", "space" },
};

bool ch_pprof_columns(const char *word, const char **ret_count, const char **ret_value)
{
	for (size_t i = 0; i < CH_LEN(columns); i++) {
		if (columns[i].word && !strcmp(columns[i].word, word)) {
			*ret_count = columns[i].count;
			*ret_value = columns[i].value;
			return true;
		}
	}
	return false;
}

static size_t stem(const char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] != '_' && name[n - 1] != '-')
		n--;
	return n;
}

bool ch_pprof_is_pair(const char *count, const char *value)
{
	size_t n = stem(count), of_value = strlen(value);

	if (!strcmp(count, "samples"))
		return true;
	for (size_t i = 0; i < CH_LEN(columns); i++)
		if (!strcmp(columns[i].count, count) && !strcmp(columns[i].value, value))
			return true;
	if (!strncmp(count, value, of_value) && !strcmp(count + of_value, "_samples"))
		return true;
	/* lock_count and lock_duration, cpu-samples and cpu-time */
	return n && n == stem(value) && !memcmp(count, value, n);
}
