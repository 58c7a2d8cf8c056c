#include "cli/load.h"
#include "cli/say.h"
#include "base/vec.h"
#include "formats/inputs.h"
#include "profile/events.h"
#include "sys/par.h"

#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <sys/stat.h>

#define FILES_MAX ((size_t)1 << 20)

struct file {
	char *path;
	const char *label; /* points into path */
	bool found;        /* below a folder: passed over when it is no profile */
};

struct files {
	struct file *item;
	size_t n, cap;
	size_t links;            /* in folders, left where they are */
	size_t closed;           /* folders that could not be walked through */
	struct ch_error closed1; /* why the first of them could not */
};

static void files_done(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->item[i].path);
	free(f->item);
}

static int add_file(struct files *f, const char *path, size_t label_at, bool found)
{
	char *copy;

	if (f->n >= FILES_MAX || CH_ROOM(f->item, f->cap, f->n + 1) < 0)
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	f->item[f->n++] = (struct file){ copy, copy + label_at, found };
	return 0;
}

/* --- what the user named --------------------------------------------------------------------- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/*
 * Hidden files and folders are left out. Links are not followed, lest a file that is also reached
 * by its own name counts twice.
 */
static int add_found(struct files *f, FTS *walk, FTSENT *e, size_t label_at)
{
	bool hidden = e->fts_level > 0 && e->fts_name[0] == '.';

	switch (e->fts_info) {
	case FTS_D:
		return hidden ? fts_set(walk, e, FTS_SKIP) : 0;
	case FTS_F:
		return hidden ? 0 : add_file(f, e->fts_path, label_at, true);
	case FTS_SL:
	case FTS_SLNONE:
		f->links += !hidden;
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (!f->closed++)
			ch_fail(&f->closed1, -e->fts_errno, "open '%s': %m", e->fts_path);
		return 0;
	default:
		return 0;
	}
}

static int add_folder(struct files *f, const char *path, struct ch_error *err)
{
	char *roots[] = { (char *)path, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	size_t before = f->n, label_at = strlen(path);
	FTSENT *e;
	int r = 0;

	if (!walk)
		return ch_fail(err, -errno, "open '%s': %m", path);
	label_at += path[label_at - 1] != '/';
	while (!r && (errno = 0, e = fts_read(walk)))
		r = add_found(f, walk, e, label_at);
	if (!r && errno)
		r = -errno;
	fts_close(walk);
	if (r < 0)
		return ch_fail(err, r, "open '%s': %m", path);
	if (f->n > before)
		return 0;
	if (f->closed) {
		*err = f->closed1;
		return err->code;
	}
	return ch_fail(err, -ENOENT, "there are no files in '%s'", path);
}

static size_t base_name_at(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? (size_t)(slash + 1 - path) : 0;
}

/* A pattern that the shell was kept from expanding. */
static int add_pattern(struct files *f, const char *pattern, struct ch_error *err)
{
	glob_t g;
	int r = glob(pattern, 0, NULL, &g);

	if (r)
		return ch_fail(err, -ENOENT, "nothing matches '%s'", pattern);
	for (size_t i = 0; i < g.gl_pathc && !r; i++) {
		struct stat st;

		if (stat(g.gl_pathv[i], &st) < 0)
			st.st_mode = S_IFREG; /* opening it will say why */
		if (S_ISDIR(st.st_mode))
			r = add_folder(f, g.gl_pathv[i], err);
		else if (!S_ISREG(st.st_mode))
			continue; /* a pipe that nobody named could be waited on for ever */
		else if (add_file(f, g.gl_pathv[i], base_name_at(g.gl_pathv[i]), false) < 0)
			r = ch_fail(err, -ENOMEM, "open '%s': %m", pattern);
	}
	globfree(&g);
	return r;
}

static int add_input(struct files *f, const char *path, struct ch_error *err)
{
	struct stat st = { 0 };
	bool from_stdin = !strcmp(path, "-");

	if (!from_stdin && stat(path, &st) < 0) {
		if (errno == ENOENT && strpbrk(path, "*?["))
			return add_pattern(f, path, err);
		return ch_fail(err, -errno, "open '%s': %m", path);
	}
	if (S_ISDIR(st.st_mode))
		return add_folder(f, path, err);
	return add_file(f, path, base_name_at(path), false) < 0
	           ? ch_fail(err, -ENOMEM, "open '%s': %m", path)
	           : 0;
}

static int by_label(const void *a, const void *b)
{
	const struct file *const *x = a, *const *y = b;

	return strcmp((*x)->label, (*y)->label);
}

/* Files of one name in different folders go by their whole path. */
static int tell_apart(struct files *f)
{
	CH_CLEANUP(ch_freep) struct file **order = calloc(f->n + 1, sizeof(struct file *));
	const char *last = NULL;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		order[i] = &f->item[i];
	qsort(order, f->n, sizeof(struct file *), by_label);
	for (size_t i = 0; i < f->n; i++) {
		const char *label = order[i]->label;
		bool again = i + 1 < f->n && !strcmp(order[i + 1]->label, label);

		if (again || (last && !strcmp(last, label)))
			order[i]->label = order[i]->path;
		last = label;
	}
	return 0;
}

/* --- reading --------------------------------------------------------------------------------- */

/* What became of one file. */
struct part {
	struct ch_profile *p;
	struct ch_error error; /* code 0: all is well */
};

struct loading {
	const struct files *files;
	const struct cli_args *args;
	const struct ch_want *want;
	size_t first;       /* of the batch at work */
	struct part *parts; /* one per file of the batch */
	struct ch_profile *all;
	size_t good, passed_over;
	const char *passed_over1; /* the first */
};

static void read_one(void *ctx, unsigned i)
{
	struct loading *l = ctx;
	const struct file *f = &l->files->item[l->first + i];
	struct part *part = &l->parts[i];

	cli_progress_input(l->first + i + 1, f->path);
	part->p = ch_profile_new(l->want);
	if (!part->p)
		ch_fail(&part->error, -ENOMEM, "read '%s': %m", f->path);
	else if (ch_read_path(f->path, l->args->input_format, part->p, &part->error) >= 0)
		part->error.code = 0;
	if (!part->error.code && !l->want->as_recorded)
		ch_events_settle(part->p);
}

/* A single file needs no label to tell it from others, unless the user asks for it. */
static uint32_t file_label(const struct loading *l, const struct file *f)
{
	if (!ch_profile_wants(l->all, "file") || (l->files->n < 2 && l->want->all_labels))
		return 0;
	return ch_profile_label(l->all, 0, ch_profile_strz(l->all, "file"),
	                        ch_profile_strz(l->all, f->label));
}

/* In the order of the command line, so that the result does not depend on who was first. */
static void merge_one(struct loading *l, size_t i)
{
	const struct file *f = &l->files->item[l->first + i];
	struct part *part = &l->parts[i];

	if (!part->error.code) {
		l->good++;
		if (l->files->n == 1 && !file_label(l, f)) {
			ch_profile_free(l->all);
			l->all = part->p;
			part->p = NULL;
		} else {
			ch_profile_name_process(part->p, f->label);
			ch_profile_merge(l->all, part->p, file_label(l, f));
		}
	} else if (f->found && part->error.code == CH_NOT_A_PROFILE) {
		if (!l->passed_over++)
			l->passed_over1 = f->label;
	} else if (l->files->n > 1) {
		ch_profile_damage(l->all, "%s", part->error.text);
	}
	ch_profile_free(part->p);
	*part = (struct part){ 0 };
}

static int load_all(struct loading *l, struct ch_error *err)
{
	/* Enough at once to feed the cores, few enough to hold their profiles. */
	size_t batch = ch_par_cores() * 2;
	size_t n = l->files->n;

	l->parts = calloc(batch, sizeof(*l->parts));
	l->all = ch_profile_new(l->want);
	if (!l->parts || !l->all)
		return ch_fail(err, -ENOMEM, "read: %m");
	for (l->first = 0; l->first < n; l->first += batch) {
		size_t now = n - l->first < batch ? n - l->first : batch;

		ch_par_run((unsigned)now, read_one, l);
		if (n == 1 && l->parts[0].error.code)
			*err = l->parts[0].error;
		for (size_t i = 0; i < now; i++)
			merge_one(l, i);
	}
	if (!l->good && n == 1 && !l->passed_over)
		return err->code;
	if (!l->good)
		return ch_fail(err, -ENODATA, "none of the %zu files could be read%s%s", n,
		               l->all->n_notes ? "; the first: " : "",
		               l->all->n_notes ? l->all->notes[0] : "");
	ch_profile_check_sums(l->all);
	if (l->files->closed)
		ch_profile_damage(l->all, "%zu folders could not be read; the first: %s",
		                  l->files->closed, l->files->closed1.text);
	if (l->files->links)
		ch_profile_note(l->all, "%zu symbolic links in folders were not followed",
		                l->files->links);
	if (l->passed_over)
		ch_profile_note(l->all, "passed over what is no profile: %s%s", l->passed_over1,
		                l->passed_over > 1 ? " and others" : "");
	ch_profile_sort_series(l->all);
	return ch_profile_status(l->all, err);
}

int cli_load(const char *const *inputs, size_t n, const struct cli_args *args,
             const struct ch_want *want, struct ch_profile **ret, struct ch_error *err)
{
	struct files files = { 0 };
	struct loading l = { .files = &files, .args = args, .want = want };
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = add_input(&files, inputs[i], err);
	if (r >= 0 && tell_apart(&files) < 0)
		r = ch_fail(err, -ENOMEM, "read: %m");
	if (r >= 0) {
		cli_progress_start("reading", files.n);
		r = load_all(&l, err);
		cli_progress_stop();
	}
	free(l.parts);
	files_done(&files);
	if (r < 0) {
		ch_profile_free(l.all);
		return r;
	}
	*ret = l.all;
	return 0;
}
