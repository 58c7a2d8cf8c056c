#include "cli/help.h"
#include "cli/say.h"
#include "base/buf.h"
#include "formats/inputs.h"
#include "render/names.h"
#include "render/outputs.h"

#include <stdio.h>

#define TEXT_WIDTH 80

struct style {
	const char *bold, *off;
};

static struct style style_for(int fd)
{
	return cli_wants_color(fd) ? (struct style){ "\033[1m", "\033[0m" }
	                           : (struct style){ "", "" };
}

/* Prints text broken at spaces, starting at column `at`, further lines indented to `indent`. */
static void wrap(FILE *f, const char *text, int at, int indent)
{
	bool first = true;

	while (*text) {
		size_t n = strcspn(text, " ");
		int width = (int)ch_name_chars(text, n);

		if (!first && at + 1 + width > TEXT_WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', f);
			at++;
		}
		fprintf(f, "%.*s", (int)n, text);
		at += width;
		text += n + (text[n] == ' ');
		first = false;
	}
	fputc('\n', f);
}

static void print_option(FILE *f, const struct cli_opt *o)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf help = CH_BUF(4096);
	char left[64];
	int n = o->letter ? snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name,
	                             o->arg ? " " : "", o->arg ? o->arg : "")
	                  : snprintf(left, sizeof(left), "      --%s%s%s", o->name,
	                             o->arg ? " " : "", o->arg ? o->arg : "");

	fprintf(f, "%-28s", left);
	if (n > 27)
		fprintf(f, "\n%28s", "");
	cli_opt_help(o, &help);
	wrap(f, help.err ? o->help : help.data, 28, 28);
}

static void print_options(FILE *f, unsigned command, struct style s)
{
	const char *group = NULL;

	for (size_t i = 0; i < cli_n_opts; i++) {
		const struct cli_opt *o = &cli_opts[i];

		if (!(o->commands & command))
			continue;
		if (o->group != group)
			fprintf(f, "\n%s%s%s\n", s.bold, o->group, s.off);
		group = o->group;
		print_option(f, o);
	}
}

static void print_formats(FILE *f, struct style s)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf in = CH_BUF(4096), out = CH_BUF(4096);

	for (size_t i = 0; i < ch_n_readers; i++)
		ch_buf_printf(&in, "%s%s", i ? ", " : "", ch_readers[i].name);
	for (size_t i = 0; i < ch_n_outputs; i++)
		ch_buf_printf(&out, "%s%s", i ? ", " : "", ch_outputs[i].name);
	ch_buf_putc(&in, 0);
	ch_buf_putc(&out, 0);
	if (in.err || out.err)
		return;
	fprintf(f, "\n%sFormats%s\n  read:  ", s.bold, s.off);
	wrap(f, in.data, 9, 9);
	fprintf(f, "  write: ");
	wrap(f, out.data, 9, 9);
}

void cli_print_help(FILE *f, const struct cli_command *c)
{
	struct style s = style_for(fileno(f));
	const char *line = c->examples;

	fprintf(f, "%sUsage:%s charcloth %s%s%s%s\n\n", s.bold, s.off, c->name,
	        c->bit ? " [OPTION…]" : "", *c->args ? " " : "", c->args);
	wrap(f, c->text, 0, 0);
	if (c->bit) {
		print_options(f, c->bit, s);
		if (c->bit & CMD_PROFILES)
			print_formats(f, s);
	}
	fprintf(f, "\n%sExamples%s\n", s.bold, s.off);
	while (*line) {
		size_t n = strcspn(line, "\n");

		fprintf(f, "  %.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

void cli_print_usage(FILE *f)
{
	struct style s = style_for(fileno(f));

	fprintf(f,
	        "Charcloth %s: where CPU, time, memory and waiting go.\n\n"
	        "%sUsage:%s charcloth COMMAND …\n\n%sCommands%s\n",
	        CH_VERSION, s.bold, s.off, s.bold, s.off);
	for (size_t i = 0; i < cli_n_commands; i++)
		fprintf(f, "  %-12s%s\n", cli_commands[i].name, cli_commands[i].help);
	fprintf(f, "\n`charcloth COMMAND --help` explains one. Start with:\n"
	           "  charcloth convert recording.jfr -o flame.html\n");
}

int cli_help(const struct cli_args *args)
{
	const struct cli_command *c;

	if (!args->n_inputs) {
		cli_print_usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(args->inputs[0], "man"))
		return cli_print_man(stdout, args->n_inputs > 1 ? args->inputs[1] : NULL);
	c = cli_command(args->inputs[0]);
	if (!c) {
		cli_say_error("there is no such command; `charcloth help` lists them");
		return EXIT_USAGE;
	}
	cli_print_help(stdout, c);
	return EXIT_DONE;
}

int cli_version(const struct cli_args *args)
{
	(void)args;
	printf("charcloth %s\n", CH_VERSION);
	return EXIT_DONE;
}
