#include "cli/recording.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "cli/show.h"
#include "base/span.h"
#include "codec/pack.h"
#include "sys/map.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define ZSTD_LEVEL 9
#define GZIP_LEVEL 6

/* --- what the agent is told ---------------------------------------------------------------------- */

static void put_option(struct ch_buf *b, const char *name, const char *value)
{
	if (value)
		ch_buf_printf(b, ",%s=%s", name, value);
}

/* Events with a measure of their own; all others are names for event=. */
static void put_event(struct ch_buf *b, const struct cli_args *args, const char *event)
{
	/* The one event that is asked for has the one interval that is given. */
	const char *only = args->events.n == 1 ? args->interval : NULL;
	const struct {
		const char *name, *value;
	} own[] = {
		{ "wall", args->wall ? args->wall : only },
		{ "alloc", args->alloc ? args->alloc : only },
		{ "lock", args->lock ? args->lock : only },
		{ "live", NULL },
	};

	for (size_t i = 0; i < CH_LEN(own); i++) {
		if (strcmp(event, own[i].name) != 0)
			continue;
		ch_buf_printf(b, ",%s", event);
		if (own[i].value)
			ch_buf_printf(b, "=%s", own[i].value);
		return;
	}
	put_option(b, "event", event);
	put_option(b, "interval", args->interval);
}

static bool has_event(const struct cli_args *args, const char *event)
{
	for (size_t i = 0; i < args->events.n; i++)
		if (!strcmp(args->events.item[i], event))
			return true;
	return false;
}

void cli_recording_options(const struct cli_args *args, struct ch_buf *b)
{
	ch_buf_puts(b, "start");
	for (size_t i = 0; i < args->events.n; i++)
		put_event(b, args, args->events.item[i]);
	/* Measures without an -e stand beside the default event. */
	if (!args->events.n)
		put_event(b, args, "cpu");
	if (!has_event(args, "wall"))
		put_option(b, "wall", args->wall);
	if (!has_event(args, "alloc"))
		put_option(b, "alloc", args->alloc);
	if (!has_event(args, "lock"))
		put_option(b, "lock", args->lock);
	if (args->live && !has_event(args, "live"))
		ch_buf_puts(b, ",live");
	if (args->filter)
		ch_buf_puts(b, ",filter");
	put_option(b, "jstackdepth", args->depth);
	put_option(b, "maxoverhead", args->maxoverhead);
	put_option(b, "memlimit", args->memlimit);
	put_option(b, "chunksize", args->chunksize);
	put_option(b, "chunktime", args->chunktime);
	put_option(b, "loop", args->loop);
}

/* --- where it goes ------------------------------------------------------------------------------- */

enum packing {
	CONVERTED, /* by a writer */
	PLAIN,     /* the recording itself */
	GZIP,
	ZSTD,
};

static bool ends(const char *path, const char *with)
{
	return ch_span_ends((struct ch_span){ path, strlen(path) }, with);
}

/* True when something is left out or renamed: then a .jfr too is written anew. */
static bool selects(const struct cli_args *args)
{
	return args->event || args->from.kind || args->to.kind || args->thread.set || args->state ||
	       args->include.set || args->exclude.set || args->n_where || args->by.n ||
	       args->threads || args->lines || args->dot || args->simple || args->normalize ||
	       args->annotate || args->reverse;
}

static enum packing packing_for(const struct cli_args *args)
{
	const char *path = args->output ? args->output : "-";
	bool named = !args->format || !strcmp(args->format, "jfr");

	if (!named)
		return CONVERTED;
	if (ends(path, ".jfr.zst"))
		return ZSTD;
	if (ends(path, ".jfr.gz"))
		return GZIP;
	return (ends(path, ".jfr") || args->format) && !selects(args) ? PLAIN : CONVERTED;
}

static int find_output(const struct cli_args *args, const struct ch_output **ret,
                       struct ch_error *err)
{
	const char *format = args->format;

	if (!args->output && !format)
		format = "top";
	return ch_output_find(args->output ? args->output : "-", format, ret, err);
}

static int check_folder(const char *output, struct ch_error *err)
{
	char copy[PATH_MAX];
	struct stat st;

	if (strlen(output) >= sizeof(copy))
		return ch_fail(err, -ENAMETOOLONG, "the output name is too long");
	if (!stat(output, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0; /* a pipe or a device */
	if (!stat(output, &st) && S_ISDIR(st.st_mode))
		return ch_fail(err, -EISDIR, "write '%s': it is a folder", output);
	(void)snprintf(copy, sizeof(copy), "%s", output);
	if (access(dirname(copy), W_OK | X_OK) < 0)
		return ch_fail(err, -errno, "write '%s': %m", output);
	return 0;
}

int cli_recording_check(const struct cli_args *args)
{
	const struct ch_output *output;
	struct ch_error err;

	if ((packing_for(args) == CONVERTED && find_output(args, &output, &err) < 0) ||
	    cli_view_check(args, &err) < 0) {
		cli_say_error(err.text);
		return EXIT_USAGE;
	}
	if (packing_for(args) != CONVERTED && packing_for(args) != PLAIN && selects(args)) {
		cli_say_error("a packed recording holds everything: select when converting it");
		return EXIT_USAGE;
	}
	if (args->output && strcmp(args->output, "-") != 0 && check_folder(args->output, &err) < 0)
		return cli_failed(&err);
	return EXIT_DONE;
}

/* --- the recording as it is ---------------------------------------------------------------------- */

static int to_out(void *ctx, const uint8_t *data, size_t n)
{
	ch_out_write(ctx, data, n);
	return 0;
}

static int copy_file(const char *path, struct ch_packer *k, struct ch_out *out,
                     struct ch_error *err)
{
	CH_CLEANUP(ch_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct ch_map m = { 0 };
	int r = fd < 0 ? ch_fail(err, -errno, "open '%s': %m", path) : ch_map_fd(fd, path, &m, err);

	if (r < 0)
		return r;
	if (k)
		ch_packer_put(k, m.data, m.size);
	else
		ch_out_write(out, m.data, m.size);
	ch_map_done(&m);
	return 0;
}

/* Recordings behind each other are a recording: each chunk stands for itself. */
static int copy_files(enum packing packing, const char *const *files, size_t n, struct ch_out *out,
                      struct ch_error *err)
{
	struct ch_packer *k = NULL;
	int r = 0, packed = 0;

	if (packing == ZSTD)
		k = ch_packer_new(CH_PACK_ZSTD, ZSTD_LEVEL, to_out, out);
	else if (packing == GZIP)
		k = ch_packer_new(CH_PACK_GZIP, GZIP_LEVEL, to_out, out);
	if (!k && packing != PLAIN)
		return ch_fail(err, -ENOMEM, "pack: %m");
	for (size_t i = 0; i < n && r >= 0; i++)
		r = copy_file(files[i], k, out, err);
	if (k)
		packed = ch_packer_finish(k);
	ch_packer_free(k);
	return r < 0 ? r : packed < 0 ? ch_fail(err, packed, "pack: %m") : 0;
}

static int deliver_as_is(const struct cli_args *args, enum packing packing,
                         const char *const *files, size_t n)
{
	const char *path = args->output ? args->output : "-";
	struct ch_error err;
	struct ch_out *out;
	int r = ch_out_open(path, &out, &err);

	if (r < 0)
		return cli_failed(&err);
	r = copy_files(packing, files, n, out, &err);
	if (r < 0)
		ch_out_abort(out);
	else
		r = ch_out_commit(out, &err);
	if (r < 0)
		return cli_failed(&err);
	if (strcmp(path, "-") != 0)
		cli_say_note("wrote %s", path);
	return EXIT_DONE;
}

int cli_recording_deliver(const struct cli_args *args, const char *const *files, size_t n,
                          const char *source)
{
	CH_CLEANUP(ch_profile_freep) struct ch_profile *p = NULL;
	enum packing packing = packing_for(args);
	const struct ch_output *output;
	struct ch_error err;
	struct ch_view view;

	if (packing != CONVERTED)
		return deliver_as_is(args, packing, files, n);
	if (find_output(args, &output, &err) < 0 || cli_open(files, n, args, output, &p, &err) < 0)
		return cli_failed(&err);
	view = cli_view(args, p);
	view.sources = &source;
	view.n_sources = 1;
	return cli_write(output, &view, args->output ? args->output : "-");
}
