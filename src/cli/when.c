#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#define NS_PER_S 1000000000LL

static const struct {
	const char *name;
	double ns;
} units[] = {
	{ "", 1e9 },   { "s", 1e9 },    { "ms", 1e6 },   { "us", 1e3 },    { "ns", 1 },
	{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
};

int cli_parse_duration(const char *s, int64_t *ret_ns)
{
	char *unit;
	double v = strtod(s, &unit);

	if (unit == s || !isdigit((unsigned char)*s) || !isfinite(v))
		return -EINVAL;
	for (size_t i = 0; i < CH_LEN(units); i++) {
		if (strcasecmp(unit, units[i].name) != 0)
			continue;
		if (v * units[i].ns > 9e18)
			return -EINVAL;
		*ret_ns = (int64_t)(v * units[i].ns);
		return 0;
	}
	return -EINVAL;
}

/* Seconds, milli-, micro- or nanoseconds since 1970, told apart by their size (years 1973 to 5138). */
static int parse_epoch(const char *s, int64_t *ret_ns)
{
	char *end;
	double v;
	int64_t whole;

	/* Digits only: 1e12 and 0x10 would be read in two ways below. */
	if (s[strspn(s, "0123456789.")])
		return -EINVAL;
	v = strtod(s, &end);
	if (end == s || *end || v > 9e18)
		return -EINVAL;
	whole = strtoll(s, NULL, 10);
	/* A time that nanoseconds cannot tell (after 2262) is as good as the last one they can. */
	if (v < 1e11)
		*ret_ns = ch_sat_mul((int64_t)(v * 1e3), 1000000);
	else if (v < 1e14)
		*ret_ns = ch_sat_mul(whole, 1000000);
	else if (v < 1e17)
		*ret_ns = ch_sat_mul(whole, 1000);
	else
		*ret_ns = whole;
	return 0;
}

/* The zone behind a time: Z, +hh:mm, or nothing for local time. */
static int apply_zone(const char *z, struct tm *tm, int64_t *ret_s)
{
	int sign, hours, minutes, used = 0;

	if (!*z) {
		tm->tm_isdst = -1;
		*ret_s = mktime(tm);
		return 0;
	}
	*ret_s = timegm(tm);
	if (!strcmp(z, "Z") || !strcmp(z, "z"))
		return 0;
	sign = *z == '-' ? -1 : 1;
	if ((*z != '+' && *z != '-') ||
	    (sscanf(z + 1, "%2d:%2d%n", &hours, &minutes, &used) != 2 &&
	     sscanf(z + 1, "%2d%2d%n", &hours, &minutes, &used) != 2) ||
	    z[1 + used])
		return -EINVAL;
	*ret_s -= sign * (hours * 3600 + minutes * 60);
	return 0;
}

static int parse_iso(const char *s, int64_t *ret_ns)
{
	struct tm tm = { 0 };
	const char *rest = strptime(s, "%Y-%m-%d", &tm);
	int64_t seconds, fraction = 0, digit = NS_PER_S / 10;

	if (!rest)
		return -EINVAL;
	if (*rest == 'T' || *rest == ' ') {
		const char *time = rest + 1;

		rest = strptime(time, "%H:%M:%S", &tm);
		if (!rest)
			rest = strptime(time, "%H:%M", &tm);
		if (!rest)
			return -EINVAL;
	}
	if (*rest == '.' || *rest == ',')
		for (rest++; isdigit((unsigned char)*rest); rest++, digit /= 10)
			fraction += (*rest - '0') * digit;
	if (apply_zone(rest, &tm, &seconds) < 0)
		return -EINVAL;
	*ret_ns = ch_sat_add(ch_sat_mul(seconds, NS_PER_S), fraction);
	return 0;
}

int cli_parse_when(const char *s, struct ch_when *ret)
{
	int64_t ns;

	if (*s == '+' || *s == '-') {
		if (cli_parse_duration(s + 1, &ns) < 0)
			return -EINVAL;
		*ret = (struct ch_when){ *s == '+' ? CH_WHEN_AFTER_START : CH_WHEN_BEFORE_END, ns };
		return 0;
	}
	if (parse_epoch(s, &ns) < 0 && parse_iso(s, &ns) < 0)
		return -EINVAL;
	*ret = (struct ch_when){ CH_WHEN_EPOCH, ns };
	return 0;
}
