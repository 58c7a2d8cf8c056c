#include "profile/profile.h"

#include <errno.h>

/* Numbers of `from` as numbers of `to`. */
struct remap {
	uint32_t *strings, *frames, *nodes, *sets;
	uint16_t *events;
};

static void remap_done(struct remap *m)
{
	free(m->strings);
	free(m->frames);
	free(m->nodes);
	free(m->sets);
	free(m->events);
}

static void map_stacks(struct ch_profile *to, const struct ch_profile *from, struct remap *m)
{
	for (size_t i = 0; i < from->strings.n; i++)
		m->strings[i] =
		    ch_strtab_id(&to->strings, from->strings.text[i], from->strings.len[i]);
	for (size_t i = 1; i < from->n_frames; i++) {
		struct ch_frame f = from->frames[i];

		f.name = m->strings[f.name];
		f.file = m->strings[f.file];
		m->frames[i] = ch_profile_frame(to, f);
	}
	for (size_t i = 1; i < from->trie.n; i++)
		m->nodes[i] = ch_profile_push(to, m->nodes[from->trie.parent[i]],
		                              m->frames[from->trie.frame[i]]);
}

static void map_sets(struct ch_profile *to, const struct ch_profile *from, uint32_t extra,
                     struct remap *m)
{
	for (size_t i = 0; i < from->n_sets; i++) {
		uint32_t set = 0;

		for (uint32_t k = from->set_start[i]; k < from->set_start[i + 1]; k++)
			set = ch_profile_label(to, set, m->strings[from->labels[k].key],
			                       m->strings[from->labels[k].value]);
		m->sets[i] = ch_profile_labels_join(to, set, extra);
	}
}

static void map_events(struct ch_profile *to, const struct ch_profile *from, struct remap *m)
{
	for (size_t i = 0; i < from->n_events; i++) {
		const struct ch_event *e = &from->events[i];
		uint16_t at = ch_profile_event(to, ch_profile_text(from, e->type),
		                               ch_profile_text(from, e->unit));

		m->events[i] = at;
		ch_profile_rescale(to, at, e->scale);
		ch_profile_unread(to, at, e->unread);
		if (!to->events[at].interval_ns)
			ch_profile_interval(to, at, e->interval_ns);
	}
}

static void add_rows(struct ch_profile *to, const struct ch_profile *from, const struct remap *m)
{
	for (size_t i = 0; i < from->rows.n; i++) {
		uint16_t event = m->events[from->rows.event[i]];
		int64_t factor = to->events[event].scale / from->events[from->rows.event[i]].scale;

		ch_profile_add(
		    to, &(struct ch_sample){
		            .event = event,
		            .stack = m->nodes[from->rows.stack[i]],
		            .labels = m->sets[from->rows.labels[i]],
		            .samples = ch_sat_mul(from->rows.samples[i], factor),
		            .value = ch_sat_mul(from->rows.value[i], factor),
		            .time_ns = from->rows.time_ns ? from->rows.time_ns[i] : CH_NO_TIME,
		        });
	}
}

void ch_profile_merge_rest(struct ch_profile *to, const struct ch_profile *from)
{
	ch_profile_merge_series(to, from);
	for (size_t i = 0; i < from->n_notes; i++)
		ch_profile_note(to, "%s", from->notes[i]);
	to->notes_lost += from->notes_lost;
	to->damaged |= from->damaged;
	if (from->start_ns != CH_NO_TIME &&
	    (to->start_ns == CH_NO_TIME || from->start_ns < to->start_ns))
		to->start_ns = from->start_ns;
	if (from->end_ns != CH_NO_TIME && from->end_ns > to->end_ns)
		to->end_ns = from->end_ns;
	if (!to->err)
		to->err = from->err ? from->err : from->strings.err;
}

void ch_profile_merge(struct ch_profile *to, const struct ch_profile *from, uint32_t extra)
{
	struct remap m = {
		.strings = calloc(from->strings.n + 1, sizeof(*m.strings)),
		.frames = calloc(from->n_frames + 1, sizeof(*m.frames)),
		.nodes = calloc(from->trie.n + 1, sizeof(*m.nodes)),
		.sets = calloc(from->n_sets + 1, sizeof(*m.sets)),
		.events = calloc(from->n_events + 1, sizeof(*m.events)),
	};

	if (m.strings && m.frames && m.nodes && m.sets && m.events) {
		map_stacks(to, from, &m);
		map_sets(to, from, extra, &m);
		map_events(to, from, &m);
		add_rows(to, from, &m);
		ch_profile_merge_rest(to, from);
	} else if (!to->err) {
		to->err = -ENOMEM;
	}
	remap_done(&m);
}
