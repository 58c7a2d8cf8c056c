#include "formats/spark_thread.h"
#include "base/span.h"

#include <string.h>

static const char *const keys[] = { "stage", "stage_attempt", "partition", "attempt", "task" };

/* A reader of text that remembers whether everything matched so far. */
struct text {
	const char *s, *end;
	bool ok;
};

static void expect(struct text *t, const char *word)
{
	size_t n = strlen(word);

	t->ok = t->ok && (size_t)(t->end - t->s) >= n && !memcmp(t->s, word, n);
	if (t->ok)
		t->s += n;
}

/* Digits, as a string of the profile. */
static struct text digits(struct text *t)
{
	struct text d = { t->s, t->s, true };

	while (t->s < t->end && ch_is_digit(*t->s))
		t->s++;
	d.end = t->s;
	t->ok = t->ok && d.end > d.s;
	return d;
}

static uint32_t label(struct ch_profile *p, uint32_t set, const char *key, struct text value)
{
	if (!ch_profile_wants(p, key))
		return set;
	return ch_profile_label(p, set, ch_profile_strz(p, key),
	                        ch_profile_str(p, value.s, (size_t)(value.end - value.s)));
}

bool ch_spark_thread_wanted(const struct ch_profile *p)
{
	for (size_t i = 0; i < CH_LEN(keys); i++)
		if (ch_profile_wants(p, keys[i]))
			return true;
	return false;
}

uint32_t ch_spark_thread_labels(struct ch_profile *p, uint32_t set, const char *name, size_t n)
{
	struct text t = { name, name + n, true };
	struct text first, value[CH_LEN(keys)];

	expect(&t, "Executor task launch worker for task ");
	first = digits(&t);
	if (t.ok && t.s == t.end)
		return label(p, set, "task", first);
	value[2] = first;
	expect(&t, ".");
	value[3] = digits(&t);
	expect(&t, " in stage ");
	value[0] = digits(&t);
	expect(&t, ".");
	value[1] = digits(&t);
	expect(&t, " (TID ");
	value[4] = digits(&t);
	expect(&t, ")");
	for (size_t i = 0; t.ok && i < CH_LEN(keys); i++)
		set = label(p, set, keys[i], value[i]);
	return set;
}
