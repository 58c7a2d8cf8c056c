#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"
#include "profile/diff.h"
#include "profile/events.h"

#include <errno.h>

static bool has_word(const struct ch_profile *p, const char *word)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].samples && !strcmp(ch_profile_text(p, p->events[i].word), word))
			return true;
	return false;
}

/* CPU on one side and waiting on the other is no difference: some event must be on both. */
static int check_events(const struct ch_profile *before, const struct ch_profile *after,
                        struct ch_error *err)
{
	for (size_t i = 0; i < before->n_events; i++)
		if (before->events[i].samples &&
		    has_word(after, ch_profile_text(before, before->events[i].word)))
			return 0;
	return ch_fail(err, -EINVAL,
	               "the first input has %s samples, the second %s; --event names one that "
	               "both have",
	               ch_events_default(before), ch_events_default(after));
}

/* Two runs never share the numbers of made-up classes: without them frames find each other. */
static int open_both(const struct cli_args *args, const struct ch_output *output,
                     struct ch_profile **ret, struct ch_error *err)
{
	CH_CLEANUP(ch_profile_freep) struct ch_profile *before = NULL;
	CH_CLEANUP(ch_profile_freep) struct ch_profile *after = NULL;
	struct cli_args both = *args;
	int r;

	both.normalize = true;
	r = cli_open(args->inputs, 1, &both, output, &before, err);
	if (r >= 0)
		r = cli_open(args->inputs + 1, 1, &both, output, &after, err);
	if (r >= 0)
		r = check_events(before, after, err);
	if (r < 0)
		return r;
	*ret = ch_diff_join(before, after);
	if (!*ret)
		return ch_fail(err, -ENOMEM, "diff: %m");
	return ch_profile_status(*ret, err);
}

int cli_diff(const struct cli_args *args)
{
	CH_CLEANUP(ch_profile_freep) struct ch_profile *p = NULL;
	const char *path = args->output ? args->output : "-";
	const char *format = args->format || args->output ? args->format : "top";
	const struct ch_output *output;
	struct ch_view view;
	struct ch_error err;

	if (args->n_inputs != 2) {
		cli_say_error(
		    "diff compares two inputs: charcloth diff before.jfr after.jfr -o x.html");
		return EXIT_USAGE;
	}
	if (ch_output_find(path, format, &output, &err) < 0 || cli_view_check(args, &err) < 0 ||
	    cli_check_overwrite(args, path, &err) < 0) {
		cli_say_error(err.text);
		return EXIT_USAGE;
	}
	if (!output->diff) {
		ch_fail(&err, -EINVAL,
		        "a difference cannot be written as %s; use html, svg, "
		        "collapsed, txt or json",
		        output->name);
		cli_say_error(err.text);
		return EXIT_USAGE;
	}
	if (open_both(args, output, &p, &err) < 0)
		return cli_failed(&err);
	if (!args->absolute && output->needs.plain)
		ch_diff_normalize(p);
	view = cli_view(args, p);
	view.diff.before = args->inputs[0];
	view.diff.after = args->inputs[1];
	view.diff.normalized = !args->absolute;
	return cli_write(output, &view, path);
}
