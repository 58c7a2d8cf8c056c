#include "formats/readers.h"
#include "formats/jfr_read.h"
#include "base/vec.h"
#include "sys/par.h"

#include <errno.h>
#include <stdatomic.h>

int ch_jfr_probe(const struct ch_input *in)
{
	return in->size >= 4 && !memcmp(in->data, CH_JFR_MAGIC, 4) ? 100 : 0;
}

struct chunks {
	struct ch_jfr_chunk *items;
	size_t n, cap;
};

/* One thread's share: chunks are taken from the file one by one. */
struct worker {
	struct ch_profile *p;
	struct ch_rec_settings settings;
	size_t n_read;
	struct ch_error first; /* why the first chunk that could not be read could not */
};

struct job {
	const struct ch_input *in;
	const struct chunks *chunks;
	struct worker *workers;
	_Atomic size_t next;
};

static int find_chunks(const struct ch_input *in, struct ch_profile *p, struct chunks *ret)
{
	size_t at = 0;
	struct ch_jfr_chunk c;

	while (at < in->size && ch_jfr_chunk_next(in->data, in->size, at, &c)) {
		if (c.at != at)
			ch_profile_damage(p, "'%s': %zu bytes from byte %zu belong to no chunk",
			                  in->name, c.at - at, at);
		if (!c.finished)
			ch_profile_damage(p, "'%s': the chunk at byte %zu was not finished",
			                  in->name, c.at);
		if (CH_ROOM(ret->items, ret->cap, ret->n + 1) < 0)
			return -ENOMEM;
		ret->items[ret->n++] = c;
		at = c.at + c.size;
	}
	if (at < in->size)
		ch_profile_damage(p, "'%s': %zu bytes from byte %zu belong to no chunk", in->name,
		                  in->size - at, at);
	return 0;
}

static void work(void *ctx, unsigned i)
{
	struct job *job = ctx;
	struct worker *w = &job->workers[i];
	size_t at;

	while ((at = atomic_fetch_add(&job->next, 1)) < job->chunks->n) {
		struct ch_rec r = {
			.in = job->in,
			.chunk = job->chunks->items[at],
			.p = w->p,
			.settings = &w->settings,
		};
		struct ch_error why;

		if (ch_rec_chunk(&r, &why) >= 0) {
			w->n_read++;
			continue;
		}
		if (!w->first.code)
			w->first = why;
		ch_profile_damage(w->p, "'%s': the chunk at byte %zu was left out: %s",
		                  job->in->name, r.chunk.at, why.text);
	}
}

static void gather(struct worker *to, struct worker *from)
{
	ch_profile_merge(to->p, from->p, 0);
	ch_profile_free(from->p);
	from->p = NULL;
	to->n_read += from->n_read;
	ch_rec_settings_join(&to->settings, &from->settings);
	if (!to->first.code)
		to->first = from->first;
}

/* The first worker fills p itself; the others' profiles are merged into it. */
static int read_chunks(const struct ch_input *in, const struct chunks *chunks, struct ch_profile *p,
                       struct ch_error *err)
{
	unsigned n = ch_par_cores();
	struct worker workers[64] = { { .p = p } };
	struct job job = { .in = in, .chunks = chunks, .workers = workers };

	if (n > chunks->n)
		n = (unsigned)chunks->n;
	for (unsigned i = 1; i < n; i++)
		if (!(workers[i].p = ch_profile_new(&p->want)))
			n = i;
	ch_par_run(n, work, &job);
	for (unsigned i = 1; i < n; i++)
		gather(&workers[0], &workers[i]);
	if (!workers[0].n_read)
		return ch_fail(err, -EBADMSG, "'%s': %s", in->name, workers[0].first.text);
	return 0;
}

int ch_jfr_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct chunks chunks = { 0 };
	int e = find_chunks(in, p, &chunks);

	if (e < 0)
		e = ch_fail(err, e, "'%s': %m", in->name);
	else if (!chunks.n)
		e = ch_fail(err, -EBADMSG, "'%s' has no chunk of a flight recording", in->name);
	else
		e = read_chunks(in, &chunks, p, err);
	free(chunks.items);
	return e;
}
