/*
 * The options of all commands: one table that parsing, --help, man pages and completion read.
 */
#ifndef CH_CLI_OPTIONS_H
#define CH_CLI_OPTIONS_H

#include "profile/select.h"
#include "profile/tree.h"

/* Bits that say which commands take an option. */
enum {
	CMD_CONVERT = 1,
	CMD_DIFF = 2,
	CMD_TOP = 4,
	CMD_LIST = 8,
	CMD_THREADS = 16,
	CMD_HEAP = 32,
	CMD_PERFMAP = 64,
	CMD_RECORD = 128,
	CMD_START = 256,
	CMD_STOP = 512,
	CMD_DUMP = 1024,
	CMD_STATUS = 2048,
	CMD_SPARK_CONF = 4096,
	CMD_OTHER = 1 << 30,                                      /* takes words, not options */
	CMD_FILES = CMD_CONVERT | CMD_DIFF | CMD_TOP,             /* all that read profiles */
	CMD_SHOW = CMD_FILES | CMD_STOP | CMD_DUMP,               /* that show one */
	CMD_PROFILES = CMD_SHOW | CMD_RECORD,                     /* that or make one first */
	CMD_WRITE = CMD_CONVERT | CMD_DIFF | CMD_STOP | CMD_DUMP, /* and write it */
	CMD_BEGIN = CMD_RECORD | CMD_START,                       /* that begin a recording */
	CMD_AGENT = CMD_BEGIN | CMD_STOP | CMD_DUMP | CMD_STATUS, /* that talk to the agent */
	CMD_PROCESS = CMD_LIST | CMD_THREADS | CMD_HEAP | CMD_PERFMAP, /* that look at processes */
	CMD_ALL = CMD_PROFILES | CMD_AGENT | CMD_PROCESS | CMD_SPARK_CONF | CMD_OTHER,
};

#define CLI_LIST_MAX 32

struct cli_list {
	const char *item[CLI_LIST_MAX];
	size_t n;
};

struct cli_regex {
	regex_t re;
	bool set;
};

/* What the user typed. Strings are borrowed from argv, except those of `owned`. */
struct cli_args {
	const char **inputs;
	size_t n_inputs;
	const char *output, *format, *input_format;

	const char *event, *state;
	struct ch_when from, to;
	struct cli_regex thread, include, exclude;
	struct ch_where where[CLI_LIST_MAX];
	size_t n_where;
	struct cli_list by;
	bool threads, lines, total, reverse, inverted, dot, simple, annotate, normalize, absolute,
	    sort_total;

	const char *title, *colors;
	double width, frame_height, min_width; /* 0, 0 and -1: the format's own */
	unsigned limit, cores;
	bool quiet, json, help;
	bool live, locks;

	/* Recordings. Texts go to the agent as they are. */
	int64_t duration_ns; /* 0: not given */
	struct cli_list events;
	const char *interval, *alloc, *wall, *lock, *chunksize, *chunktime, *loop, *depth,
	    *memlimit, *maxoverhead, *library;
	bool filter, children;

	/* The Spark plugin's. */
	const char *executors, *flush, *tags, *jar;
	bool no_driver;
	size_t
	    command_at; /* in inputs: where the words behind -- begin; SIZE_MAX: there is no -- */

	char *owned[2 * CLI_LIST_MAX];
	size_t n_owned;
};

enum cli_opt_type {
	OPT_FLAG,   /* bool */
	OPT_TEXT,   /* const char * */
	OPT_LIST,   /* struct cli_list, comma-separated, adds up */
	OPT_WHERE,  /* where[] */
	OPT_REGEX,  /* struct cli_regex */
	OPT_WHEN,   /* struct ch_when */
	OPT_NUMBER, /* double >= 0 */
	OPT_COUNT,  /* unsigned */
	OPT_TIME,   /* int64_t ns > 0; a bare number is seconds */
	OPT_WORD,   /* const char *, goes between commas: has none itself */
};

struct cli_opt {
	const char *name; /* without the dashes */
	char letter;      /* or 0 */
	unsigned commands;
	enum cli_opt_type type;
	size_t offset;     /* in struct cli_args */
	const char *arg;   /* as shown in help; NULL for flags */
	const char *help;  /* behind a colon at its end the words of `choice` are listed */
	const char *group; /* heading in help; the table is ordered by it */
	/* The i-th word that the option takes, NULL behind the last; NULL: files or free text. */
	const char *(*choice)(size_t i);
};

/* The help of an option, with its words where it lists them; appended to b, with a NUL. */
void cli_opt_help(const struct cli_opt *o, struct ch_buf *b);

extern const struct cli_opt cli_opts[];
extern const size_t cli_n_opts;

/*
 * Parses argv[0..argc) (behind the command's name) for a command. Returns 0, or -EINVAL with a
 * sentence. On success and failure alike cli_args_done frees what was made.
 */
int cli_parse(int argc, char **argv, unsigned command, struct cli_args *args, struct ch_error *err);
void cli_args_done(struct cli_args *args);

/* 30, 30s, 5m, 1h, 250ms. 0 or -EINVAL. */
int cli_parse_duration(const char *s, int64_t *ret_ns);
/* +10s, -5s, seconds or milliseconds since the epoch, or ISO 8601. 0 or -EINVAL. */
int cli_parse_when(const char *s, struct ch_when *ret);

#endif
