/*
 * The profile: what every reader fills and every view reads.
 *
 *   strings ← frames ← trie of stacks ┐
 *   strings ← label sets              ├← rows (event, stack, labels, samples, value, time)
 *   event kinds                       ┘
 *
 * A frame is a name with a kind (and a line when lines are wanted). A stack is a node of a trie:
 * node 0 is the empty stack, a parent always has a smaller number than its children. A label set
 * is an immutable set of key=value pairs; set 0 is empty. A row is a sample, or many that differ
 * in nothing that was asked for: unless times are wanted, equal rows are folded while reading.
 *
 * Functions that add things never fail loudly. The first failure sticks in `err` (out of memory,
 * too many things) and ids come back as 0; readers check ch_profile_status() now and then and at
 * the end. Not thread-safe: parallel readers fill one profile each and merge them.
 * All columns may be read directly; only src/profile writes them, except that readers set start_ns
 * and end_ns.
 */
#ifndef CH_PROFILE_PROFILE_H
#define CH_PROFILE_PROFILE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/index.h"
#include "base/strtab.h"

#include <stdbool.h>

/* What a frame is; the codes are part of the page format. See ch_kinds in kinds.c. */
enum ch_kind {
	CH_KIND_OTHER,
	CH_KIND_JAVA, /* compiled, by C2 or unknown */
	CH_KIND_C1,
	CH_KIND_INTERPRETED,
	CH_KIND_INLINED,
	CH_KIND_NATIVE,
	CH_KIND_JVM,
	CH_KIND_KERNEL,
	CH_KIND_PYTHON,
	CH_KIND_ALLOC, /* class of an allocated object, as leaf */
	CH_KIND_LOCK,  /* class of a monitor or parked-on object, as leaf */
	CH_KIND_LABEL, /* made from a label by --by or --threads */
	CH_KIND_COUNT
};

static inline bool ch_kind_is_java(enum ch_kind k)
{
	return k >= CH_KIND_JAVA && k <= CH_KIND_INLINED;
}

/* No string of a profile has more bytes: longer ones are cut, and the cut is noted as damage. */
#define CH_NAME_MAX (64 * 1024)
#define CH_NO_TIME  INT64_MIN

struct ch_frame {
	uint32_t name; /* string id; Java as java/lang/Thread.run */
	uint32_t file; /* string id of the source file, 0 unknown */
	uint32_t line; /* 0 unknown or not wanted */
	uint8_t kind;  /* enum ch_kind */
};

struct ch_label {
	uint32_t key, value; /* string ids */
};

/* What the views will look at; readers leave the rest out. */
struct ch_want {
	bool times;          /* keep the time of each sample, do not fold */
	bool lines;          /* frames differ by line */
	bool no_kinds;       /* frames do not differ by kind: nothing but names will be shown */
	bool all_labels;     /* keep every label the reader knows */
	const char **labels; /* else only these keys; NULL-terminated, may be NULL; borrowed */
	const char *event;   /* word or type name when only one is asked for, else NULL; borrowed */
	bool as_recorded;    /* keep events as they are, however they overlap */
	bool one_event;      /* none is asked for, but one will be shown: the default */
	bool series;         /* keep metric series */
};

struct ch_event {
	uint32_t type; /* string id: JFR type name, or the foreign format's own */
	uint32_t word; /* string id: cpu, wall, alloc …; equals type when there is no word */
	uint32_t unit; /* string id of the value's unit: "ns", "bytes", "count" … */
	int64_t scale; /* counts and values are stored times this; 1 unless fractional, never 0 */
	int64_t interval_ns; /* what one sample stands for, 0 unknown */
	int64_t samples;     /* sums over the rows */
	int64_t value;
	int64_t unread; /* samples that the reader left out, since nobody will look at them */
};

struct ch_sample {
	uint16_t event;
	uint32_t stack;  /* trie node */
	uint32_t labels; /* label set */
	int64_t samples; /* times scale */
	int64_t value;   /* in the event's unit, times scale; equals samples where there is none */
	int64_t time_ns; /* since the epoch, or CH_NO_TIME */
};

struct ch_series {
	uint32_t name, unit; /* string ids */
	uint32_t process;    /* string id of what it is of, 0 the only one */
	int64_t *time_ns;
	double *value;
	size_t n, time_cap, value_cap;
};

struct ch_trie {
	uint32_t *parent, *frame;
	size_t n, parent_cap, frame_cap;
	struct ch_index index;
};

struct ch_profile {
	struct ch_want want;
	struct ch_strtab strings;

	struct ch_frame *frames; /* frame 0 is unused */
	size_t n_frames, frames_cap;
	struct ch_index frame_index;

	struct ch_trie trie;

	struct ch_label *labels; /* pairs of all sets, one after the other, sorted by key */
	size_t n_labels, labels_cap;
	uint32_t *set_start; /* n_sets + 1 entries */
	size_t n_sets, sets_cap;
	struct ch_index set_index;

	struct ch_event *events;
	size_t n_events, events_cap;

	struct {
		uint16_t *event;
		uint32_t *stack, *labels;
		int64_t *samples, *value, *time_ns; /* time_ns is NULL unless times are wanted */
		size_t n, event_cap, stack_cap, labels_cap, samples_cap, value_cap, time_cap;
		struct ch_index index;
	} rows;

	uint32_t process; /* string id of what all this is of, 0 unknown */
	struct ch_series *series;
	size_t n_series, series_cap;

	int64_t start_ns, end_ns; /* of the recording where known, else CH_NO_TIME */

	char **notes; /* sentences for the user */
	size_t n_notes, notes_cap, notes_lost;
	bool damaged; /* part of an input could not be read: exit 3 */
	int err;
};

/* want is copied, the strings in it are borrowed for the profile's life. NULL when out of memory. */
struct ch_profile *ch_profile_new(const struct ch_want *want);
void ch_profile_free(struct ch_profile *p);

static inline void ch_profile_freep(struct ch_profile **p)
{
	ch_profile_free(*p);
}

/* 0, or the first failure as a negative errno with a sentence. */
int ch_profile_status(const struct ch_profile *p, struct ch_error *err);

/* For readers that found no memory: the first failure sticks, and status tells it. */
void ch_profile_fail(struct ch_profile *p, int err);

/* A string's id. Broken UTF-8 is repaired; what is then longer than CH_NAME_MAX is cut. */
uint32_t ch_profile_str(struct ch_profile *p, const char *s, size_t n);
uint32_t ch_profile_strz(struct ch_profile *p, const char *s);
/* The same of what was put together in b; when b found no memory for it, the profile fails. */
uint32_t ch_profile_buf(struct ch_profile *p, const struct ch_buf *b);
static inline const char *ch_profile_text(const struct ch_profile *p, uint32_t id)
{
	return p->strings.text[id];
}

/* The id of a frame. Line and file are dropped here unless lines are wanted, kinds with no_kinds. */
uint32_t ch_profile_frame(struct ch_profile *p, struct ch_frame f);
/* The stack that has `frame` on top of `parent`. */
uint32_t ch_profile_push(struct ch_profile *p, uint32_t parent, uint32_t frame);

/* True when rows should carry this label; readers ask once per key. */
bool ch_profile_wants(const struct ch_profile *p, const char *key);
/*
 * The set that is `set` with key=value added or replaced; value id 0 leaves the set as it is. A set
 * holds 64 labels: what is beyond them is left out, and that is noted as damage.
 */
uint32_t ch_profile_label(struct ch_profile *p, uint32_t set, uint32_t key, uint32_t value);
/* The value's string id, 0 when the set has no such key. */
uint32_t ch_profile_label_of(const struct ch_profile *p, uint32_t set, uint32_t key);
/* The union of two sets; `b` wins where both have a key. */
uint32_t ch_profile_labels_join(struct ch_profile *p, uint32_t a, uint32_t b);

/*
 * The number of an event by its type name, made when new: word from the table of event words,
 * unit as given ("ns", "bytes", "count"). At most 65,535 events.
 */
uint16_t ch_profile_event(struct ch_profile *p, const char *type, const char *unit);
/* Says that n samples of the event were left out. */
void ch_profile_unread(struct ch_profile *p, uint16_t event, int64_t n);
/* True when samples of this type should be read at all (want.event). */
bool ch_profile_wants_event(const struct ch_profile *p, const char *type);
/* Says what one sample of the event stands for; 0 and less say nothing. */
void ch_profile_interval(struct ch_profile *p, uint16_t event, int64_t ns);
/* The least scale that holds numbers of both; the larger of them where that leaves 64 bits. */
int64_t ch_profile_scale(int64_t a, int64_t b);
/* Raises an event's scale to a multiple of `scale`; rows and sums are adjusted. */
void ch_profile_rescale(struct ch_profile *p, uint16_t event, int64_t scale);

/* Adds a sample, folding it into an equal row unless times are wanted. */
void ch_profile_add(struct ch_profile *p, const struct ch_sample *s);

/* Marks damage when an event's samples or values were too large to add up and stay at the border. */
void ch_profile_check_sums(struct ch_profile *p);

/* Adds a point to a series, made when new. Ignored unless series are wanted. */
void ch_profile_point(struct ch_profile *p, const char *name, const char *unit, int64_t time_ns,
                      double value);
/* Its series are those of the process it is of, or of `otherwise` where that is not known. */
void ch_profile_name_process(struct ch_profile *p, const char *otherwise);
/* Adds the series of `from`; those of one name and process become one. */
void ch_profile_merge_series(struct ch_profile *to, const struct ch_profile *from);
/* Brings the points of every series into the order of time: recorders write them as they come. */
void ch_profile_sort_series(struct ch_profile *p);

/* A sentence for the user, once however often it is said; ch_profile_damage also marks damage. */
void ch_profile_note(struct ch_profile *p, const char *fmt, ...) CH_PRINTF(2, 3);
void ch_profile_damage(struct ch_profile *p, const char *fmt, ...) CH_PRINTF(2, 3);

/* Adds what `from` holds beside its rows: series, notes, damage, start and end, its failure. */
void ch_profile_merge_rest(struct ch_profile *to, const struct ch_profile *from);
/*
 * Adds everything of `from` to `to`; every row also gets the labels of `extra` (a set of `to`).
 * Failures stick in to->err.
 */
void ch_profile_merge(struct ch_profile *to, const struct ch_profile *from, uint32_t extra);

#endif
