#include "profile/select.h"
#include "profile/filter.h"
#include "profile/events.h"
#include "base/hash.h"
#include "base/vec.h"

#include <errno.h>

/* Java kinds that may melt into one frame: CH_KIND_JAVA to CH_KIND_INLINED. */
#define VARIANTS (CH_KIND_INLINED - CH_KIND_JAVA + 1)
#define NOT_YET  UINT32_MAX

struct selection {
	const struct ch_profile *in;
	const struct ch_select *how;
	struct ch_profile *out;

	uint32_t *frame;  /* frame of `in` → of `out`, NOT_YET */
	uint32_t *string; /* string of `in` → of `out`, for label sets; NOT_YET */
	uint32_t *set;    /* label set of `in` → of `out`, NOT_YET */
	uint16_t *event;

	/* One root (no --by: the only one) at a time: nodes of `in` → of `out`. */
	uint32_t *node;
	int64_t *weight; /* of the rows at a node of `in`, for weigh_kinds */
	uint32_t *touched, *path;
	size_t n_touched, touched_cap, path_cap;

	int64_t (*tally)[VARIANTS]; /* by node of `out` */
	size_t tally_cap, n_tally;
	struct ch_buf text;
};

static void selection_done(struct selection *s)
{
	free(s->frame);
	free(s->string);
	free(s->set);
	free(s->event);
	free(s->node);
	free(s->weight);
	free(s->touched);
	free(s->path);
	free(s->tally);
	ch_buf_done(&s->text);
}

static uint32_t *filled(size_t n)
{
	uint32_t *a = malloc((n + 1) * sizeof(*a));

	if (a)
		memset(a, 0xff, (n + 1) * sizeof(*a));
	return a;
}

static int selection_init(struct selection *s, const struct ch_profile *p,
                          const struct ch_select *how)
{
	struct ch_want want = { .times = how->keep_times && p->want.times,
		                .all_labels = true,
		                .lines = true,
		                .series = true };

	*s = (struct selection){ .in = p, .how = how, .text = CH_BUF((size_t)2 * CH_NAME_MAX) };
	s->out = ch_profile_new(&want);
	s->frame = filled(p->n_frames);
	s->string = filled(p->strings.n);
	s->set = filled(p->n_sets);
	s->node = filled(p->trie.n);
	s->event = calloc(p->n_events + 1, sizeof(*s->event));
	if (how->weigh_kinds && !how->reverse)
		s->weight = calloc(p->trie.n + 1, sizeof(*s->weight));
	if (!s->out || !s->frame || !s->string || !s->set || !s->node || !s->event ||
	    (how->weigh_kinds && !how->reverse && !s->weight))
		return -ENOMEM;
	return 0;
}

static uint32_t out_string(struct selection *s, uint32_t id)
{
	if (s->string[id] == NOT_YET)
		s->string[id] =
		    ch_profile_str(s->out, s->in->strings.text[id], s->in->strings.len[id]);
	return s->string[id];
}

static uint32_t out_set(struct selection *s, uint32_t set)
{
	const struct ch_profile *p = s->in;
	uint32_t to = 0;

	if (!s->how->keep_labels)
		return 0;
	if (s->set[set] != NOT_YET)
		return s->set[set];
	for (uint32_t i = p->set_start[set]; i < p->set_start[set + 1]; i++)
		to = ch_profile_label(s->out, to, out_string(s, p->labels[i].key),
		                      out_string(s, p->labels[i].value));
	return s->set[set] = to;
}

/* Java kinds count as one here; finish_kinds tells them apart again by weight. */
static uint32_t out_frame(struct selection *s, uint32_t id)
{
	struct ch_frame f = s->in->frames[id];

	if (s->frame[id] != NOT_YET)
		return s->frame[id];
	ch_buf_reset(&s->text);
	ch_name_format(s->in, &f, s->how, &s->text);
	f.name = ch_profile_buf(s->out, &s->text);
	if (s->how->keep_kinds) {
		f.file = out_string(s, f.file);
	} else {
		f.line = f.file = 0;
		if (ch_kind_is_java(f.kind) && s->how->weigh_kinds)
			f.kind = CH_KIND_JAVA;
		else if (!s->how->weigh_kinds)
			f.kind = CH_KIND_OTHER; /* nobody will look: names decide */
	}
	return s->frame[id] = ch_profile_frame(s->out, f);
}

/* --- stacks ---------------------------------------------------------------------------------- */

static int push_path(struct selection *s, size_t at, uint32_t node)
{
	if (CH_ROOM(s->path, s->path_cap, at + 1) < 0)
		return -ENOMEM;
	s->path[at] = node;
	return 0;
}

static void remember(struct selection *s, uint32_t node)
{
	if (CH_ROOM(s->touched, s->touched_cap, s->n_touched + 1) < 0) {
		s->out->err = -ENOMEM;
		return;
	}
	s->touched[s->n_touched++] = node;
}

/* The stack under `root`; only the part that was not met before is walked. */
static uint32_t out_stack(struct selection *s, uint32_t root, uint32_t stack)
{
	const struct ch_trie *t = &s->in->trie;
	size_t n = 0;
	uint32_t at;

	for (at = stack; at && s->node[at] == NOT_YET; at = t->parent[at])
		if (push_path(s, n++, at) < 0) {
			s->out->err = -ENOMEM;
			return 0;
		}
	at = at ? s->node[at] : root;
	while (n--) {
		uint32_t node = s->path[n];

		at = ch_profile_push(s->out, at, out_frame(s, t->frame[node]));
		s->node[node] = at;
		remember(s, node);
	}
	return at;
}

/* Notes that `weight` of node `node` of the result was recorded with this kind. */
static void tally(struct selection *s, uint32_t node, uint8_t kind, int64_t weight)
{
	int64_t *sum;

	if (!ch_kind_is_java(kind))
		return;
	if (node >= s->n_tally) {
		if (CH_ROOM(s->tally, s->tally_cap, (size_t)node + 1) < 0) {
			s->out->err = -ENOMEM;
			return;
		}
		memset(s->tally + s->n_tally, 0, (s->tally_cap - s->n_tally) * sizeof(*s->tally));
		s->n_tally = s->tally_cap;
	}
	sum = &s->tally[node][kind - CH_KIND_JAVA];
	*sum = ch_sat_add(*sum, weight);
}

/* Each row has its own way here: the nodes below a leaf are not those below another. */
static uint32_t out_reversed(struct selection *s, uint32_t root, uint32_t stack, int64_t samples)
{
	const struct ch_trie *t = &s->in->trie;
	uint32_t at = root;

	for (; stack; stack = t->parent[stack]) {
		uint8_t kind = s->in->frames[t->frame[stack]].kind;

		at = ch_profile_push(s->out, at, out_frame(s, t->frame[stack]));
		if (s->how->weigh_kinds)
			tally(s, at, kind, samples);
	}
	return at;
}

/* Sums the weights of this root's rows upwards and forgets the root's nodes. */
static void end_root(struct selection *s)
{
	const struct ch_trie *t = &s->in->trie;

	while (s->n_touched) {
		uint32_t node = s->touched[--s->n_touched], to = s->node[node];
		uint8_t kind = s->in->frames[t->frame[node]].kind;

		s->node[node] = NOT_YET;
		if (!s->weight)
			continue;
		tally(s, to, kind, s->weight[node]);
		s->weight[t->parent[node]] =
		    ch_sat_add(s->weight[t->parent[node]], s->weight[node]);
		s->weight[node] = 0;
	}
}

/* Gives each node of the result the Java kind that most of its weight was recorded with. */
static void finish_kinds(struct selection *s)
{
	struct ch_profile *out = s->out;

	for (size_t i = 1; i < out->trie.n && i < s->n_tally; i++) {
		struct ch_frame f = out->frames[out->trie.frame[i]];
		int best = 0;

		if (!ch_kind_is_java(f.kind))
			continue;
		for (int k = 1; k < VARIANTS; k++)
			if (s->tally[i][k] > s->tally[i][best])
				best = k;
		f.kind = (uint8_t)(CH_KIND_JAVA + best);
		out->trie.frame[i] = ch_profile_frame(out, f);
	}
}

/* --- roots by label -------------------------------------------------------------------------- */

static uint32_t push_label(struct selection *s, uint32_t at, uint32_t set, const char *key,
                           bool with_key)
{
	const struct ch_profile *p = s->in;
	uint32_t id = ch_strtab_find(&p->strings, key, strlen(key));
	uint32_t value = id ? ch_profile_label_of(p, set, id) : 0;
	struct ch_frame f = { .kind = CH_KIND_LABEL };

	ch_buf_reset(&s->text);
	if (with_key)
		ch_buf_printf(&s->text, "%s=", key);
	ch_buf_puts(&s->text, value ? ch_profile_text(p, value) : "-");
	f.name = ch_profile_buf(s->out, &s->text);
	return ch_profile_push(s->out, at, ch_profile_frame(s->out, f));
}

/* The node under which rows of this label set stand. */
static uint32_t root_of(struct selection *s, uint32_t set)
{
	uint32_t at = 0;

	for (size_t i = 0; i < s->how->n_by; i++)
		at = push_label(s, at, set, s->how->by[i], true);
	if (s->how->threads)
		at = push_label(s, at, set, "thread", false);
	return at;
}

static void add_row(struct selection *s, size_t i, uint32_t root)
{
	const struct ch_profile *p = s->in;
	uint32_t stack = p->rows.stack[i];
	int64_t samples = p->rows.samples[i];

	ch_profile_add(s->out, &(struct ch_sample){
	                           .event = s->event[p->rows.event[i]],
	                           .stack = s->how->reverse ? out_reversed(s, root, stack, samples)
	                                                    : out_stack(s, root, stack),
	                           .labels = out_set(s, p->rows.labels[i]),
	                           .samples = samples,
	                           .value = p->rows.value[i],
	                           .time_ns = p->rows.time_ns ? p->rows.time_ns[i] : CH_NO_TIME,
	                       });
	if (s->weight)
		s->weight[stack] = ch_sat_add(s->weight[stack], samples);
}

struct rooted {
	uint32_t root, row;
};

static int by_root(const void *a, const void *b)
{
	const struct rooted *x = a, *y = b;

	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Rows of one root together, so that each node is looked up once per root. */
static int add_rows_by_root(struct selection *s, const uint32_t *rows, size_t n)
{
	CH_CLEANUP(ch_freep) uint32_t *root = filled(s->in->n_sets);
	CH_CLEANUP(ch_freep) struct rooted *order = malloc((n + 1) * sizeof(*order));

	if (!root || !order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t set = s->in->rows.labels[rows[i]];

		if (root[set] == NOT_YET)
			root[set] = root_of(s, set);
		order[i] = (struct rooted){ root[set], rows[i] };
	}
	qsort(order, n, sizeof(*order), by_root);
	for (size_t i = 0; i < n; i++) {
		if (i && order[i].root != order[i - 1].root)
			end_root(s);
		add_row(s, order[i].row, order[i].root);
	}
	return 0;
}

static int add_rows(struct selection *s, const uint32_t *rows, size_t n)
{
	int r = 0;

	if (s->how->n_by || s->how->threads)
		r = add_rows_by_root(s, rows, n);
	else
		for (size_t i = 0; i < n; i++)
			add_row(s, rows[i], 0);
	end_root(s);
	if (!r && s->how->weigh_kinds)
		finish_kinds(s);
	return r;
}

/* --- the rest -------------------------------------------------------------------------------- */

static void copy_events(struct selection *s, const bool *chosen)
{
	for (size_t i = 0; i < s->in->n_events; i++) {
		const struct ch_event *e = &s->in->events[i];

		if (!chosen[i])
			continue;
		s->event[i] = ch_profile_event(s->out, ch_profile_text(s->in, e->type),
		                               ch_profile_text(s->in, e->unit));
		ch_profile_rescale(s->out, s->event[i], e->scale);
		ch_profile_interval(s->out, s->event[i], e->interval_ns);
	}
}

/* True when every frame already is what it would become: the usual case of folded input. */
static bool frames_are_final(const struct ch_profile *p, const struct ch_select *how)
{
	CH_CLEANUP(ch_freep) uint8_t *seen = NULL;

	if (how->keep_kinds)
		return how->names == CH_NAMES_SLASH && !how->lines && !how->annotate &&
		       !how->normalize;
	if (how->names != CH_NAMES_SLASH || how->lines || how->annotate || how->normalize ||
	    p->want.lines)
		return false;
	seen = calloc(p->strings.n + 1, 1);
	if (!seen)
		return false;
	for (size_t i = 1; i < p->n_frames; i++)
		if (seen[p->frames[i].name]++)
			return false;
	return true;
}

static bool nothing_to_do(const struct ch_profile *p, const struct ch_select *how,
                          const bool *chosen, size_t n_rows)
{
	/* Where only names are shown, an event without samples leaves no trace. */
	for (size_t i = 0; i < p->n_events; i++)
		if (!chosen[i] && (p->events[i].samples || !p->want.no_kinds))
			return false;
	return n_rows == p->rows.n && !how->n_by && !how->threads && !how->reverse &&
	       (how->keep_labels || p->n_sets == 1) && how->keep_times == p->want.times &&
	       frames_are_final(p, how);
}

int ch_select(struct ch_profile *p, const struct ch_select *how, struct ch_profile **ret,
              struct ch_error *err)
{
	CH_CLEANUP(ch_freep) bool *chosen = calloc(p->n_events + 1, sizeof(*chosen));
	CH_CLEANUP(ch_freep) uint32_t *rows = malloc((p->rows.n + 1) * sizeof(*rows));
	struct selection s;
	size_t n;
	int r;

	if (!chosen || !rows)
		return ch_fail(err, -ENOMEM, "select: %m");
	r = ch_filter_rows(p, how, chosen, rows, &n, err);
	if (r < 0)
		return r;
	if (nothing_to_do(p, how, chosen, n)) {
		*ret = p;
		return 0;
	}
	r = selection_init(&s, p, how);
	if (!r) {
		copy_events(&s, chosen);
		r = add_rows(&s, rows, n);
		ch_profile_merge_rest(s.out, p);
	}
	selection_done(&s);
	r = r < 0 ? ch_fail(err, r, "select: %m") : ch_profile_status(s.out, err);
	if (r < 0) {
		ch_profile_free(s.out);
		return r;
	}
	*ret = s.out;
	return 0;
}
