#include "cli/show.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/say.h"
#include "profile/events.h"
#include "render/units.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>

int cli_failed(const struct ch_error *err)
{
	cli_say_error(err->text);
	return EXIT_FAILED;
}

/* Label keys that must be read, NULL-terminated, into keys. */
static void wanted_labels(const struct cli_args *args, const char **keys)
{
	size_t n = 0;

	for (size_t i = 0; i < args->by.n; i++)
		keys[n++] = args->by.item[i];
	for (size_t i = 0; i < args->n_where; i++)
		keys[n++] = args->where[i].key;
	if (args->thread.set || args->threads)
		keys[n++] = "thread";
	if (args->state)
		keys[n++] = "state";
	keys[n] = NULL;
}

static struct ch_select selection(const struct cli_args *args, const struct ch_output *output)
{
	return (struct ch_select){
		.event = args->event,
		.all_events = output->needs.all_events && !args->event,
		.from = args->from,
		.to = args->to,
		.thread = args->thread.set ? &args->thread.re : NULL,
		.include = args->include.set ? &args->include.re : NULL,
		.exclude = args->exclude.set ? &args->exclude.re : NULL,
		.state = args->state,
		.where = args->where,
		.n_where = args->n_where,
		.by = args->by.item,
		.n_by = args->by.n,
		.threads = args->threads,
		.lines = args->lines,
		.annotate = args->annotate,
		.normalize = args->normalize,
		.reverse = args->reverse && !output->needs.turns,
		.keep_kinds = output->needs.kinds,
		.weigh_kinds = output->needs.colors,
		.keep_times = output->needs.times,
		.keep_labels = output->needs.labels,
		.names = args->dot      ? CH_NAMES_DOT
		         : args->simple ? CH_NAMES_SIMPLE
		                        : CH_NAMES_SLASH,
	};
}

static uint32_t word_shown(const struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].samples)
			return p->events[i].word;
	return p->events[0].word;
}

/* Which event is shown, when the user did not say and there are others. */
static void say_events(const struct ch_profile *all, const struct ch_profile *shown,
                       const struct cli_args *args, const struct ch_output *output)
{
	struct ch_buf others = CH_BUF(512);
	const char *text;
	uint32_t word;

	if (args->event || output->needs.all_events || !shown->n_events)
		return;
	text = ch_profile_text(shown, word_shown(shown));
	word = ch_strtab_find(&all->strings, text, strlen(text));
	for (size_t i = 0; i < all->n_events; i++) {
		int64_t samples = ch_events_count(all, i);

		if (!samples || all->events[i].word == word)
			continue;
		ch_buf_printf(&others, "%s%s (", others.len ? ", " : "",
		              ch_profile_text(all, all->events[i].word));
		ch_put_grouped(&others, samples);
		ch_buf_puts(&others, samples == 1 ? " event)" : " events)");
	}
	ch_buf_putc(&others, 0);
	if (others.len > 1)
		cli_say_note("showing %s; %s the others: %s", ch_profile_text(all, word),
		             args->events.n ? "-o x.html or x.jfr has" : "--event chooses among",
		             others.err ? "many" : others.data);
	ch_buf_done(&others);
}

static bool has_label(const struct ch_profile *p, const char *key)
{
	uint32_t id = ch_strtab_find(&p->strings, key, strlen(key));

	for (size_t i = 0; id && i < p->n_labels; i++)
		if (p->labels[i].key == id)
			return true;
	return false;
}

/* A misspelt label would put everything under one root and say nothing. */
static void say_labels(const struct ch_profile *all, const struct cli_args *args)
{
	for (size_t i = 0; i < args->by.n; i++)
		if (!has_label(all, args->by.item[i]))
			cli_say_note("no sample has the label '%s'", args->by.item[i]);
	if (args->threads && !has_label(all, "thread"))
		cli_say_note("no sample names its thread");
}

/* Recorders that measure one thing in different units cannot be added up by --total. */
static void say_units(const struct ch_profile *shown, const struct cli_args *args)
{
	const struct ch_event *first = NULL;

	for (size_t i = 0; args->total && i < shown->n_events; i++) {
		const struct ch_event *e = &shown->events[i];

		if (!e->samples)
			continue; /* of the file, but not shown */
		if (!first)
			first = e;
		if (e->unit == first->unit)
			continue;
		cli_say_note("--total adds up %s (%s) and %s (%s); --event chooses one",
		             ch_profile_text(shown, first->type),
		             ch_profile_text(shown, first->unit), ch_profile_text(shown, e->type),
		             ch_profile_text(shown, e->unit));
		return;
	}
}

static void say_notes(const struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_notes; i++) {
		if (p->damaged)
			cli_say_warning(p->notes[i]);
		else
			cli_say_note("%s", p->notes[i]);
	}
	if (p->notes_lost)
		cli_say_note("%zu more notes of this sort", p->notes_lost);
}

int cli_open(const char *const *inputs, size_t n, const struct cli_args *args,
             const struct ch_output *output, struct ch_profile **ret, struct ch_error *err)
{
	const char *keys[2 * CLI_LIST_MAX + 4];
	struct ch_select how = selection(args, output);
	struct ch_want want = {
		.times = output->needs.times || args->from.kind || args->to.kind,
		.lines = args->lines || output->needs.lines,
		.no_kinds = !how.keep_kinds && !how.weigh_kinds && !how.annotate &&
		            !how.normalize && how.names == CH_NAMES_SLASH,
		.all_labels = output->needs.labels,
		.labels = keys,
		.event = args->event,
		.as_recorded = output->needs.kinds && !args->event,
		.one_event = !args->event && !output->needs.all_events,
		.series = output->needs.series,
	};
	struct ch_profile *p;
	int r;

	wanted_labels(args, keys);
	r = cli_load(inputs, n, args, &want, &p, err);
	if (r < 0)
		return r;
	r = ch_select(p, &how, ret, err);
	say_notes(p);
	if (r >= 0)
		say_events(p, *ret, args, output);
	if (r >= 0)
		say_labels(p, args);
	if (r >= 0 && !output->needs.all_events)
		say_units(*ret, args);
	if (r < 0 || *ret != p)
		ch_profile_free(p);
	return r;
}

static unsigned terminal_columns(void)
{
	struct winsize w;

	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col)
		return w.ws_col;
	return 0;
}

int cli_check_overwrite(const struct cli_args *args, const char *output, struct ch_error *err)
{
	struct stat in, out;

	if (stat(output, &out) < 0 || !S_ISREG(out.st_mode))
		return 0;
	for (size_t i = 0; i < args->n_inputs; i++)
		if (!stat(args->inputs[i], &in) && in.st_dev == out.st_dev &&
		    in.st_ino == out.st_ino)
			return ch_fail(err, -EINVAL, "'%s' is an input too; write to another name",
			               output);
	return 0;
}

int cli_view_check(const struct cli_args *args, struct ch_error *err)
{
	enum ch_color_mode mode;

	return args->colors ? ch_color_mode_parse(args->colors, &mode, err) : 0;
}

struct ch_view cli_view(const struct cli_args *args, const struct ch_profile *p)
{
	bool to_stdout = !args->output || !strcmp(args->output, "-");
	enum ch_color_mode colors = CH_COLORS_KIND;

	if (args->colors)
		(void)ch_color_mode_parse(args->colors, &colors, NULL);
	return (struct ch_view){
		.profile = p,
		.metric = args->total ? CH_METRIC_VALUE : CH_METRIC_SAMPLES,
		.title = args->title,
		.sources = args->inputs,
		.n_sources = args->n_inputs,
		.generated_s = time(NULL),
		.label_levels = (unsigned)args->by.n + args->threads,
		.by = args->by.n ? args->by.item[0] : NULL,
		.picture = {
			.width = (unsigned)args->width,
			.frame_height = (unsigned)args->frame_height,
			.min_width = args->min_width,
			.colors = colors,
			.inverted = args->inverted,
			.reverse = args->reverse,
		},
		.text = {
			.limit = args->limit ? args->limit : SIZE_MAX,
			.by_total = args->sort_total,
			.columns = to_stdout ? terminal_columns() : 0,
			.color = to_stdout && cli_wants_color(STDOUT_FILENO),
		},
	};
}

int cli_write(const struct ch_output *output, const struct ch_view *view, const char *path)
{
	struct ch_error err;
	struct ch_out *out;
	int r = ch_out_open(path, &out, &err);

	if (r < 0)
		return cli_failed(&err);
	cli_progress_start("writing", 0);
	r = output->write(view, out, &err);
	if (r < 0)
		ch_out_abort(out);
	else
		r = ch_out_commit(out, &err);
	cli_progress_stop();
	if (r < 0)
		return cli_failed(&err);
	if (strcmp(path, "-") != 0)
		cli_say_note("wrote %s", path);
	return view->profile->damaged ? EXIT_PARTLY : EXIT_DONE;
}
