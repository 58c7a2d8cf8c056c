#include "cli/commands.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>

static void print_choices(const struct cli_opt *o)
{
	const char *word;

	for (size_t i = 0; o->choice && (word = o->choice(i)); i++)
		printf("%s ", word);
}

static void print_bash_command(const struct cli_command *c)
{
	printf("    %s)\n      opts='", c->name);
	for (size_t i = 0; i < cli_n_opts; i++)
		if (cli_opts[i].commands & c->bit)
			printf("--%s ", cli_opts[i].name);
	printf("' ;;\n");
}

static void print_bash(void)
{
	printf("_charcloth() {\n"
	       "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} opts=''\n"
	       "  COMPREPLY=()\n"
	       "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	       "    COMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < cli_n_commands; i++)
		printf("%s ", cli_commands[i].name);
	printf("' -- \"$cur\"))\n    return\n  fi\n  case $prev in\n");
	for (size_t i = 0; i < cli_n_opts; i++) {
		if (!cli_opts[i].choice)
			continue;
		printf("    --%s) COMPREPLY=($(compgen -W '", cli_opts[i].name);
		print_choices(&cli_opts[i]);
		printf("' -- \"$cur\")); return ;;\n");
	}
	printf("  esac\n  case ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < cli_n_commands; i++)
		if (cli_commands[i].bit)
			print_bash_command(&cli_commands[i]);
	printf("    completion) COMPREPLY=($(compgen -W 'bash zsh' -- \"$cur\")); return ;;\n"
	       "    help) opts='' ;;\n  esac\n"
	       "  case $cur in\n"
	       "    -*) COMPREPLY=($(compgen -W \"$opts\" -- \"$cur\")) ;;\n"
	       "    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
	       "  esac\n}\ncomplete -o filenames -F _charcloth charcloth\n");
}

/* zsh takes the text in brackets and after a colon apart: both are quoted away. */
static void print_zsh_text(const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			printf("'\\''");
		else if (*s == '[' || *s == ']' || *s == ':')
			printf("\\%c", *s);
		else
			putchar(*s);
	}
}

static void print_zsh_command(const struct cli_command *c)
{
	printf("    %s)\n      _arguments \\\n", c->name);
	for (size_t i = 0; i < cli_n_opts; i++) {
		CH_CLEANUP(ch_buf_done) struct ch_buf help = CH_BUF(4096);
		const struct cli_opt *o = &cli_opts[i];

		if (!(o->commands & c->bit))
			continue;
		printf("        '--%s[", o->name);
		cli_opt_help(o, &help);
		print_zsh_text(help.err ? o->help : help.data);
		putchar(']');
		if (o->arg) {
			printf(":%s:", o->name);
			if (!strcmp(o->name, "output")) {
				printf("_files");
			} else {
				putchar('(');
				print_choices(o);
				putchar(')');
			}
		}
		printf("' \\\n");
	}
	printf("        '*:file:_files' ;;\n");
}

static void print_zsh(void)
{
	printf("#compdef charcloth\n_charcloth() {\n"
	       "  if (( CURRENT == 2 )); then\n    local -a commands=(\n");
	for (size_t i = 0; i < cli_n_commands; i++) {
		printf("      '%s:", cli_commands[i].name);
		print_zsh_text(cli_commands[i].help);
		printf("'\n");
	}
	printf("    )\n    _describe command commands\n    return\n  fi\n"
	       "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
	for (size_t i = 0; i < cli_n_commands; i++)
		if (cli_commands[i].bit)
			print_zsh_command(&cli_commands[i]);
	printf(
	    "    completion) _values shell bash zsh ;;\n  esac\n}\ncompdef _charcloth charcloth\n");
}

int cli_completion(const struct cli_args *args)
{
	const char *shell = args->n_inputs ? args->inputs[0] : "";

	if (!strcmp(shell, "bash")) {
		print_bash();
	} else if (!strcmp(shell, "zsh")) {
		print_zsh();
	} else {
		cli_say_error("completion is for bash or zsh: charcloth completion bash");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}
