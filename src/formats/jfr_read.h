/*
 * The parts of the JFR reader and what they share:
 *
 *	jfr_read.c       the file: its chunks, on as many cores as there are
 *	jfr_chunk.c      one chunk into one profile: types, pools, the walk over the events
 *	jfr_parts.c      that walk on several cores, where there are fewer chunks than these
 *	jfr_events.c     the table of events and what is done with each
 *	jfr_groups.c     equal samples of a chunk, added up
 *	jfr_constants.c  stacks, classes and texts of a chunk as things of the profile
 *	jfr_labels.c     label sets of samples: thread, state, spans, own labels
 *	jfr_spans.c      spans and labels of the whole file, joined to samples by thread and time
 *	jfr_settings.c   what a sample stands for
 */
#ifndef CH_FORMATS_JFR_READ_H
#define CH_FORMATS_JFR_READ_H

#include "formats/input.h"
#include "formats/jfr_groups.h"
#include "jfr/pools.h"
#include "profile/paths.h"

/* Annotations by which a Charcloth recording says what the numbers of an event mean. */
#define CH_REC_UNIT     "charcloth.Unit"
#define CH_REC_SCALE    "charcloth.Scale"
#define CH_REC_INTERVAL "charcloth.Interval"
#define CH_REC_NAME     "charcloth.Name" /* where the event's own name is no name of a type */

/* Pools that are kept; the order is that of ch_rec_pool_types. */
enum ch_rec_pool {
	CH_REC_STACKS,
	CH_REC_METHODS,
	CH_REC_CLASSES,
	CH_REC_SYMBOLS,
	CH_REC_STRINGS,
	CH_REC_THREADS,
	CH_REC_STATES,
	CH_REC_FRAME_TYPES,
	CH_REC_OLD_OBJECTS,
	CH_REC_LABELS,
	CH_REC_POOLS
};

/* Slots of a thread's plan. */
enum { CH_REC_THREAD_JAVA_NAME, CH_REC_THREAD_OS_NAME, CH_REC_THREAD_OS_ID, CH_REC_THREAD_JAVA_ID };

/* Where a text lies: in the value itself, or behind a key in the same slot. */
enum ch_rec_text { CH_REC_NO_TEXT, CH_REC_INLINE, CH_REC_SYMBOL, CH_REC_STRING };

/* How the values of a pool are read: a plan and where its texts lie. */
struct ch_rec_layout {
	const struct ch_jfr_plan *plan;
	enum ch_rec_text text[2];
};

/* Keys of frame types below this are looked up in an array. */
#define CH_REC_FRAME_TYPE_KEYS 16

struct ch_rec_frame_type {
	uint8_t kind; /* enum ch_kind */
	bool known;
	bool bare; /* a function outside Java: the class is no part of its name */
};

struct ch_rec_thread {
	uint32_t labels;   /* set with all that the thread itself says */
	uint64_t identity; /* the same for this thread in every chunk of the file */
};

/* A method as the frames that it has become, by key of the frame type. */
struct ch_rec_method {
	uint32_t id[CH_REC_FRAME_TYPE_KEYS]; /* frame, or name when lines are wanted; 0 not yet */
};

/* Frames met last, found without a search. Types of 2^32 and more are never there. */
#define CH_REC_RECENT 1024

struct ch_rec_recent {
	uint64_t method;
	uint32_t type, id; /* id 0: free */
};

/* What the settings in a file say about intervals, in ns; 0 is not known. */
struct ch_rec_settings {
	int64_t execution_period_ns, native_period_ns; /* the JDK's */
	int64_t interval_ns, wall_ns;                  /* async-profiler's */
	char event[32];                                /* async-profiler's, "" when not said */
};

/* What a file says about itself, summed up over its chunks. */
struct ch_rec_sums {
	struct ch_rec_settings settings;
	uint64_t lost_stacks;              /* samples whose stack is not there */
	uint64_t lost_bytes, lost_samples; /* as the recorder says */
};

struct ch_rec_handler;
struct ch_rec_parts;
struct ch_spans;

/* Events that a part of the walk must leave to the whole: all but samples. */
struct ch_rec_later {
	struct {
		uint64_t type;
		struct ch_cursor body;
	} * items;
	size_t n, cap;
	bool full; /* something had no room: the part is worth nothing */
};

/* A chunk on its way into a profile. */
struct ch_rec {
	const struct ch_input *in;
	struct ch_jfr_chunk chunk;
	struct ch_profile *p;
	struct ch_paths *paths;       /* of p */
	struct ch_rec_groups *groups; /* empty between chunks */
	struct ch_rec_later *later;   /* NULL unless this is a part of the walk */
	const struct ch_spans *spans; /* NULL: none wanted, or none there */

	struct ch_jfr_types types;
	struct ch_jfr_pool pools[CH_REC_POOLS];
	struct ch_rec_layout layout[CH_REC_POOLS];

	struct {
		const struct ch_jfr_plan *plan; /* of a stack frame */
		bool usual;   /* method, line, bytecode index and type, all varints */
		bool foreign; /* frame types of async-profiler: "Native" is not Java */
		struct ch_rec_frame_type types[CH_REC_FRAME_TYPE_KEYS];
		struct ch_rec_recent recent[CH_REC_RECENT];
	} frame;

	/* Constants met so far: place in the array below plus 1, or frame of the class. */
	struct ch_jfr_idmap methods_seen, threads_seen, classes_seen[2];
	struct ch_jfr_idmap states_seen, spans_seen, labels_seen; /* label set, plus 1 */
	struct ch_rec_method *methods;
	size_t n_methods, methods_cap;
	struct ch_rec_thread *threads;
	size_t n_threads, threads_cap;
	uint32_t *path; /* frames of the stack in hand, leaf first */
	size_t path_cap;
	struct ch_buf scratch, name;
	uint32_t no_stack, lost_stack; /* stacks of one frame each, 0 not yet */

	bool want_thread, want_tid, want_state, want_task, want_labels;

	struct ch_rec_handler *handlers;
	size_t n_handlers, handlers_cap;
	struct ch_jfr_idmap by_type; /* handler of a type id, plus 1 */

	struct ch_rec_sums *sums;
	size_t touched;           /* bytes of the chunk brought in since some were given back */
	uint64_t *touched_blocks; /* bit per block */
	uint64_t n_bad;           /* events that could not be read */
};

/* --- jfr_chunk.c --- */

/* The chunk's types first, its pools then. A failure says why in `why`, which may be NULL. */
int ch_rec_open_types(struct ch_rec *r, struct ch_error *why);
int ch_rec_open_pools(struct ch_rec *r, struct ch_error *why);
/* Frees what the two above made, whether they failed or not. */
void ch_rec_done(struct ch_rec *r);
/* Says that the bytes around an offset of the chunk are read; gives memory back now and then. */
void ch_rec_touch(struct ch_rec *r, size_t offset);
/* Reads a chunk into r->p. Negative when nothing of it could be used, with a sentence. */
int ch_rec_chunk(struct ch_rec *r, struct ch_error *why);

/* --- jfr_parts.c --- */

/*
 * Makes parts of the walk over the events of a chunk, whose types and handlers are there: one per
 * core. NULL when it is not worth it, or there is no memory: walk over it in one go.
 */
struct ch_rec_parts *ch_rec_parts_new(struct ch_rec *r);
/* Opens the pools of the chunk and groups its samples, at the same time; the result is that of
 * ch_rec_open_pools. */
int ch_rec_parts_run(struct ch_rec_parts *parts, struct ch_error *why);
/*
 * Hands everything to the chunk in the order in which it was recorded, so that the result is the
 * same for any number of cores; *ret_end is what was left of the events. False, and nothing done,
 * when some part was full.
 */
bool ch_rec_parts_join(struct ch_rec_parts *parts, struct ch_cursor *ret_end);
void ch_rec_parts_free(struct ch_rec_parts *parts);
/* False when there is no room. */
bool ch_rec_later_add(struct ch_rec_later *l, uint64_t type, struct ch_cursor body);

/* --- jfr_constants.c --- */

/* Before the pools are read, and after. */
void ch_rec_constants_plan(struct ch_rec *r);
void ch_rec_constants_init(struct ch_rec *r);
void ch_rec_constants_done(struct ch_rec *r);
/*
 * The trie node of a stack key; a stack that is not there is one frame that says so, and `samples`
 * are counted as lost.
 */
uint32_t ch_rec_stack(struct ch_rec *r, uint64_t key, int64_t samples);
/* The stack with a class on top; key 0 leaves it as it is. */
uint32_t ch_rec_push_class(struct ch_rec *r, uint32_t stack, uint64_t key, enum ch_kind kind,
                           bool old_object);
/* Reads the value of a key by its pool's plan. False when it is not there. */
bool ch_rec_value(struct ch_rec *r, enum ch_rec_pool pool, uint64_t key, uint64_t *slots);
/* A text kept in a slot; borrowed until the next call. */
struct ch_span ch_rec_text(struct ch_rec *r, enum ch_rec_text where, uint64_t slot);
/* How a field of a type holds its text. */
enum ch_rec_text ch_rec_text_of(const struct ch_rec *r, const struct ch_jfr_type *type,
                                const char *field);

/* --- jfr_labels.c --- */

void ch_rec_labels_init(struct ch_rec *r);
void ch_rec_labels_done(struct ch_rec *r);
/* All zero when the key is not there. Valid until the next call. */
const struct ch_rec_thread *ch_rec_thread(struct ch_rec *r, uint64_t key);
/* The label set of a group: what thread, state, spans and the recorder itself say. */
uint32_t ch_rec_labels(struct ch_rec *r, const struct ch_rec_group *g);

/* --- jfr_events.c --- */

/* Finds the handlers for the events that the profile wants. 0 or -ENOMEM. */
int ch_rec_events_init(struct ch_rec *r);
/* Hands an event of a type to its handler, if there is one. */
void ch_rec_event(struct ch_rec *r, uint64_t type, struct ch_cursor body);
/* Adds a sample, or several at once, to its group; a full table is emptied into the profile. */
void ch_rec_sample(struct ch_rec *r, const struct ch_rec_group *g);
/* Handlers for a part of the walk, to be freed; NULL when there is no memory. */
struct ch_rec_handler *ch_rec_handlers_copy(const struct ch_rec *r);
/* Adds what a part's handlers counted. */
void ch_rec_handlers_join(struct ch_rec *r, const struct ch_rec_handler *from);
/* Adds the groups to the profile. */
void ch_rec_events_flush(struct ch_rec *r);
void ch_rec_events_done(struct ch_rec *r);

/* --- jfr_spans.c --- */

/* True when labels are wanted that spans may have. */
bool ch_rec_wants_spans(const struct ch_profile *p);
/* Adds the spans and labels of a chunk. 0 or a negative errno; ch_rec_done is called. */
int ch_rec_collect(struct ch_rec *r, struct ch_spans *spans);

/* --- jfr_settings.c --- */

/* One jdk.ActiveSetting: of the event type `of`. */
void ch_rec_setting(struct ch_rec_settings *s, struct ch_span of, struct ch_span name,
                    struct ch_span value);
void ch_rec_settings_join(struct ch_rec_settings *to, const struct ch_rec_settings *from);
/* What one sample of an event type stands for, 0 unknown. */
int64_t ch_rec_interval(const struct ch_rec_settings *s, const char *type);

#endif
