#include "formats/pieces.h"
#include "sys/par.h"

#include <errno.h>

#define RELEASE_BYTES ((ptrdiff_t)8 << 20)
/* Below this a second thread and the merge of its profile cost more than they save. */
#define PIECE_BYTES ((size_t)4 << 20)

struct ch_span ch_input_text(const struct ch_input *in)
{
	struct ch_span t = { (const char *)in->data, in->size };

	return ch_span_starts(t, "\xef\xbb\xbf") ? (struct ch_span){ t.s + 3, t.n - 3 } : t;
}

struct job {
	const struct ch_piece_ops *ops;
	char *pieces;
};

static struct ch_piece *piece_at(const struct job *job, unsigned i)
{
	return (struct ch_piece *)(job->pieces + i * job->ops->size);
}

static void read_piece(void *ctx, unsigned i)
{
	const struct job *job = ctx;
	struct ch_piece *piece = piece_at(job, i);
	const char *data = (const char *)piece->in->data;

	while (piece->at < piece->end && !piece->err && !piece->p->err && !piece->p->strings.err) {
		const char *from = piece->at;

		job->ops->step(piece);
		/* The record just read stays: readers compare the next one with it. */
		if (from - piece->released > RELEASE_BYTES) {
			ch_input_release(piece->in, (size_t)(piece->released - data),
			                 (size_t)(from - data));
			piece->released = from;
		}
	}
	job->ops->finish(piece);
}

static unsigned count_pieces(size_t bytes)
{
	size_t most = bytes / PIECE_BYTES;
	unsigned cores = ch_par_cores();

	return most < 2 ? 1 : most < cores ? (unsigned)most : cores;
}

/* Cuts the text and prepares n pieces; returns how many need ch_piece_ops.done. */
static unsigned prepare(const struct job *job, unsigned n, const struct ch_input *in,
                        struct ch_span text, const void *arg, struct ch_profile *p, int *ret_err)
{
	const char *at = text.s, *end = text.s + text.n;

	for (unsigned i = 0; i < n; i++) {
		struct ch_piece *piece = piece_at(job, i);
		struct ch_profile *own = i ? ch_profile_new(&p->want) : p;

		*piece = (struct ch_piece){ .in = in, .p = own, .at = at, .released = at };
		piece->limit = (const char *)in->data + in->size;
		if (i + 1 < n) {
			const char *cut = text.s + text.n / n * (i + 1);

			at = cut > at ? job->ops->next_start(text, cut) : at;
		} else {
			at = end;
		}
		piece->end = at;
		*ret_err = own ? job->ops->init(piece, arg) : -ENOMEM;
		if (*ret_err < 0) {
			if (i)
				ch_profile_free(own);
			return i;
		}
	}
	return n;
}

static void add_up(const struct job *job, unsigned n)
{
	struct ch_piece *first = piece_at(job, 0);

	for (unsigned i = 1; i < n; i++) {
		const struct ch_piece *later = piece_at(job, i);

		if (later->bad && !first->bad)
			first->first_bad = first->lines + later->first_bad;
		first->bad += later->bad;
		first->lines += later->lines;
		if (!first->err)
			first->err = later->err;
		job->ops->sum(first, later);
	}
}

static int run(const struct job *job, unsigned n, const struct ch_input *in, struct ch_profile *p,
               struct ch_error *err)
{
	const struct ch_piece *first = piece_at(job, 0);

	ch_par_run(n, read_piece, (void *)job);
	for (unsigned i = 1; i < n; i++)
		ch_profile_merge(p, piece_at(job, i)->p, 0);
	add_up(job, n);
	if (first->err)
		return ch_fail(err, first->err, "read '%s': %m", in->name);
	/* Before conclude: samples that found no memory are not samples that are not there. */
	if (ch_profile_status(p, err) < 0)
		return err->code;
	return job->ops->conclude(first, p, err);
}

int ch_pieces_read(const struct ch_input *in, struct ch_span text, const struct ch_piece_ops *ops,
                   const void *arg, struct ch_profile *p, struct ch_error *err)
{
	unsigned n = count_pieces(text.n), ready;
	CH_CLEANUP(ch_freep) char *pieces = calloc(n, ops->size);
	struct job job = { ops, pieces };
	int r = 0;

	if (!pieces)
		return ch_fail(err, -ENOMEM, "read '%s': %m", in->name);
	ready = prepare(&job, n, in, text, arg, p, &r);
	r = r < 0 ? ch_fail(err, r, "read '%s': %m", in->name) : run(&job, n, in, p, err);
	for (unsigned i = 0; i < ready; i++) {
		ops->done(piece_at(&job, i));
		if (i)
			ch_profile_free(piece_at(&job, i)->p);
	}
	return r;
}
