#include "cli/beside.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/spark_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX ((size_t)1 << 20)
#define PLUGIN   "dev.charcloth.spark.CharclothPlugin"

/* --- how it is printed --------------------------------------------------------------------------- */

static void put_shell(struct ch_buf *b, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                            "_@%+=:,./-";

	if (*s && !s[strspn(s, plain)]) {
		ch_buf_puts(b, s);
		return;
	}
	ch_buf_putc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			ch_buf_puts(b, "'\\''");
		else
			ch_buf_putc(b, *s);
	ch_buf_putc(b, '\'');
}

static void put_submit(struct ch_buf *b, const char *key, const char *value)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf pair = CH_BUF(TEXT_MAX);
	bool jar = !strcmp(key, "spark.jars");

	if (!jar)
		ch_buf_printf(&pair, "%s=", key);
	ch_buf_puts(&pair, value);
	ch_buf_putc(&pair, 0);
	ch_buf_puts(b, jar ? "--jars " : " \\\n    --conf ");
	if (pair.err)
		b->err = pair.err;
	else
		put_shell(b, pair.data);
}

/* The file is one of Java's properties. */
static void put_defaults(struct ch_buf *b, const char *key, const char *value)
{
	if (b->len)
		ch_buf_putc(b, '\n');
	ch_buf_printf(b, "%-31s ", key);
	if (*value == '=' || *value == ':')
		ch_buf_putc(b, '\\');
	for (; *value; value++) {
		if (*value == '\\')
			ch_buf_putc(b, '\\');
		ch_buf_putc(b, *value);
	}
}

static void put_python(struct ch_buf *b, const char *key, const char *value)
{
	if (b->len)
		ch_buf_putc(b, '\n');
	ch_buf_printf(b, "    .config(\"%s\", \"", key);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			ch_buf_putc(b, '\\');
		ch_buf_putc(b, *value);
	}
	ch_buf_puts(b, "\")");
}

static const struct style {
	const char *name;
	void (*put)(struct ch_buf *b, const char *key, const char *value);
	const char *where;
} styles[] = {
	{ "submit", put_submit, "these go behind spark-submit, before the application" },
	{ "defaults", put_defaults, "these go into conf/spark-defaults.conf" },
	{ "python", put_python, "these go behind SparkSession.builder, before getOrCreate()" },
};

const char *cli_spark_style(size_t i)
{
	return i < CH_LEN(styles) ? styles[i].name : NULL;
}

static const struct style *find_style(const char *name)
{
	for (size_t i = 0; i < CH_LEN(styles); i++)
		if (!strcmp(styles[i].name, name))
			return &styles[i];
	return NULL;
}

/* --- what is asked for --------------------------------------------------------------------------- */

static const struct setting {
	const char *option, *key;
	size_t offset; /* in struct cli_args */
	int (*check)(const char *value, struct ch_error *err);
} settings[] = {
	{ "output", "spark.charcloth.output", offsetof(struct cli_args, output), cli_spark_output },
	{ "executors", "spark.charcloth.executors", offsetof(struct cli_args, executors),
	  cli_spark_executors },
	{ "flush-interval", "spark.charcloth.flushInterval", offsetof(struct cli_args, flush),
	  cli_spark_flush },
	{ "maxoverhead", "spark.charcloth.maxOverhead", offsetof(struct cli_args, maxoverhead),
	  cli_spark_percent },
	{ "tags", "spark.charcloth.tags", offsetof(struct cli_args, tags), cli_spark_tags },
};

/* Checks for all; r is what the option's own check says of the value. */
static int checked(const char *option, const char *value, int r, const struct ch_error *why,
                   struct ch_error *err)
{
	if (r < 0)
		return ch_fail(err, r, "--%s '%.80s': %s", option, value, why->text);
	if (!*value)
		return ch_fail(err, -EINVAL, "--%s is empty; leave it out", option);
	for (const char *p = value; *p; p++)
		if (iscntrl((unsigned char)*p))
			return ch_fail(err, -EINVAL, "--%s '%.80s' holds a control character",
			               option, value);
	return 0;
}

static int put_settings(struct ch_buf *b, const struct style *style, const struct cli_args *args,
                        struct ch_error *err)
{
	for (size_t i = 0; i < CH_LEN(settings); i++) {
		const struct setting *s = &settings[i];
		const char *value = *(const char *const *)((const char *)args + s->offset);
		struct ch_error why;
		int r;

		if (!value)
			continue;
		r = checked(s->option, value, s->check(value, &why), &why, err);
		if (r < 0)
			return r;
		style->put(b, s->key, value);
	}
	return 0;
}

/* Events and their interval: what the one may be depends on the others. */
static int put_events(struct ch_buf *b, const struct style *style, const struct cli_args *args,
                      struct ch_error *err)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf list = CH_BUF(TEXT_MAX);
	struct ch_error why;
	int r = 0;

	for (size_t i = 0; i < args->events.n; i++)
		ch_buf_printf(&list, "%s%s", i ? "," : "", args->events.item[i]);
	ch_buf_putc(&list, 0);
	if (list.err)
		return ch_fail(err, list.err, "--events: %m");
	if (args->events.n) {
		r = checked("events", list.data, cli_spark_events(list.data, &why), &why, err);
		style->put(b, "spark.charcloth.events", list.data);
	}
	if (r >= 0 && args->interval) {
		const char *events = args->events.n ? list.data : NULL;

		r = checked("interval", args->interval,
		            cli_spark_interval(args->interval, events, &why), &why, err);
		style->put(b, "spark.charcloth.interval", args->interval);
	}
	return r;
}

/* --- the jar ------------------------------------------------------------------------------------- */

/* local:///opt/x.jar, s3a://… : not for us to look at. */
static bool is_address(const char *s)
{
	size_t n = strcspn(s, ":/");

	return n > 1 && s[n] == ':' && s[n + 1] == '/';
}

static int find_jar(const char *given, char to[PATH_MAX], struct ch_error *err)
{
	static const char *const places[] = { "charcloth-spark.jar",
		                              "../lib/charcloth/charcloth-spark.jar" };

	if (given && is_address(given))
		(void)snprintf(to, PATH_MAX, "%s", given);
	else if (given && (!realpath(given, to) || access(to, R_OK) < 0))
		return ch_fail(err, -errno, "open '%s': %m", given);
	else if (!given && cli_beside(places, CH_LEN(places), to) < 0)
		return ch_fail(err, -ENOENT,
		               "charcloth-spark.jar is not beside this program; --jar says where "
		               "it is, ./dev build makes it");
	if (strchr(to, ','))
		return ch_fail(err, -EINVAL,
		               "'%s' has a comma, which Spark takes for the end of a name; put the "
		               "jar elsewhere",
		               to);
	return checked("jar", to, 0, NULL, err);
}

/* --- the command --------------------------------------------------------------------------------- */

static int wrong_usage(const char *sentence)
{
	cli_say_error(sentence);
	return EXIT_USAGE;
}

static int unknown_style(const char *name)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(TEXT_MAX);

	ch_buf_printf(&b, "there is no format '%s'; --format is one of", name);
	for (size_t i = 0; i < CH_LEN(styles); i++)
		ch_buf_printf(&b, "%s %s", i ? "," : "", styles[i].name);
	ch_buf_putc(&b, 0);
	return wrong_usage(b.err ? "--format: out of memory" : b.data);
}

int cli_spark_conf(const struct cli_args *args)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf b = CH_BUF(TEXT_MAX);
	const struct style *style = args->format ? find_style(args->format) : &styles[0];
	char jar[PATH_MAX];
	struct ch_error err;

	if (args->n_inputs)
		return wrong_usage("spark-conf takes options only; see --help");
	if (!style)
		return unknown_style(args->format);
	if (find_jar(args->jar, jar, &err) < 0)
		return cli_failed(&err);
	style->put(&b, "spark.jars", jar);
	style->put(&b, "spark.plugins", PLUGIN);
	if (put_settings(&b, style, args, &err) < 0 || put_events(&b, style, args, &err) < 0)
		return wrong_usage(err.text);
	if (args->no_driver)
		style->put(&b, "spark.charcloth.driver", "false");
	ch_buf_putc(&b, '\n');
	if (b.err) {
		ch_fail(&err, b.err, "spark-conf: %m");
		return cli_failed(&err);
	}
	fwrite(b.data, 1, b.len, stdout);
	cli_say_note("%s", style->where);
	if (!args->output)
		cli_say_note("without --output recordings stay on their machines, where Java keeps "
		             "temporary files");
	return EXIT_DONE;
}
