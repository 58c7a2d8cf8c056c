#include "cli/help.h"
#include "cli/say.h"
#include "formats/inputs.h"
#include "render/outputs.h"

#include <string.h>

/* roff gives meaning to backslashes, to a dot or quote at the start of a line, and to hyphens. */
static void put(FILE *f, const char *text)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			fputs("\\&", f);
		if (*text == '\\')
			fputs("\\e", f);
		else if (*text == '-')
			fputs("\\-", f);
		else
			fputc(*text, f);
		line_start = *text == '\n';
	}
}

static void put_head(FILE *f, const char *name, const char *help)
{
	fprintf(f, ".TH CHARCLOTH%s%s 1 \"\" \"Charcloth %s\" \"Charcloth\"\n", name ? "-" : "",
	        name ? name : "", CH_VERSION);
	fprintf(f, ".SH NAME\ncharcloth%s%s \\- ", name ? "\\-" : "", name ? name : "");
	put(f, help);
	fputs("\n.SH SYNOPSIS\n", f);
}

static void put_option(FILE *f, const struct cli_opt *o)
{
	CH_CLEANUP(ch_buf_done) struct ch_buf help = CH_BUF(4096);

	fputs(".TP\n", f);
	if (o->letter)
		fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB\\-\\-", f);
	put(f, o->name);
	fputs("\\fR", f);
	if (o->arg)
		fprintf(f, " \\fI%s\\fR", o->arg);
	fputc('\n', f);
	cli_opt_help(o, &help);
	put(f, help.err ? o->help : help.data);
	fputc('\n', f);
}

static void put_options(FILE *f, const struct cli_command *c)
{
	const char *group = NULL;

	fputs(".SH OPTIONS\n", f);
	for (size_t i = 0; i < cli_n_opts; i++) {
		if (!(cli_opts[i].commands & c->bit))
			continue;
		if (cli_opts[i].group != group)
			fprintf(f, ".SS %s\n", cli_opts[i].group);
		group = cli_opts[i].group;
		put_option(f, &cli_opts[i]);
	}
}

static void put_formats(FILE *f)
{
	fputs(".SH FORMATS\nRead:\n", f);
	for (size_t i = 0; i < ch_n_readers; i++) {
		fprintf(f, ".TP\n\\fB%s\\fR\n", ch_readers[i].name);
		put(f, ch_readers[i].title);
		fputc('\n', f);
	}
	fputs(".PP\nWritten:\n", f);
	for (size_t i = 0; i < ch_n_outputs; i++) {
		fprintf(f, ".TP\n\\fB%s\\fR\n", ch_outputs[i].name);
		put(f, ch_outputs[i].title);
		fputc('\n', f);
	}
}

static void put_exit_codes(FILE *f)
{
	fputs(".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 partly done: part of the input "
	      "was "
	      "damaged, what could be read was delivered and stderr says what could not.\n",
	      f);
}

static void put_command(FILE *f, const struct cli_command *c)
{
	put_head(f, c->name, c->help);
	fprintf(f, "\\fBcharcloth %s\\fR %s", c->name, c->bit ? "[\\fIOPTION\\fR…] " : "");
	put(f, c->args);
	fputs("\n.SH DESCRIPTION\n", f);
	put(f, c->text);
	fputc('\n', f);
	if (c->bit)
		put_options(f, c);
	if (c->bit & CMD_PROFILES)
		put_formats(f);
	fputs(".SH EXAMPLES\n.nf\n", f);
	put(f, c->examples);
	fputs("\n.fi\n", f);
	put_exit_codes(f);
}

static void put_program(FILE *f)
{
	put_head(f, NULL, "where CPU, time, memory and waiting go");
	fputs("\\fBcharcloth\\fR \\fICOMMAND\\fR …\n.SH COMMANDS\n", f);
	for (size_t i = 0; i < cli_n_commands; i++) {
		fprintf(f, ".TP\n\\fB%s\\fR ", cli_commands[i].name);
		put(f, cli_commands[i].args);
		fputc('\n', f);
		put(f, cli_commands[i].help);
		fputc('\n', f);
	}
	put_exit_codes(f);
	fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nno colours\n.TP\nTMPDIR\nwhere compressed and piped "
	      "input is unpacked\n",
	      f);
}

int cli_print_man(FILE *f, const char *name)
{
	const struct cli_command *c = name ? cli_command(name) : NULL;

	if (name && !c) {
		cli_say_error("there is no such command; `charcloth help` lists them");
		return EXIT_USAGE;
	}
	if (c)
		put_command(f, c);
	else
		put_program(f);
	return EXIT_DONE;
}
