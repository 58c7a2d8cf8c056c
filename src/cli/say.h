/* Words to the user, on stderr: one place knows about colour, quiet and progress. */
#ifndef CH_CLI_SAY_H
#define CH_CLI_SAY_H

#include "base/util.h"

#include <stdbool.h>

/* Call once, before anything is said. Colour only on a terminal and without NO_COLOR. */
void cli_say_init(bool quiet);
/* True when text for this file descriptor may carry colour. */
bool cli_wants_color(int fd);

/* One sentence that ends the work: `charcloth: what, where, what to do`. */
void cli_say_error(const char *sentence);
/* A sentence by the way; silent with --quiet. */
void cli_say_note(const char *fmt, ...) CH_PRINTF(1, 2);
/* Something could not be read: said even with --quiet. */
void cli_say_warning(const char *sentence);

/*
 * A line that shows what is going on while something takes long, on a terminal only. It appears
 * after half a second, with the share of the input that was read.
 */
void cli_progress_start(const char *what, size_t n_inputs);
void cli_progress_input(size_t number, const char *name);
void cli_progress_stop(void);
/* Shows a line of the caller's own instead, at once; cli_progress_stop takes it away. */
void cli_progress_line(const char *line);

#endif
