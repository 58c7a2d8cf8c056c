#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"

#include <errno.h>
#include <stdio.h>

/* Without -o: a page in the current folder, named after the first input. */
static char *default_output(const char *input)
{
	const char *slash = strrchr(input, '/');
	const char *base = slash && slash[1] ? slash + 1 : input;
	size_t n = strcspn(base, ".");
	char *path;

	if (!strcmp(input, "-"))
		return strdup("flame.html");
	while (n && base[n - 1] == '/')
		n--;
	if (!n) /* a name that begins with a dot */
		n = strlen(base);
	return asprintf(&path, "%.*s.html", (int)n, base) < 0 ? NULL : path;
}

int cli_convert(const struct cli_args *args)
{
	CH_CLEANUP(ch_freep) char *made = NULL;
	CH_CLEANUP(ch_profile_freep) struct ch_profile *p = NULL;
	const struct ch_output *output;
	const char *path = args->output;
	struct ch_view view;
	struct ch_error err;

	if (!args->n_inputs) {
		cli_say_error("convert needs an input: charcloth convert recording.jfr -o "
		              "flame.html (- is stdin)");
		return EXIT_USAGE;
	}
	if (!path && args->format)
		path = "-";
	if (!path) {
		made = default_output(args->inputs[0]);
		if (!made) {
			ch_fail(&err, -ENOMEM, "convert: %m");
			return cli_failed(&err);
		}
		path = made;
	}
	if (ch_output_find(path, args->format, &output, &err) < 0 ||
	    cli_view_check(args, &err) < 0 || cli_check_overwrite(args, path, &err) < 0) {
		cli_say_error(err.text);
		return EXIT_USAGE;
	}
	if (cli_open(args->inputs, args->n_inputs, args, output, &p, &err) < 0)
		return cli_failed(&err);
	view = cli_view(args, p);
	return cli_write(output, &view, path);
}
