/*
 * From what was recorded to what is shown: filters, name styles, roots by label, direction. The
 * frames of the result are final: a Java method stands once under its parent, however many lines
 * or compilation kinds it was recorded with.
 */
#ifndef CH_PROFILE_SELECT_H
#define CH_PROFILE_SELECT_H

#include "base/buf.h"
#include "profile/profile.h"

#include <regex.h>

/* A moment given by the user: absolute, or relative to the recording's start or end. */
struct ch_when {
	enum { CH_WHEN_NONE, CH_WHEN_EPOCH, CH_WHEN_AFTER_START, CH_WHEN_BEFORE_END } kind;
	int64_t ns;
};

struct ch_where {
	const char *key, *value;
};

enum ch_name_style {
	CH_NAMES_SLASH,  /* java/lang/Thread.run */
	CH_NAMES_DOT,    /* java.lang.Thread.run */
	CH_NAMES_SIMPLE, /* Thread.run */
};

struct ch_select {
	const char *event; /* word or type; NULL: the default rule */
	bool all_events;   /* keep every event (pages, recordings) instead of one */
	struct ch_when from, to;
	const regex_t *thread, *include, *exclude; /* NULL: no such filter */
	const char *state; /* label `state` is one of these words, comma-separated, case ignored */
	const struct ch_where *where;
	size_t n_where;
	const char *const *by; /* label keys; each becomes a root frame key=value */
	size_t n_by;
	bool threads;     /* thread name as root frame */
	bool lines;       /* name:line */
	bool annotate;    /* _[j] _[i] … behind the name, as async-profiler does */
	bool normalize;   /* made-up class names without their numbers and addresses */
	bool reverse;     /* stacks from the leaf */
	bool keep_kinds;  /* do not merge Java kinds (recordings keep what was recorded) */
	bool weigh_kinds; /* merged frames get the kind with most weight, else that seen first */
	bool keep_times;  /* keep single samples with their time */
	bool keep_labels; /* keep label sets; else rows differ by stack only */
	enum ch_name_style names;
};

/*
 * Applies `how` to p. Returns 0 and the result, which is p itself when there was nothing to do and a
 * new profile otherwise; or a negative errno: -ENODATA when nothing is left, with a sentence that
 * says which filter emptied it.
 */
int ch_select(struct ch_profile *p, const struct ch_select *how, struct ch_profile **ret,
              struct ch_error *err);

/* A frame's name in a style, with `:line` and `_[x]` when asked for; appended to out. */
void ch_name_format(const struct ch_profile *p, const struct ch_frame *f, const struct ch_select *s,
                    struct ch_buf *out);

#endif
