#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"

int cli_top(const struct cli_args *args)
{
	CH_CLEANUP(ch_profile_freep) struct ch_profile *p = NULL;
	const struct ch_output *output;
	struct ch_view view;
	struct ch_error err;

	if (!args->n_inputs) {
		cli_say_error("top needs an input: charcloth top recording.jfr (- is stdin)");
		return EXIT_USAGE;
	}
	if (ch_output_find("-", args->json ? "top-json" : "top", &output, &err) < 0 ||
	    cli_open(args->inputs, args->n_inputs, args, output, &p, &err) < 0)
		return cli_failed(&err);
	view = cli_view(args, p);
	return cli_write(output, &view, "-");
}
