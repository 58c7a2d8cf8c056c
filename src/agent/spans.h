/*
 * Tasks: what a thread is busy with from when to when. Told by Java code; written when a task
 * starts and again when it ends. Those that are open are known here, also while nothing is
 * recorded, so that a recording which begins in the middle of a task has it.
 *
 * Not for signal handlers. Nothing waits for the recorder for longer than a few turns.
 */
#ifndef CH_AGENT_SPANS_H
#define CH_AGENT_SPANS_H

#include "agent/intern.h"

/* How much of a text is kept. */
#define CH_SPAN_TEXT_MAX 1024

struct ch_span_labels {
	int64_t task_id, sql_execution;
	int32_t stage, stage_attempt, partition, attempt;
	const char *text[CH_SPAN_TEXTS]; /* NULL: none */
	size_t len[CH_SPAN_TEXTS];
};

/*
 * The calling thread starts a task; the result is not looked at. It works on one at a time: what it
 * had open ends here, since nobody has said so.
 */
void ch_span_start(const struct ch_span_labels *labels);
/* The calling thread works for a task that another one has started; ignored when nobody has. */
void ch_span_join(int64_t task_id);
/* The calling thread's part in it ends. Ignored when it is not open. */
void ch_span_end(int64_t task_id, const char *result, size_t n);
/* The calling thread is about to end, and with it all that it has open. */
void ch_spans_end_thread(void);
/* Writes all that are open: the recorder, into a file that is new. */
void ch_spans_write_open(struct ch_chunk *c, struct ch_intern *in);

#endif
