#include "cli/spark_values.h"
#include "cli/options.h"
#include "base/util.h"
#include "sys/perf_event.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CPU_MIN_NS   10000
#define WALL_MIN_NS  100000
#define FLUSH_MIN_NS 100000000
#define FLUSH_MAX_NS 86400000000000
#define PERF_MAX     8
#define WORD_MAX     256
#define TAG_MAX      64
#define SHARES       "use all, 25%%, 0.25, 3 or ids:1,5"

static const char digits[] = "0123456789";
static const char name_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* --- numbers ------------------------------------------------------------------------------------- */

/*
 * A decimal number without sign or exponent, with at most so many digits before its point and nine
 * behind it: where it ends, or NULL. *ret_whole says that it has no point.
 */
static const char *decimal(const char *s, size_t whole_max, bool *ret_whole)
{
	size_t n = strspn(s, digits), fraction;

	if (n > whole_max)
		return NULL;
	*ret_whole = s[n] != '.';
	if (*ret_whole)
		return n ? s + n : NULL;
	fraction = strspn(s + n + 1, digits);
	return fraction && fraction <= 9 ? s + n + 1 + fraction : NULL;
}

/* Only 0 needs no unit; there may be blanks before it. */
static int parse_time(const char *s, const char *example, int64_t *ret_ns, struct ch_error *err)
{
	bool whole;
	const char *end = decimal(s, 9, &whole), *unit = end ? end + strspn(end, " ") : "";
	char joined[WORD_MAX];

	*ret_ns = 0;
	if (!strcmp(s, "0"))
		return 0;
	(void)snprintf(joined, sizeof(joined), "%.*s%s", end ? (int)(end - s) : 0, s, unit);
	if (!*unit || cli_parse_duration(joined, ret_ns) < 0)
		return ch_fail(err, -EINVAL, "not a time; use e.g. %s", example);
	return 0;
}

static int parse_time_from(const char *s, const char *example, int64_t min_ns, const char *min,
                           struct ch_error *err)
{
	int64_t ns;
	int r = parse_time(s, example, &ns, err);

	if (r >= 0 && ns < min_ns)
		return ch_fail(err, -EINVAL, "shorter than %s; use e.g. 10ms", min);
	return r;
}

int cli_spark_flush(const char *value, struct ch_error *err)
{
	int64_t ns;
	int r = parse_time(value, "10s", &ns, err);

	if (r >= 0 && ns > 0 && ns < FLUSH_MIN_NS)
		return ch_fail(err, -EINVAL, "shorter than 100ms; use e.g. 10s");
	if (r >= 0 && ns > FLUSH_MAX_NS)
		return ch_fail(err, -EINVAL, "longer than 1d; use e.g. 10s");
	return r;
}

int cli_spark_percent(const char *value, struct ch_error *err)
{
	bool whole;
	const char *end = decimal(value, 3, &whole);
	double v = strtod(value, NULL);

	if (end && end[strspn(end, " ")] == '%')
		end += strspn(end, " ") + 1;
	if (!end || *end || *value == '.' || !(v > 0) || v > 100)
		return ch_fail(err, -EINVAL, "not a percentage above 0; use e.g. 2");
	return 0;
}

/* --- who records --------------------------------------------------------------------------------- */

static int check_ids(const char *s, struct ch_error *err)
{
	for (;;) {
		s += strspn(s, " ");
		if (!*s || *s == ',')
			return ch_fail(err, -EINVAL, "an id is empty; " SHARES);
		s += strcspn(s, ",");
		if (!*s++)
			return 0;
	}
}

int cli_spark_executors(const char *value, struct ch_error *err)
{
	bool whole;
	const char *end;
	double share;

	if (!strcasecmp(value, "all") || !strcasecmp(value, "none"))
		return 0;
	if (!strncmp(value, "ids:", 4))
		return check_ids(value + 4, err);
	end = decimal(value, 9, &whole);
	if (end && !*end && whole)
		return 0;
	end = decimal(value, 3, &whole);
	if (!end || strcmp(end + (*end == '%'), "") != 0 || (*end == '%' && *value == '.'))
		return ch_fail(err, -EINVAL, "not a share of executors; " SHARES);
	share = strtod(value, NULL) / (*end == '%' ? 100 : 1);
	return share > 1 ? ch_fail(err, -EINVAL, "more than all executors; " SHARES) : 0;
}

/* --- what is recorded ---------------------------------------------------------------------------- */

static bool is_perf(const char *name)
{
	struct ch_perf_spec spec;

	/* Whether this machine has it does not matter: the executors' have to. */
	return !strpbrk(name, " \t") && ch_perf_event_parse(name, &spec, NULL) >= 0;
}

static int alloc_measure(const char *s, struct ch_error *err)
{
	size_t n = strspn(s, digits);
	const char *unit = s + n;

	unit += *unit && strchr("kmgKMG", *unit);
	unit += *unit == 'b' || *unit == 'B';
	if (!n || n > 9 || *unit || !strtoul(s, NULL, 10))
		return ch_fail(err, -EINVAL, "not a size; use e.g. alloc=2m");
	return 0;
}

static int lock_measure(const char *s, struct ch_error *err)
{
	return parse_time_from(s, "lock=1ms", 0, "", err);
}

static int wall_measure(const char *s, struct ch_error *err)
{
	return parse_time_from(s, "wall=20ms", WALL_MIN_NS, "100us", err);
}

static const struct {
	const char *name;
	int (*measure)(const char *s, struct ch_error *err); /* NULL: has none of its own */
} events[] = {
	{ "cpu", NULL },          { "ctimer", NULL },       { "itimer", NULL },
	{ "live", NULL },         { "wall", wall_measure }, { "alloc", alloc_measure },
	{ "lock", lock_measure },
};

static int check_event(char *word, size_t *n_perf, struct ch_error *err)
{
	char *eq = strchr(word, '=');
	int (*measure)(const char *s, struct ch_error *err) = NULL;
	bool known = false;

	if (eq)
		*eq = 0;
	for (size_t i = 0; i < CH_LEN(events); i++)
		if (!strcmp(word, events[i].name)) {
			known = true;
			measure = events[i].measure;
		}
	if (!known && !is_perf(word))
		return ch_fail(err, -EINVAL, "there is no event '%s'; use e.g. cpu,wall,alloc",
		               word);
	*n_perf += !known;
	if (eq && !measure)
		return ch_fail(err, -EINVAL, "%s has no measure of its own; use --interval", word);
	return eq ? measure(eq + 1, err) : 0;
}

int cli_spark_events(const char *list, struct ch_error *err)
{
	size_t n_perf = 0;
	int r = 0;

	for (const char *p = list; r >= 0; p++) {
		size_t n = strcspn(p, ",");
		char word[WORD_MAX];

		(void)snprintf(word, sizeof(word), "%.*s", (int)(n < WORD_MAX ? n : WORD_MAX), p);
		r = check_event(word, &n_perf, err);
		p += n;
		if (!*p)
			break;
	}
	if (r >= 0 && n_perf > PERF_MAX)
		return ch_fail(err, -EINVAL, "more than %d perf events; use fewer", PERF_MAX);
	return r;
}

/* Whether a list has a word, without a measure. */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, word, n) && (!p[n] || p[n] == ','))
			return true;
	return false;
}

int cli_spark_interval(const char *value, const char *list, struct ch_error *err)
{
	const char *all = list ? list : "cpu";
	bool cpu = has_word(all, "cpu");

	if (has_word(all, "wall") && !cpu)
		return parse_time_from(value, "10ms", WALL_MIN_NS, "100us", err);
	if (cpu || has_word(all, "ctimer") || has_word(all, "itimer"))
		return parse_time_from(value, "10ms", CPU_MIN_NS, "10us", err);
	return parse_time_from(value, "10ms", 1, "1ns", err);
}

/* --- where it goes ------------------------------------------------------------------------------- */

int cli_spark_output(const char *value, struct ch_error *err)
{
	if (!strncasecmp(value, "http:", 5) || !strncasecmp(value, "https:", 6))
		return ch_fail(err, -EINVAL,
		               "sending over HTTP comes later; use e.g. hdfs:///profiles");
	return 0;
}

int cli_spark_tags(const char *value, struct ch_error *err)
{
	for (const char *p = value;; p++) {
		size_t n;

		p += strspn(p, " ");
		n = strcspn(p, "= ,");
		for (size_t i = 0; i < n; i++)
			if (!strchr(name_chars, p[i]) && p[i] != '.' && p[i] != '-')
				n = 0;
		if (!n || n > TAG_MAX || p[n + strspn(p + n, " ")] != '=')
			return ch_fail(err, -EINVAL,
			               "not a list of pairs; use e.g. team=search,env=prod");
		p += strcspn(p, ",");
		if (!*p)
			return 0;
	}
}
