#include "cli/options.h"
#include "cli/near.h"
#include "cli/spark_values.h"
#include "formats/inputs.h"
#include "profile/events.h"
#include "render/outputs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

/* Atoms that {n,m} may add; regcomp takes memory and time by the square of them. */
#define REGEX_MORE_MAX   3000
#define REGEX_GROUPS_MAX 256

#define AT(field)        offsetof(struct cli_args, field)

static const char g_out[] = "Output";
static const char g_record[] = "What is recorded";
static const char g_pick[] = "What is shown";
static const char g_name[] = "How frames are named and stacked";
static const char g_draw[] = "Drawing";
static const char g_run[] = "Running";

static const char *output_name(size_t i)
{
	return i < ch_n_outputs ? ch_outputs[i].name : NULL;
}

static const char *input_name(size_t i)
{
	return i < ch_n_readers ? ch_readers[i].name : NULL;
}

static const char *recorded_event(size_t i)
{
	static const char *const words[] = { "cpu", "wall", "alloc", "live", "lock", "itimer" };

	return i < CH_LEN(words) ? words[i] : NULL;
}

const struct cli_opt cli_opts[] = {
	{ "output", 'o', CMD_WRITE | CMD_RECORD, OPT_TEXT, AT(output), "FILE",
	  "write to FILE; its extension names the format, - is stdout", g_out },
	{ "file", 'f', CMD_RECORD | CMD_STOP | CMD_DUMP, OPT_TEXT, AT(output), "FILE",
	  "the same as --output", g_out },
	{ "file", 'f', CMD_START, OPT_TEXT, AT(output), "FILE",
	  "the recording, a .jfr on the side of the JVM; %p is its pid, %t the time "
	  "(default /tmp/charcloth-%p-%t.jfr)",
	  g_out },
	{ "format", 'f', CMD_CONVERT | CMD_DIFF, OPT_TEXT, AT(format), "NAME",
	  "output format, where the extension does not tell", g_out, output_name },
	{ "format", 0, CMD_RECORD | CMD_STOP | CMD_DUMP, OPT_TEXT, AT(format), "NAME",
	  "output format, where the extension does not tell", g_out, output_name },
	{ "output", 'o', CMD_SPARK_CONF, OPT_TEXT, AT(output), "FOLDER",
	  "where the recordings go: a folder of any file system that Spark can write to", g_out },
	{ "format", 'f', CMD_SPARK_CONF, OPT_TEXT, AT(format), "NAME",
	  "what is printed (default submit), one of:", g_out, cli_spark_style },
	{ "jar", 0, CMD_SPARK_CONF, OPT_TEXT, AT(jar), "FILE",
	  "the plugin, where charcloth-spark.jar is not beside this program; also an address such "
	  "as local:///opt/charcloth-spark.jar",
	  g_out },
	{ "input-format", 0, CMD_FILES, OPT_TEXT, AT(input_format), "NAME",
	  "read the inputs as this format instead of finding out by content", g_out, input_name },
	{ "json", 0, CMD_TOP | CMD_LIST | CMD_HEAP, OPT_FLAG, AT(json), NULL,
	  "print JSON instead of a table", g_out },
	{ "sort-total", 0, CMD_TOP | CMD_RECORD | CMD_STOP | CMD_DUMP, OPT_FLAG, AT(sort_total),
	  NULL, "largest total first: which methods allocate, wait or call what is hot", g_out },
	{ "limit", 'n', CMD_TOP | CMD_HEAP | CMD_RECORD | CMD_STOP | CMD_DUMP, OPT_COUNT, AT(limit),
	  "N", "rows of the table (default 30, 0 for all)", g_out },

	{ "duration", 'd', CMD_RECORD, OPT_TIME, AT(duration_ns), "TIME",
	  "how long: 30, 30s, 5m, 1h (default 30 s; behind -- until the command ends)", g_record },
	{ "event", 'e', CMD_BEGIN, OPT_LIST, AT(events), "LIST",
	  "what is sampled, a name of perf (page-faults …) or some of (default cpu):", g_record,
	  recorded_event },
	{ "events", 'e', CMD_SPARK_CONF, OPT_LIST, AT(events), "LIST",
	  "what is sampled, a name of perf (page-faults …) or some of (default cpu):", g_record,
	  recorded_event },
	{ "interval", 'i', CMD_BEGIN | CMD_SPARK_CONF, OPT_WORD, AT(interval), "TIME",
	  "CPU time from sample to sample (default 10ms)", g_record },
	{ "executors", 0, CMD_SPARK_CONF, OPT_TEXT, AT(executors), "SHARE",
	  "which executors record: all, none, 25%, 0.25, 3 or ids:1,5 (default all)", g_record },
	{ "no-driver", 0, CMD_SPARK_CONF, OPT_FLAG, AT(no_driver), NULL, "leave the driver alone",
	  g_record },
	{ "flush-interval", 0, CMD_SPARK_CONF, OPT_WORD, AT(flush), "TIME",
	  "how often what is new goes to the output (default 10s)", g_record },
	{ "tags", 0, CMD_SPARK_CONF, OPT_TEXT, AT(tags), "LABEL=VALUE[,…]",
	  "labels of all recordings", g_record },
	{ "wall", 0, CMD_BEGIN, OPT_WORD, AT(wall), "TIME",
	  "also all threads, running or not, every TIME", g_record },
	{ "alloc", 0, CMD_BEGIN, OPT_WORD, AT(alloc), "BYTES",
	  "also an allocation every BYTES, e.g. 512k or 2m", g_record },
	{ "live", 0, CMD_BEGIN, OPT_FLAG, AT(live), NULL,
	  "also which allocated objects are still in use at the end", g_record },
	{ "lock", 0, CMD_BEGIN, OPT_WORD, AT(lock), "TIME",
	  "also waiting for locks that takes longer than TIME", g_record },
	{ "filter", 0, CMD_BEGIN, OPT_FLAG, AT(filter), NULL, "wall: only threads of Spark tasks",
	  g_record },
	{ "jstackdepth", 'j', CMD_BEGIN, OPT_WORD, AT(depth), "N",
	  "frames per stack (default 2048)", g_record },
	{ "maxoverhead", 0, CMD_BEGIN | CMD_SPARK_CONF, OPT_WORD, AT(maxoverhead), "PERCENT",
	  "CPU that the agent may take before it samples less often (default 2)", g_record },
	{ "memlimit", 0, CMD_BEGIN, OPT_WORD, AT(memlimit), "BYTES",
	  "memory that the agent may take", g_record },
	{ "chunksize", 0, CMD_BEGIN, OPT_WORD, AT(chunksize), "BYTES",
	  "begin a new chunk of the recording at this size", g_record },
	{ "chunktime", 0, CMD_BEGIN, OPT_WORD, AT(chunktime), "TIME", "or after this time",
	  g_record },
	{ "loop", 0, CMD_START, OPT_WORD, AT(loop), "TIME",
	  "begin a new file every TIME; the name needs %t or %n", g_record },
	{ "children", 's', CMD_RECORD, OPT_FLAG, AT(children), NULL,
	  "behind --: also the JVMs that the command starts (always, unless it is java itself)",
	  g_record },

	{ "live", 0, CMD_HEAP, OPT_FLAG, AT(live), NULL,
	  "only what is still in use; the JVM collects all garbage first", g_pick },
	{ "locks", 'l', CMD_THREADS, OPT_FLAG, AT(locks), NULL,
	  "also the locks that each thread owns", g_pick },
	{ "event", 'e', CMD_SHOW, OPT_TEXT, AT(event), "EVENT",
	  "a recorded type's name, or one of:", g_pick, ch_event_word_at },
	{ "total", 0, CMD_PROFILES, OPT_FLAG, AT(total), NULL,
	  "weigh by bytes or time instead of samples", g_pick },
	{ "from", 0, CMD_PROFILES, OPT_WHEN, AT(from), "TIME",
	  "samples from TIME on: epoch, ISO 8601, +10s after the start, -5s before the end",
	  g_pick },
	{ "to", 0, CMD_PROFILES, OPT_WHEN, AT(to), "TIME", "samples before TIME", g_pick },
	{ "thread", 0, CMD_PROFILES, OPT_REGEX, AT(thread), "REGEX",
	  "samples of threads whose name matches", g_pick },
	{ "state", 0, CMD_PROFILES, OPT_TEXT, AT(state), "LIST",
	  "samples in one of these thread states, e.g. RUNNABLE", g_pick },
	{ "include", 'I', CMD_PROFILES, OPT_REGEX, AT(include), "REGEX",
	  "stacks with a frame that matches", g_pick },
	{ "exclude", 'X', CMD_PROFILES, OPT_REGEX, AT(exclude), "REGEX",
	  "stacks without any frame that matches", g_pick },
	{ "where", 0, CMD_PROFILES, OPT_WHERE, 0, "LABEL=VALUE",
	  "samples with this label, e.g. stage=3; may be repeated, - is none", g_pick },

	{ "by", 0, CMD_PROFILES, OPT_LIST, AT(by), "LABEL[,LABEL]",
	  "one root frame LABEL=value per value: stage, task, file, thread …", g_name },
	{ "threads", 't', CMD_PROFILES, OPT_FLAG, AT(threads), NULL, "thread names as root frames",
	  g_name },
	{ "lines", 'l', CMD_PROFILES, OPT_FLAG, AT(lines), NULL, "tell lines of a method apart",
	  g_name },
	{ "dot", 0, CMD_PROFILES, OPT_FLAG, AT(dot), NULL, "java.lang.Thread.run", g_name },
	{ "simple", 's', CMD_SHOW, OPT_FLAG, AT(simple), NULL, "Thread.run", g_name },
	{ "simple", 0, CMD_RECORD, OPT_FLAG, AT(simple), NULL, "Thread.run", g_name },
	{ "norm", 0, CMD_PROFILES, OPT_FLAG, AT(normalize), NULL,
	  "lambdas and other made-up classes without their numbers (diff always does)", g_name },
	{ "annotate", 'a', CMD_PROFILES, OPT_FLAG, AT(annotate), NULL,
	  "mark kinds: _[j] compiled, _[i] inlined, _[0] interpreted, _[1] C1, _[k] kernel",
	  g_name },
	{ "reverse", 'r', CMD_WRITE | CMD_RECORD, OPT_FLAG, AT(reverse), NULL,
	  "stacks from the leaf: who is called, then by whom", g_name },

	{ "absolute", 0, CMD_DIFF, OPT_FLAG, AT(absolute), NULL,
	  "compare plain numbers instead of shares of each side's total", g_draw },
	{ "title", 0, CMD_WRITE | CMD_RECORD, OPT_TEXT, AT(title), "TEXT", "title of the picture",
	  g_draw },
	{ "inverted", 'i', CMD_WRITE, OPT_FLAG, AT(inverted), NULL, "root on top (icicle)",
	  g_draw },
	{ "inverted", 0, CMD_RECORD, OPT_FLAG, AT(inverted), NULL, "root on top (icicle)", g_draw },
	{ "min-width", 0, CMD_WRITE | CMD_RECORD, OPT_NUMBER, AT(min_width), "PX",
	  "gather frames narrower than PX pixels (default 0.1 in SVG, 0.5 in pages)", g_draw },
	{ "width", 0, CMD_WRITE | CMD_RECORD, OPT_NUMBER, AT(width), "PX",
	  "SVG: width (default 1200, in a browser that of the window)", g_draw },
	{ "height", 0, CMD_WRITE | CMD_RECORD, OPT_NUMBER, AT(frame_height), "PX",
	  "SVG: height of a frame (default 16)", g_draw },
	{ "colors", 0, CMD_WRITE | CMD_RECORD, OPT_TEXT, AT(colors), "SCHEME",
	  "SVG: colour frames by one of:", g_draw, ch_color_mode_name },

	{ "cores", 0, CMD_PROFILES, OPT_COUNT, AT(cores), "N", "use at most N cores", g_run },
	{ "lib", 0, CMD_AGENT | CMD_LIST, OPT_TEXT, AT(library), "FILE",
	  "the agent, where libcharcloth.so is not beside this program", g_run },
	{ "quiet", 'q', CMD_PROFILES | CMD_AGENT | CMD_PROCESS | CMD_SPARK_CONF, OPT_FLAG,
	  AT(quiet), NULL, "no progress, no notes", g_run },
	{ "help", 'h', CMD_ALL, OPT_FLAG, AT(help), NULL, "show this text", g_run },
};
const size_t cli_n_opts = CH_LEN(cli_opts);

void cli_opt_help(const struct cli_opt *o, struct ch_buf *b)
{
	const char *word;

	ch_buf_puts(b, o->help);
	if (o->help[strlen(o->help) - 1] == ':')
		for (size_t i = 0; (word = o->choice(i)); i++)
			ch_buf_printf(b, "%s %s", i ? "," : "", word);
	ch_buf_putc(b, 0);
}

/* --- values ---------------------------------------------------------------------------------- */

/* Behind the `[` of a bracket expression: where it ends. */
static const char *bracket_end(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	return p + strcspn(p, "]");
}

/*
 * How many atoms an expression has once its {n,m} are written out, as regcomp does: groups in groups
 * multiply, and forty characters can ask for all memory there is.
 */
static double regex_size(const char *p)
{
	double open[REGEX_GROUPS_MAX] = { 0 }, *all = open, last = 0;

	for (; *p; p++) {
		if (strchr("*+?", *p))
			continue;
		if (*p == '(') {
			if (++all == open + REGEX_GROUPS_MAX)
				return HUGE_VAL;
			*all = 0;
			continue;
		}
		if (*p == '{') {
			const char *comma = p + strcspn(p, ",}");
			double times = strtod(*comma == ',' ? comma + 1 : p + 1, NULL);

			*all += last * (times > 1 ? times - 1 : 0);
			last *= times > 1 ? times : 1;
			p += strcspn(p, "}");
			p -= !*p;
			continue;
		}
		last = 1;
		if (*p == ')' && all > open)
			last = *all--;
		else if (*p == '[')
			p = bracket_end(p + 1);
		else if (*p == '\\' && p[1])
			p++;
		p -= !*p;
		*all += last;
	}
	while (all > open) {
		all[-1] += *all;
		all--;
	}
	return *all;
}

static int set_regex(struct cli_regex *to, const struct cli_opt *o, const char *value,
                     struct ch_error *err)
{
	char why[128];
	int r;

	if (to->set)
		regfree(&to->re);
	to->set = false;
	if (regex_size(value) > (double)strlen(value) + REGEX_MORE_MAX)
		return ch_fail(err, -EINVAL, "--%s: the expression is too large, its {} multiply",
		               o->name);
	r = regcomp(&to->re, value, REG_EXTENDED | REG_NOSUB);
	to->set = !r;
	if (!r)
		return 0;
	regerror(r, &to->re, why, sizeof(why));
	return ch_fail(err, -EINVAL, "--%s '%s' is no regular expression: %s", o->name, value, why);
}

static char *own(struct cli_args *args, const char *s, size_t n)
{
	char *copy;

	if (args->n_owned == CH_LEN(args->owned))
		return NULL;
	copy = strndup(s, n);
	if (copy)
		args->owned[args->n_owned++] = copy;
	return copy;
}

static int set_list(struct cli_args *args, struct cli_list *to, const struct cli_opt *o,
                    const char *value, struct ch_error *err)
{
	while (*value) {
		size_t n = strcspn(value, ",");
		char *item = n && to->n < CLI_LIST_MAX ? own(args, value, n) : NULL;

		if (!item)
			return ch_fail(err, -EINVAL, "--%s '%s': an empty or too long list",
			               o->name, value);
		to->item[to->n++] = item;
		value += n + (value[n] == ',');
	}
	return to->n ? 0
	             : ch_fail(err, -EINVAL, "--%s needs at least one %s", o->name,
	                       !strcmp(o->name, "by") ? "label" : "name");
}

static int set_where(struct cli_args *args, const char *value, struct ch_error *err)
{
	const char *eq = strchr(value, '=');
	char *key;

	if (!eq || eq == value)
		return ch_fail(err, -EINVAL, "--where takes LABEL=VALUE, not '%s'", value);
	key = args->n_where < CLI_LIST_MAX ? own(args, value, (size_t)(eq - value)) : NULL;
	if (!key)
		return ch_fail(err, -EINVAL, "more than %d --where", CLI_LIST_MAX);
	args->where[args->n_where++] = (struct ch_where){ key, eq + 1 };
	return 0;
}

static int set_number(double *to, const struct cli_opt *o, const char *value, struct ch_error *err)
{
	char *end;
	double v = strtod(value, &end);

	if (end == value || *end || !(v >= 0) || v > 1e6)
		return ch_fail(err, -EINVAL, "--%s takes a number of pixels, not '%s'", o->name,
		               value);
	*to = v;
	return 0;
}

static int set_count(unsigned *to, const struct cli_opt *o, const char *value, struct ch_error *err)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(value, &end, 10);
	if (end == value || *end || errno || value[0] == '-' || v > INT32_MAX)
		return ch_fail(err, -EINVAL, "--%s takes a whole number, not '%s'", o->name, value);
	*to = (unsigned)v;
	return 0;
}

static int set_time(int64_t *to, const struct cli_opt *o, const char *value, struct ch_error *err)
{
	if (cli_parse_duration(value, to) < 0 || !*to)
		return ch_fail(err, -EINVAL,
		               "--%s takes a time such as 30, 500ms, 5m or 1h, not '%s'", o->name,
		               value);
	return 0;
}

static int set_word(const char **to, const struct cli_opt *o, const char *value,
                    struct ch_error *err)
{
	if (!*value || strchr(value, ','))
		return ch_fail(err, -EINVAL, "--%s takes one %s, not '%s'", o->name, o->arg, value);
	*to = value;
	return 0;
}

static int set(struct cli_args *args, const struct cli_opt *o, const char *value,
               struct ch_error *err)
{
	void *field = (char *)args + o->offset;

	if (o->type == OPT_FLAG) {
		*(bool *)field = true;
		return 0;
	}
	if (!value)
		return ch_fail(err, -EINVAL, "--%s needs a value: %s", o->name, o->arg);
	switch (o->type) {
	case OPT_FLAG:
		break;
	case OPT_TEXT:
		*(const char **)field = value;
		return 0;
	case OPT_LIST:
		return set_list(args, field, o, value, err);
	case OPT_WHERE:
		return set_where(args, value, err);
	case OPT_REGEX:
		return set_regex(field, o, value, err);
	case OPT_WHEN:
		return cli_parse_when(value, field) < 0
		           ? ch_fail(err, -EINVAL,
		                     "--%s takes seconds or milliseconds since the epoch, "
		                     "2024-05-01T12:00:00Z, +10s or -5s; not '%s'",
		                     o->name, value)
		           : 0;
	case OPT_NUMBER:
		return set_number(field, o, value, err);
	case OPT_COUNT:
		return set_count(field, o, value, err);
	case OPT_TIME:
		return set_time(field, o, value, err);
	case OPT_WORD:
		return set_word(field, o, value, err);
	}
	return -EINVAL;
}

/* --- the line -------------------------------------------------------------------------------- */

static const struct cli_opt *find_long(const char *name, size_t n, unsigned command)
{
	for (size_t i = 0; i < cli_n_opts; i++)
		if ((cli_opts[i].commands & command) && strlen(cli_opts[i].name) == n &&
		    !strncmp(cli_opts[i].name, name, n))
			return &cli_opts[i];
	return NULL;
}

static const struct cli_opt *find_letter(char letter, unsigned command)
{
	for (size_t i = 0; i < cli_n_opts; i++)
		if ((cli_opts[i].commands & command) && cli_opts[i].letter == letter)
			return &cli_opts[i];
	return NULL;
}

struct line {
	char **argv;
	int argc, i;
};

/* The next word, as the value of an option; NULL when the line ends. */
static const char *next_word(struct line *l)
{
	return l->i + 1 < l->argc ? l->argv[++l->i] : NULL;
}

static int no_option(const char *name, size_t n, unsigned command, struct ch_error *err)
{
	const struct cli_opt *near = NULL;
	size_t nearest = CLI_NEAR + 1;

	for (size_t i = 0; i < cli_n_opts; i++) {
		size_t d = cli_distance(name, n, cli_opts[i].name);

		if (!(cli_opts[i].commands & command) || d >= nearest)
			continue;
		nearest = d;
		near = &cli_opts[i];
	}
	return near ? ch_fail(err, -EINVAL, "there is no option --%.*s here; is --%s meant?",
	                      (int)n, name, near->name)
	            : ch_fail(err, -EINVAL, "there is no option --%.*s here; see --help", (int)n,
	                      name);
}

static int parse_long(struct line *l, unsigned command, struct cli_args *args, struct ch_error *err)
{
	const char *name = l->argv[l->i] + 2, *value = NULL;
	size_t n = strcspn(name, "=");
	const struct cli_opt *o = find_long(name, n, command);

	if (!o)
		return no_option(name, n, command, err);
	if (name[n] == '=')
		value = name + n + 1;
	if (o->type == OPT_FLAG && value)
		return ch_fail(err, -EINVAL, "--%s takes no value", o->name);
	if (o->type != OPT_FLAG && !value)
		value = next_word(l);
	return set(args, o, value, err);
}

/* -qo FILE, -oFILE. */
static int parse_letters(struct line *l, unsigned command, struct cli_args *args,
                         struct ch_error *err)
{
	for (const char *p = l->argv[l->i] + 1; *p; p++) {
		const struct cli_opt *o = find_letter(*p, command);
		const char *value = NULL;
		int r;

		if (!o)
			return ch_fail(err, -EINVAL, "there is no option -%c here; see --help", *p);
		if (o->type != OPT_FLAG)
			value = p[1] ? p + 1 : next_word(l);
		r = set(args, o, value, err);
		if (r < 0)
			return r;
		if (value)
			break;
	}
	return 0;
}

int cli_parse(int argc, char **argv, unsigned command, struct cli_args *args, struct ch_error *err)
{
	struct line l = { argv, argc, 0 };
	bool only_inputs = false;
	int r = 0;

	*args = (struct cli_args){ .limit = 30, .min_width = -1, .command_at = SIZE_MAX };
	args->inputs = calloc((size_t)argc + 1, sizeof(*args->inputs));
	if (!args->inputs)
		return ch_fail(err, -ENOMEM, "options: %m");
	for (; l.i < argc && r >= 0; l.i++) {
		const char *s = argv[l.i];

		if (only_inputs || s[0] != '-' || !s[1])
			args->inputs[args->n_inputs++] = s;
		else if (!strcmp(s, "--")) {
			only_inputs = true;
			args->command_at = args->n_inputs;
		} else if (s[1] == '-')
			r = parse_long(&l, command, args, err);
		else
			r = parse_letters(&l, command, args, err);
	}
	if (r >= 0 && args->dot && args->simple)
		r = ch_fail(err, -EINVAL, "--dot and --simple are two styles; choose one");
	if (r >= 0 && args->input_format)
		r = ch_reader_check(args->input_format, err);
	return r;
}

void cli_args_done(struct cli_args *args)
{
	struct cli_regex *regexes[] = { &args->thread, &args->include, &args->exclude };

	for (size_t i = 0; i < CH_LEN(regexes); i++)
		if (regexes[i]->set)
			regfree(&regexes[i]->re);
	for (size_t i = 0; i < args->n_owned; i++)
		free(args->owned[i]);
	free(args->inputs);
}
