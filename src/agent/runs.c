#include "agent/runs.h"

static void close_run(struct ch_run *run, struct ch_chunk *c)
{
	size_t begun;

	if (!run->samples)
		return;
	begun = ch_chunk_event(c, CH_T_WALL_SAMPLE, run->start_ticks);
	ch_jfr_put_int(&c->events, run->thread);
	ch_jfr_put_int(&c->events, run->stack);
	ch_jfr_put_int(&c->events, run->state);
	ch_jfr_put_int(&c->events, run->samples);
	ch_jfr_put_int(&c->events, ch_ticks_span(run->span_ns));
	ch_jfr_event_end(&c->events, begun);
	run->samples = 0;
}

void ch_runs_add(struct ch_runs *r, struct ch_chunk *c, const struct ch_run *sample)
{
	struct ch_run *run = &r->open[sample->thread % CH_RUNS_MAX];

	if (run->samples && run->thread == sample->thread && run->stack == sample->stack &&
	    run->state == sample->state) {
		run->samples += sample->samples;
		run->span_ns += sample->span_ns;
		return;
	}
	close_run(run, c);
	*run = *sample;
}

void ch_runs_close(struct ch_runs *r, struct ch_chunk *c)
{
	for (size_t i = 0; i < CH_RUNS_MAX; i++)
		close_run(&r->open[i], c);
}
