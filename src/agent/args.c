#include "agent/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/events.h"

static const struct {
	const char *name;
	enum ch_command command;
} commands[] = {
	{ "start", CH_CMD_START },     { "resume", CH_CMD_START },    { "stop", CH_CMD_STOP },
	{ "dump", CH_CMD_DUMP },       { "status", CH_CMD_STATUS },   { "list", CH_CMD_LIST },
	{ "version", CH_CMD_VERSION }, { "perfmap", CH_CMD_PERFMAP },
};

enum type {
	FLAG,    /* bool */
	TEXT,    /* const char * */
	NAME,    /* char[CH_ARGS_NAME_MAX] */
	TIME,    /* int64_t ns; a bare number is ns */
	SECONDS, /* int64_t ns; a bare number is s */
	SIZE,    /* int64_t bytes */
	NUMBER,  /* int64_t */
	PERCENT, /* double */
	EVENT,   /* event=… */
	IGNORED, /* of others' output formats: the recording is always JFR */
};

static const struct option {
	const char *name;
	enum type type;
	size_t at, flag; /* flag: a bool that is set too; 0 none */
} options[] = {
#define AT(m) offsetof(struct ch_args, m)
	{ "event", EVENT, 0, 0 },
	{ "interval", TIME, AT(interval_ns), 0 },
	{ "cpu", TIME, AT(interval_ns), AT(cpu) },
	{ "wall", TIME, AT(wall_ns), AT(wall) },
	{ "alloc", SIZE, AT(alloc_bytes), AT(alloc) },
	{ "live", FLAG, AT(live), 0 },
	{ "lock", TIME, AT(lock_ns), AT(lock) },
	{ "file", NAME, AT(file), 0 },
	{ "labels", NAME, AT(labels), 0 },
	{ "owner", TEXT, AT(owner), 0 },
	{ "log", TEXT, AT(log), 0 },
	{ "chunksize", SIZE, AT(chunk_bytes), 0 },
	{ "chunktime", SECONDS, AT(chunk_ns), 0 },
	{ "timeout", SECONDS, AT(timeout_ns), 0 },
	{ "duration", SECONDS, AT(timeout_ns), 0 },
	{ "loop", SECONDS, AT(loop_ns), 0 },
	{ "memlimit", SIZE, AT(mem_bytes), 0 },
	{ "jstackdepth", NUMBER, AT(depth), 0 },
	{ "maxoverhead", PERCENT, AT(max_overhead), 0 },
	{ "filter", FLAG, AT(tasks_only), 0 },
	{ "kernel", FLAG, AT(kernel), 0 },
	{ "alluser", FLAG, AT(all_user), 0 },
	{ "cstack", TEXT, AT(cstack), 0 },
	{ "jfr", IGNORED, 0, 0 },
	{ "threads", IGNORED, 0, 0 },
	{ "quiet", IGNORED, 0, 0 },
#undef AT
};

static bool *flag_at(struct ch_args *a, size_t at)
{
	return (bool *)((char *)a + at);
}

/* A number with a unit out of a table; one without a unit is taken times `bare`. */
static int scaled(const char *text, const char *const *names, const int64_t *factors, size_t n,
                  int64_t bare, int64_t *ret)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || !(v >= 0) || v > 1e18)
		return -EINVAL;
	if (!*end && v * (double)bare < 9e18) {
		*ret = (int64_t)(v * (double)bare);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(end, names[i]) && v * (double)factors[i] < 9e18) {
			*ret = (int64_t)(v * (double)factors[i]);
			return 0;
		}
	return -EINVAL;
}

int ch_args_time(const char *text, int64_t bare, int64_t *ret_ns, struct ch_error *err)
{
	static const char *const names[] = { "ns", "us", "ms", "s", "m", "h", "d" };
	static const int64_t factors[] = { 1,           1000,          1000000,       1000000000,
		                           60000000000, 3600000000000, 86400000000000 };

	if (scaled(text, names, factors, CH_LEN(names), bare, ret_ns) < 0)
		return ch_fail(err, -EINVAL,
		               "'%s' is no time: give a number with ns, us, ms, s, m, h or d",
		               text);
	return 0;
}

int ch_args_size(const char *text, int64_t *ret_bytes, struct ch_error *err)
{
	static const char *const names[] = { "b", "k", "kb", "m", "mb", "g", "gb" };
	static const int64_t factors[] = {
		1, 1 << 10, 1 << 10, 1 << 20, 1 << 20, 1 << 30, 1 << 30
	};

	if (scaled(text, names, factors, CH_LEN(names), 1, ret_bytes) < 0)
		return ch_fail(err, -EINVAL, "'%s' is no size: give a number with k, m or g", text);
	return 0;
}

static int take_event(struct ch_args *a, const char *value, struct ch_error *err)
{
	const struct ch_event_word *word;
	int r;

	if (!value || !*value)
		return ch_fail(err, -EINVAL, "event= wants a name");
	if ((word = ch_events_find(value))) {
		*flag_at(a, word->flag) = true;
		return 0;
	}
	r = ch_event_check(value, err);
	if (r < 0)
		return r;
	if (a->n_perf == CH_ARGS_PERF_MAX)
		return ch_fail(err, -E2BIG, "more than %d perf events at once", CH_ARGS_PERF_MAX);
	a->perf[a->n_perf++] = value;
	return 0;
}

static int take_number(const struct option *o, const char *value, int64_t *ret,
                       struct ch_error *err)
{
	char *end;

	*ret = strtoll(value, &end, 10);
	if (*end || *ret <= 0)
		return ch_fail(err, -EINVAL, "%s=%s is no positive number", o->name, value);
	return 0;
}

static int take_percent(const struct option *o, const char *value, double *ret,
                        struct ch_error *err)
{
	char *end;

	*ret = strtod(value, &end);
	if (*end == '%')
		end++;
	if (*end || !(*ret > 0 && *ret <= 100))
		return ch_fail(err, -EINVAL, "%s=%s is no percentage above 0", o->name, value);
	return 0;
}

static int take_value(struct ch_args *a, const struct option *o, const char *value,
                      struct ch_error *err)
{
	void *at = (char *)a + o->at;

	switch (o->type) {
	case TIME:
		return ch_args_time(value, 1, at, err);
	case SECONDS:
		return ch_args_time(value, 1000000000, at, err);
	case SIZE:
		return ch_args_size(value, at, err);
	case NUMBER:
		return take_number(o, value, at, err);
	case PERCENT:
		return take_percent(o, value, at, err);
	case TEXT:
		*(const char **)at = value;
		return 0;
	case NAME:
		if (strlen(value) >= CH_ARGS_NAME_MAX)
			return ch_fail(err, -E2BIG, "the text in %s= is too long", o->name);
		memcpy(at, value, strlen(value) + 1);
		return 0;
	default:
		return 0;
	}
}

static int take_option(struct ch_args *a, const struct option *o, const char *value,
                       struct ch_error *err)
{
	if (o->type == EVENT)
		return take_event(a, value, err);
	if (o->flag)
		*flag_at(a, o->flag) = true;
	if (o->type == FLAG && value)
		return ch_fail(err, -EINVAL, "%s takes no value: leave it out to have it off",
		               o->name);
	if (o->type == FLAG)
		*flag_at(a, o->at) = true;
	if (value && *value)
		return take_value(a, o, value, err);
	if (o->type == TEXT || o->type == NAME || o->type == NUMBER)
		return ch_fail(err, -EINVAL, "%s wants a value: %s=…", o->name, o->name);
	return 0;
}

static int unknown(const char *word, struct ch_error *err)
{
	char list[400] = "";
	size_t n = 0;

	for (size_t i = 0; i < CH_LEN(options) && n < sizeof(list); i++)
		if (options[i].type != IGNORED)
			n += (size_t)snprintf(list + n, sizeof(list) - n, " %s", options[i].name);
	return ch_fail(err, -EINVAL, "there is no option '%s'; the options are:%s", word, list);
}

static int take_word(struct ch_args *a, char *word, struct ch_error *err)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = 0;
	if (!*word)
		return 0;
	for (size_t i = 0; i < CH_LEN(commands) && !value; i++)
		if (!strcmp(commands[i].name, word)) {
			a->command = commands[i].command;
			return 0;
		}
	for (size_t i = 0; i < CH_LEN(options); i++)
		if (!strcmp(options[i].name, word))
			return take_option(a, &options[i], value, err);
	return unknown(word, err);
}

static void fill_defaults(struct ch_args *a)
{
	if (!a->cpu && !a->wall && !a->alloc && !a->live && !a->lock && !a->itimer && !a->ctimer &&
	    !a->n_perf)
		a->cpu = true;
	/* `event=wall,interval=…` and `event=lock,interval=…` mean that event's own interval. */
	if (a->wall && !a->wall_ns)
		a->wall_ns = !a->cpu && a->interval_ns ? a->interval_ns : 50000000;
	if (a->n_perf && !a->cpu && !a->wall && !a->ctimer && !a->itimer)
		a->perf_period = a->interval_ns;
	if (!a->interval_ns)
		a->interval_ns = 10000000;
	/* What is alive is a small part of what was allocated: it takes more samples to see it. */
	a->alloc_governed = !a->alloc_bytes;
	if (!a->alloc_bytes)
		a->alloc_bytes = a->live ? 32 << 10 : 512 << 10;
	if (!a->lock_ns)
		a->lock_ns = 10000;
	if (!a->depth)
		a->depth = 2048;
	if (!a->chunk_bytes)
		a->chunk_bytes = 100 << 20;
	if (!a->chunk_ns)
		a->chunk_ns = 3600000000000;
	if (!a->mem_bytes)
		a->mem_bytes = 64 << 20;
	if (a->max_overhead <= 0)
		a->max_overhead = 2;
}

/* What is wrong is also told where the answer was to go. */
static void find_log(struct ch_args *a, char *word, char *rest)
{
	static const char name[] = "log=";

	for (; word; word = strsep(&rest, ","))
		if (!strncmp(word, name, sizeof(name) - 1))
			a->log = word + sizeof(name) - 1;
}

/* The kernel's own limit for perf's clock; the wall clock looks at all threads each time. */
#define INTERVAL_MIN_NS 10000
#define WALL_MIN_NS     100000

static int check(const struct ch_args *a, struct ch_error *err)
{
	if (a->depth > 16384)
		return ch_fail(err, -EINVAL, "jstackdepth goes up to 16384");
	if ((a->cpu || a->ctimer || a->itimer) && a->interval_ns < INTERVAL_MIN_NS)
		return ch_fail(err, -EINVAL,
		               "interval is at least %d us; a number without a unit is ns",
		               INTERVAL_MIN_NS / 1000);
	if (a->wall && a->wall_ns < WALL_MIN_NS)
		return ch_fail(err, -EINVAL,
		               "wall is at least %d us; a number without a unit is ns",
		               WALL_MIN_NS / 1000);
	if (a->loop_ns && a->file[0] && !strstr(a->file, "%n") && !strstr(a->file, "%t"))
		return ch_fail(err, -EINVAL,
		               "loop needs %%n or %%t in file=: each file would replace the last");
	return 0;
}

int ch_args_parse(const char *text, struct ch_args *args, struct ch_error *err)
{
	char *word, *rest;
	int r = 0;

	*args = (struct ch_args){ 0 };
	if (text && strlen(text) >= sizeof(args->text))
		return ch_fail(err, -E2BIG, "the options are too long");
	snprintf(args->text, sizeof(args->text), "%s", text ? text : "");
	for (rest = args->text; (word = strsep(&rest, ",")) && r >= 0;)
		r = take_word(args, word, err);
	if (r < 0) {
		find_log(args, word, rest);
		return r;
	}
	fill_defaults(args);
	return check(args, err);
}

static size_t put_field(const char **p, unsigned n, char *to, size_t room)
{
	char name[128];
	size_t len = strcspn(*p, "}");
	time_t now = time(NULL);
	struct tm tm;
	const char *value;

	switch (*(*p)++) {
	case 'p':
		return (size_t)snprintf(to, room, "%d", (int)getpid());
	case 't':
		localtime_r(&now, &tm);
		return strftime(to, room, "%Y%m%d-%H%M%S", &tm);
	case 'n':
		return (size_t)snprintf(to, room, "%u", n);
	case '%':
		return (size_t)snprintf(to, room, "%%");
	case '{':
		if (len < 1 || len - 1 >= sizeof(name) || !(*p)[len - 1])
			return room;
		memcpy(name, *p, len - 1);
		name[len - 1] = 0;
		*p += len;
		value = getenv(name);
		return (size_t)snprintf(to, room, "%s", value ? value : "");
	default:
		return room;
	}
}

int ch_args_file(const char *pattern, unsigned n, char *to, size_t room, struct ch_error *err)
{
	size_t used = 0;

	for (const char *p = pattern; *p;) {
		if (*p == '%') {
			p++;
			used += put_field(&p, n, to + used, room - used);
		} else {
			to[used++] = *p++;
		}
		if (used >= room)
			return ch_fail(err, -EINVAL,
			               "the file name '%s' is too long or has an unknown %%",
			               pattern);
	}
	to[used] = 0;
	return 0;
}
