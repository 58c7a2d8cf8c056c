/* What convert, diff and top share: from arguments to a selected profile, from there to a file. */
#ifndef CH_CLI_SHOW_H
#define CH_CLI_SHOW_H

#include "cli/options.h"
#include "render/outputs.h"

/*
 * Loads the inputs for an output format and selects what the arguments ask for. The output's needs
 * decide what is read at all. Notes of the readers are said. Returns 0 or a negative errno.
 */
int cli_open(const char *const *inputs, size_t n, const struct cli_args *args,
             const struct ch_output *output, struct ch_profile **ret, struct ch_error *err);

/* 0, or -EINVAL with a sentence when the output would overwrite one of the inputs. */
int cli_check_overwrite(const struct cli_args *args, const char *output, struct ch_error *err);
/* 0, or -EINVAL with a sentence when a drawing option has no such value. */
int cli_view_check(const struct cli_args *args, struct ch_error *err);
/* A view of p with the arguments' drawing and text options. */
struct ch_view cli_view(const struct cli_args *args, const struct ch_profile *p);

/* Writes the view to path and says so; one of EXIT_…, 3 when the profile is damaged. */
int cli_write(const struct ch_output *output, const struct ch_view *view, const char *path);

/* Prints the sentence and returns EXIT_FAILED. */
int cli_failed(const struct ch_error *err);

#endif
