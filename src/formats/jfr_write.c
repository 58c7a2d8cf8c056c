#include "formats/jfr_write.h"
#include "formats/writers.h"

#include <errno.h>

/* A chunk ends behind so many bytes of events: readers work on chunks in parallel. */
#define CHUNK_BYTES ((size_t)8 << 20)
#define BUFFER_MAX  ((size_t)4 << 30)

struct recording {
	const struct ch_profile *p;
	struct ch_out *out;
	struct ch_recw_types types;
	struct ch_recw_pools pools;
	struct ch_buf events, rest; /* rest: metadata, and the checkpoint */
	int64_t start_ns, duration_ns;
};

/* Times are ticks of a nanosecond from the start; samples without a time are at the start. */
static uint64_t ticks(const struct recording *r, int64_t time_ns)
{
	int64_t since;

	if (time_ns == CH_NO_TIME || __builtin_sub_overflow(time_ns, r->start_ns, &since))
		return 0;
	return (uint64_t)since;
}

static void find_times(struct recording *r)
{
	const struct ch_profile *p = r->p;
	int64_t first = p->start_ns, last = p->end_ns;

	for (size_t i = 0; p->rows.time_ns && i < p->rows.n; i++) {
		int64_t t = p->rows.time_ns[i];

		if (t == CH_NO_TIME)
			continue;
		if (first == CH_NO_TIME || t < first)
			first = t;
		if (t > last)
			last = t;
	}
	r->start_ns = first == CH_NO_TIME ? 0 : first;
	if (last == CH_NO_TIME || __builtin_sub_overflow(last, r->start_ns, &r->duration_ns))
		r->duration_ns = 0;
}

/* Readers of the JDK want a chunk to last. */
static int end_chunk(struct recording *r, struct ch_error *err)
{
	struct ch_jfr_header h = {
		.types_at = CH_JFR_HEADER_SIZE,
		.start_ns = r->start_ns,
		.duration_ns = r->duration_ns > 0 ? r->duration_ns : 1,
		.ticks_per_s = 1000000000,
	};
	uint8_t head[CH_JFR_HEADER_SIZE];
	size_t metadata;

	ch_buf_reset(&r->rest);
	ch_jfr_put_types(&r->rest, r->types.defs, r->types.n, 0);
	metadata = r->rest.len;
	ch_recw_pools_put(&r->pools, &r->types, &r->rest);
	if (r->rest.err || r->events.err || r->pools.err)
		return ch_fail(err, -ENOMEM, "write the recording: %m");
	h.pools_at = CH_JFR_HEADER_SIZE + metadata + r->events.len;
	h.size = CH_JFR_HEADER_SIZE + r->rest.len + r->events.len;
	ch_jfr_header_put(&h, head);
	ch_out_write(r->out, head, sizeof(head));
	ch_out_write(r->out, r->rest.data, metadata);
	if (r->events.len)
		ch_out_write(r->out, r->events.data, r->events.len);
	ch_out_write(r->out, r->rest.data + metadata, r->rest.len - metadata);
	ch_buf_reset(&r->events);
	ch_recw_pools_done(&r->pools);
	ch_recw_pools_init(&r->pools, r->p);
	return 0;
}

/* A row's stack without the class on top, where that has a field of its own. */
static uint32_t split_class(struct recording *r, const struct ch_recw_event *e, uint32_t stack,
                            uint64_t *ret_class)
{
	const struct ch_trie *t = &r->p->trie;
	uint32_t frame = t->frame[stack];

	*ret_class = 0;
	/* Without a frame below, the class stays a frame: a sample without any would read as lost. */
	if (!e->class_kind || !stack || !t->parent[stack] ||
	    r->p->frames[frame].kind != e->class_kind)
		return stack;
	*ret_class = ch_recw_class(&r->pools, frame);
	return *ret_class ? t->parent[stack] : stack;
}

static void put_row(struct recording *r, size_t i)
{
	const struct ch_profile *p = r->p;
	const struct ch_recw_event *e = &r->types.events[p->rows.event[i]];
	uint32_t set = p->rows.labels[i];
	uint64_t class_key;
	uint32_t stack = split_class(r, e, p->rows.stack[i], &class_key);
	struct ch_buf *b = &r->events;
	size_t begun = ch_jfr_event_begin(b, e->type_id);

	for (size_t k = 0; k < e->n; k++) {
		switch (e->source[k]) {
		case CH_RECW_TIME:
			ch_jfr_put_int(b, p->rows.time_ns ? ticks(r, p->rows.time_ns[i]) : 0);
			break;
		case CH_RECW_VALUE:
			ch_jfr_put_int(b, (uint64_t)p->rows.value[i]);
			break;
		case CH_RECW_SAMPLES:
			ch_jfr_put_int(b, (uint64_t)p->rows.samples[i]);
			break;
		case CH_RECW_THREAD:
			ch_jfr_put_int(b, ch_recw_thread(&r->pools, set));
			break;
		case CH_RECW_STACK:
			ch_jfr_put_int(b, ch_recw_stack(&r->pools, stack));
			break;
		case CH_RECW_STATE:
			ch_jfr_put_int(b, ch_recw_state(&r->pools, set));
			break;
		case CH_RECW_CLASS:
			ch_jfr_put_int(b, class_key);
			break;
		case CH_RECW_LABELS:
			ch_jfr_put_int(b, ch_recw_labels(&r->pools, set, !e->has_state));
			break;
		case CH_RECW_ZERO:
			ch_jfr_put_int(b, 0);
			break;
		case CH_RECW_FALSE:
			ch_buf_putc(b, 0);
			break;
		case CH_RECW_NULL:
			ch_jfr_put_null(b);
			break;
		}
	}
	ch_jfr_event_end(b, begun);
}

static void put_series(struct recording *r, const struct ch_series *s)
{
	uint64_t type = ch_recw_type_id(&r->types, "charcloth.Point");
	const struct ch_strtab *t = &r->p->strings;

	for (size_t i = 0; i < s->n; i++) {
		size_t begun = ch_jfr_event_begin(&r->events, type);

		ch_jfr_put_int(&r->events, ticks(r, s->time_ns[i]));
		ch_jfr_put_text(&r->events, t->text[s->name], t->len[s->name]);
		ch_jfr_put_text(&r->events, t->text[s->unit], t->len[s->unit]);
		ch_jfr_put_double(&r->events, s->value[i]);
		ch_jfr_event_end(&r->events, begun);
	}
}

static int put_all(struct recording *r, struct ch_error *err)
{
	for (size_t i = 0; i < r->p->n_series; i++)
		put_series(r, &r->p->series[i]);
	for (size_t i = 0; i < r->p->rows.n && !ch_out_failed(r->out); i++) {
		put_row(r, i);
		if (r->events.len >= CHUNK_BYTES) {
			int e = end_chunk(r, err);

			if (e < 0)
				return e;
		}
	}
	return end_chunk(r, err);
}

int ch_jfr_write(const struct ch_profile *p, struct ch_out *out, struct ch_error *err)
{
	struct recording r = {
		.p = p, .out = out, .events = CH_BUF(BUFFER_MAX), .rest = CH_BUF(BUFFER_MAX)
	};
	int e;

	ch_recw_pools_init(&r.pools, p);
	find_times(&r);
	e = ch_recw_types_init(&r.types, &r.pools);
	e = e < 0 ? ch_fail(err, e, "write the recording: %m") : put_all(&r, err);
	ch_recw_types_done(&r.types);
	ch_recw_pools_done(&r.pools);
	ch_buf_done(&r.events);
	ch_buf_done(&r.rest);
	return e;
}
