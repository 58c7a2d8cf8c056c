#include "profile/filter.h"
#include "profile/events.h"

#include <errno.h>
#include <strings.h>

/* --- by time --------------------------------------------------------------------------------- */

struct range {
	int64_t from, to; /* inclusive, exclusive */
};

static int64_t resolve(const struct ch_when *w, int64_t start, int64_t end, int64_t otherwise)
{
	switch (w->kind) {
	case CH_WHEN_EPOCH:
		return w->ns;
	case CH_WHEN_AFTER_START:
		return ch_sat_add(start, w->ns);
	case CH_WHEN_BEFORE_END:
		return ch_sat_add(end, -w->ns);
	case CH_WHEN_NONE:
		break;
	}
	return otherwise;
}

static int time_range(const struct ch_profile *p, const struct ch_select *how, struct range *ret,
                      struct ch_error *err)
{
	int64_t start = p->start_ns, end = p->end_ns, first = INT64_MAX, last = CH_NO_TIME;

	*ret = (struct range){ INT64_MIN, INT64_MAX };
	if (!how->from.kind && !how->to.kind)
		return 0;
	for (size_t i = 0; p->rows.time_ns && i < p->rows.n; i++) {
		int64_t t = p->rows.time_ns[i];

		if (t == CH_NO_TIME)
			continue;
		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	if (last == CH_NO_TIME)
		return ch_fail(err, -ENODATA,
		               "--from and --to need samples with a time; this input has none");
	if (start == CH_NO_TIME || first < start)
		start = first;
	if (last > end)
		end = last;
	ret->from = resolve(&how->from, start, end, INT64_MIN);
	ret->to = resolve(&how->to, start, end, INT64_MAX);
	if (ret->from >= ret->to)
		return ch_fail(err, -EINVAL, "--from is not before --to");
	return 0;
}

static bool in_range(const struct ch_profile *p, size_t row, const struct range *r)
{
	int64_t t;

	if (r->from == INT64_MIN && r->to == INT64_MAX)
		return true;
	t = p->rows.time_ns[row];
	return t != CH_NO_TIME && t >= r->from && t < r->to;
}

/* --- by label -------------------------------------------------------------------------------- */

static const char *label_text(const struct ch_profile *p, uint32_t set, const char *key)
{
	uint32_t id = ch_strtab_find(&p->strings, key, strlen(key));
	uint32_t value = id ? ch_profile_label_of(p, set, id) : 0;

	return value ? ch_profile_text(p, value) : NULL;
}

/* STATE_RUNNABLE of a flight recording is RUNNABLE to a person. */
static bool state_is(const char *have, const char *list)
{
	size_t n;

	if (!have)
		return false;
	if (!strncmp(have, "STATE_", 6))
		have += 6;
	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (strlen(have) == n && !strncasecmp(have, list, n))
			return true;
	}
	return false;
}

static bool set_passes(const struct ch_profile *p, const struct ch_select *how, uint32_t set)
{
	const char *thread = how->thread ? label_text(p, set, "thread") : NULL;

	if (how->thread && (!thread || regexec(how->thread, thread, 0, NULL, 0)))
		return false;
	if (how->state && !state_is(label_text(p, set, "state"), how->state))
		return false;
	for (size_t i = 0; i < how->n_where; i++) {
		const char *have = label_text(p, set, how->where[i].key);

		/* `stage=-` asks for samples without the label, as --by shows them. */
		if (strcmp(have ? have : "-", how->where[i].value) != 0)
			return false;
	}
	return true;
}

static bool *passing_sets(const struct ch_profile *p, const struct ch_select *how)
{
	bool *pass = malloc((p->n_sets + 1) * sizeof(*pass));

	for (size_t i = 0; pass && i < p->n_sets; i++)
		pass[i] = set_passes(p, how, (uint32_t)i);
	return pass;
}

/* --- by frame -------------------------------------------------------------------------------- */

enum { INCLUDED = 1, EXCLUDED = 2 };

/* The name ends in a zero, and may hold others: the length counts. */
static int match(const regex_t *re, const struct ch_buf *name, uint8_t bit, uint8_t *to)
{
	regmatch_t all = { 0, (regoff_t)name->len - 1 };
	int r = re ? regexec(re, name->data, 1, &all, REG_STARTEND) : REG_NOMATCH;

	if (r && r != REG_NOMATCH)
		return -ENOMEM;
	*to |= r ? 0 : bit;
	return 0;
}

/* Per stack: does it hold a frame that --include or --exclude names. NULL when out of memory. */
static uint8_t *match_stacks(const struct ch_profile *p, const struct ch_select *how)
{
	CH_CLEANUP(ch_freep) uint8_t *frame = calloc(p->n_frames + 1, 1);
	CH_CLEANUP(ch_buf_done) struct ch_buf name = CH_BUF((size_t)2 * CH_NAME_MAX);
	uint8_t *stack = calloc(p->trie.n + 1, 1);

	if (!frame || !stack) {
		free(stack);
		return NULL;
	}
	for (size_t i = 1; i < p->n_frames; i++) {
		ch_buf_reset(&name);
		ch_name_format(p, &p->frames[i], how, &name);
		ch_buf_putc(&name, 0);
		if (name.err || match(how->include, &name, INCLUDED, &frame[i]) < 0 ||
		    match(how->exclude, &name, EXCLUDED, &frame[i]) < 0) {
			free(stack);
			return NULL;
		}
	}
	for (size_t i = 1; i < p->trie.n; i++)
		stack[i] = stack[p->trie.parent[i]] | frame[p->trie.frame[i]];
	return stack;
}

static bool stack_passes(const struct ch_select *how, uint8_t matched)
{
	return (!how->include || (matched & INCLUDED)) && !(matched & EXCLUDED);
}

/* --- all together ---------------------------------------------------------------------------- */

static const char *emptied_by(const struct ch_select *how, size_t after_time, size_t after_labels)
{
	if (!after_time)
		return "--from/--to";
	if (!after_labels)
		return how->thread && !how->state && !how->n_where   ? "--thread"
		       : how->state && !how->thread && !how->n_where ? "--state"
		       : how->n_where && !how->thread && !how->state
		           ? "--where"
		           : "--thread, --state and --where together";
	return how->include && how->exclude ? "--include and --exclude together"
	       : how->include               ? "--include"
	                                    : "--exclude";
}

int ch_filter_rows(const struct ch_profile *p, const struct ch_select *how, bool *chosen,
                   uint32_t *rows, size_t *ret_n, struct ch_error *err)
{
	CH_CLEANUP(ch_freep) bool *pass = passing_sets(p, how);
	CH_CLEANUP(ch_freep) uint8_t *matched = NULL;
	size_t after_time = 0, after_labels = 0, n = 0;
	struct range range;
	int r;

	if (how->include || how->exclude)
		matched = match_stacks(p, how);
	if (!pass || ((how->include || how->exclude) && !matched))
		return ch_fail(err, -ENOMEM, "select: %m");
	r = ch_events_choose(p, how->event, chosen, err);
	if (r < 0)
		return r;
	for (size_t i = 0; how->all_events && i < p->n_events; i++)
		chosen[i] = true;
	r = time_range(p, how, &range, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->rows.n; i++) {
		if (!chosen[p->rows.event[i]] || !in_range(p, i, &range))
			continue;
		after_time++;
		if (!pass[p->rows.labels[i]])
			continue;
		after_labels++;
		if (!matched || stack_passes(how, matched[p->rows.stack[i]]))
			rows[n++] = (uint32_t)i;
	}
	if (!n)
		return ch_fail(err, -ENODATA, "no samples are left: %s matched none",
		               emptied_by(how, after_time, after_labels));
	*ret_n = n;
	return 0;
}
