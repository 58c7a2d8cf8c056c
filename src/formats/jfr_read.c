#include "formats/readers.h"
#include "formats/jfr_read.h"
#include "formats/spans.h"
#include "profile/events.h"
#include "base/vec.h"
#include "sys/par.h"

#include <errno.h>

#define WORKERS_MAX 64

int ch_jfr_probe(const struct ch_input *in)
{
	return in->size >= 4 && !memcmp(in->data, CH_JFR_MAGIC, 4) ? 100 : 0;
}

struct chunks {
	struct ch_jfr_chunk *items;
	size_t n, cap;
};

/* One thread's part of the work. */
struct worker {
	struct ch_profile *p;
	struct ch_paths paths;
	struct ch_rec_groups groups;
	struct ch_rec_sums sums;
	size_t n_read;
	size_t first_at; /* the first chunk that could not be read, and why */
	struct ch_error first;
};

struct job {
	const struct ch_input *in;
	const struct chunks *chunks;
	const struct ch_spans *spans;
	struct worker *workers;
	unsigned n_workers;
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

/* Chunks up to here belong to the workers before the i-th: equal shares of the bytes. */
static size_t share(const struct job *job, unsigned i)
{
	size_t n = 0, upto = job->in->size / job->n_workers * i;

	if (i == job->n_workers)
		return job->chunks->n;
	while (n < job->chunks->n && job->chunks->items[n].at < upto)
		n++;
	return n;
}

static void read_one(struct worker *w, const struct job *job, const struct ch_jfr_chunk *chunk)
{
	struct ch_rec r = {
		.in = job->in,
		.chunk = *chunk,
		.p = w->p,
		.paths = &w->paths,
		.groups = &w->groups,
		.spans = job->spans,
		.sums = &w->sums,
	};
	struct ch_error why;

	if (ch_rec_chunk(&r, &why) >= 0) {
		w->n_read++;
		return;
	}
	/* No fault of the chunk: the whole reading fails, rather than being called damaged. */
	if (why.code == -ENOMEM)
		ch_profile_fail(w->p, -ENOMEM);
	if (!w->first.code) {
		w->first = why;
		w->first_at = chunk->at;
	}
	ch_profile_damage(w->p, "'%s': the chunk at byte %zu was left out: %s", job->in->name,
	                  chunk->at, why.text);
}

/* Neighbours go to one worker, so that the same file gives the same profile each time. */
static void work(void *ctx, unsigned i)
{
	const struct job *job = ctx;
	struct worker *w = &job->workers[i];
	size_t end = share(job, i + 1);

	for (size_t at = share(job, i); at < end && !w->p->err; at++)
		read_one(w, job, &job->chunks->items[at]);
	ch_paths_done(&w->paths);
	ch_rec_groups_done(&w->groups);
}

static void gather(struct worker *to, struct worker *from)
{
	ch_profile_merge(to->p, from->p, 0);
	ch_profile_free(from->p);
	from->p = NULL;
	to->n_read += from->n_read;
	ch_rec_settings_join(&to->sums.settings, &from->sums.settings);
	to->sums.lost_stacks += from->sums.lost_stacks;
	to->sums.lost_bytes += from->sums.lost_bytes;
	to->sums.lost_samples += from->sums.lost_samples;
	if (!to->first.code) {
		to->first = from->first;
		to->first_at = from->first_at;
	}
}

/* What can only be said once all chunks are read. */
static void conclude(const struct ch_input *in, struct ch_profile *p, const struct ch_rec_sums *s)
{
	for (size_t i = 0; i < p->n_events; i++) {
		int64_t ns = ch_rec_interval(&s->settings, ch_profile_text(p, p->events[i].type));

		ch_profile_interval(p, (uint16_t)i, ns);
	}
	if (s->lost_stacks)
		ch_profile_note(p, "'%s': the stacks of %llu samples are not in the recording",
		                in->name, (unsigned long long)s->lost_stacks);
	if (s->lost_bytes)
		ch_profile_note(p, "'%s': the recorder lost %llu bytes of events", in->name,
		                (unsigned long long)s->lost_bytes);
	if (s->lost_samples)
		ch_profile_note(p, "'%s': the recorder lost %llu CPU time samples", in->name,
		                (unsigned long long)s->lost_samples);
}

/* The first worker fills p itself; the others' profiles are merged into it. */
static int read_chunks(const struct ch_input *in, const struct chunks *chunks,
                       const struct ch_spans *spans, struct ch_profile *p, struct ch_error *err)
{
	unsigned n = ch_par_cores();
	struct worker workers[WORKERS_MAX] = { { .p = p } };
	struct job job = { .in = in, .chunks = chunks, .spans = spans, .workers = workers };

	if (n > WORKERS_MAX)
		n = WORKERS_MAX;
	if (n > chunks->n)
		n = (unsigned)chunks->n;
	for (unsigned i = 1; i < n; i++)
		if (!(workers[i].p = ch_profile_new(&p->want)))
			n = i;
	job.n_workers = n;
	ch_par_run(n, work, &job);
	for (unsigned i = 1; i < n; i++)
		gather(&workers[0], &workers[i]);
	if (ch_profile_status(p, err) < 0)
		return err->code;
	if (!workers[0].n_read)
		return ch_fail(err, -EBADMSG, "'%s': the chunk at byte %zu cannot be read: %s",
		               in->name, workers[0].first_at, workers[0].first.text);
	conclude(in, p, &workers[0].sums);
	return 0;
}

/* Spans may be written long after the samples they are about: all of them come first. */
static int collect_spans(const struct ch_input *in, const struct chunks *chunks,
                         struct ch_profile *p, struct ch_spans *spans, struct ch_error *err)
{
	struct ch_rec_sums unused = { 0 };
	int e = 0;

	for (size_t i = 0; i < chunks->n && e != -ENOMEM; i++) {
		struct ch_rec r = { .in = in, .chunk = chunks->items[i], .p = p, .sums = &unused };

		e = ch_rec_collect(&r, spans);
	}
	if (e == -ENOMEM || ch_spans_ready(spans) < 0)
		return ch_fail(err, -ENOMEM, "'%s': %m", in->name);
	return 0;
}

static int read_all(const struct ch_input *in, const struct chunks *chunks, struct ch_profile *p,
                    struct ch_error *err)
{
	struct ch_spans spans;
	int e;

	if (!ch_rec_wants_spans(p))
		return read_chunks(in, chunks, NULL, p, err);
	ch_spans_init(&spans);
	e = collect_spans(in, chunks, p, &spans, err);
	if (e >= 0)
		e = read_chunks(in, chunks, spans.sets.n > 1 ? &spans : NULL, p, err);
	ch_spans_done(&spans);
	return e;
}

static bool has_samples(const struct ch_profile *p)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (p->events[i].samples)
			return true;
	return false;
}

/*
 * When only the default event will be shown, it nearly always is the first of them all: that is
 * read and the others are counted. Where there is none of it, the counts tell what to read instead.
 */
static int read_default(const struct ch_input *in, const struct chunks *chunks,
                        struct ch_profile *p, struct ch_error *err)
{
	const char *next;
	int e;

	p->want.event = ch_event_word_at(0);
	e = read_all(in, chunks, p, err);
	next = ch_events_default(p);
	if (e >= 0 && next && !has_samples(p)) {
		for (size_t i = 0; i < p->n_events; i++)
			p->events[i].unread = 0;
		p->want.event = next;
		e = read_all(in, chunks, p, err);
	}
	p->want.event = NULL;
	return e;
}

static int read_wanted(const struct ch_input *in, const struct chunks *chunks, struct ch_profile *p,
                       struct ch_error *err)
{
	return p->want.one_event ? read_default(in, chunks, p, err) : read_all(in, chunks, p, err);
}

/* A profile that has samples already gets those of the file when they are complete. */
static int read_apart(const struct ch_input *in, const struct chunks *chunks, struct ch_profile *p,
                      struct ch_error *err)
{
	CH_CLEANUP(ch_profile_freep) struct ch_profile *own = ch_profile_new(&p->want);
	int e;

	if (!own)
		return ch_fail(err, -ENOMEM, "'%s': %m", in->name);
	e = read_wanted(in, chunks, own, err);
	if (e >= 0)
		ch_profile_merge(p, own, 0);
	return e;
}

int ch_jfr_read(const struct ch_input *in, struct ch_profile *p, struct ch_error *err)
{
	struct chunks chunks = { 0 };
	int e = find_chunks(in, p, &chunks);

	if (e < 0)
		e = ch_fail(err, e, "'%s': %m", in->name);
	else if (!chunks.n)
		e = ch_fail(err, -EBADMSG, "'%s' has no chunk of a flight recording", in->name);
	else if (p->n_events)
		e = read_apart(in, &chunks, p, err);
	else
		e = read_wanted(in, &chunks, p, err);
	free(chunks.items);
	return e;
}
