#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"
#include "cli/target.h"

#include <stdio.h>

/* Lines are shown as they come: a JVM with ten thousand threads has megabytes of them. */
static int print(void *ctx, const char *data, size_t n)
{
	(void)ctx;
	cli_print_text(data, n);
	return 0;
}

int cli_threads(const struct cli_args *args)
{
	const char *words[CH_ATTACH_ARGS] = { args->locks ? "-l" : NULL };
	struct ch_attach a;
	struct ch_error err;
	int r = cli_attach(args, "threads", &a);

	if (r)
		return r;
	r = ch_attach_send(&a, "threaddump", words, print, NULL, &err);
	ch_attach_close(&a);
	if (r < 0)
		return cli_failed(&err);
	if (r > 0)
		cli_say_error("the JVM could not make a thread dump");
	return r ? EXIT_FAILED : EXIT_DONE;
}
