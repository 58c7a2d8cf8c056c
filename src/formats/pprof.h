/*
 * What the reader and the writer of pprof share. The format is a protobuf message Profile with
 * tables of strings, functions, locations and mappings; a sample has one value per sample type.
 * How kinds, event types and scales survive the round trip: docs/formats.md.
 */
#ifndef CH_FORMATS_PPROF_H
#define CH_FORMATS_PPROF_H

#include "base/cursor.h"
#include "base/strtab.h"
#include "profile/profile.h"

enum ch_pprof_profile {
	CH_PPROF_SAMPLE_TYPE = 1,
	CH_PPROF_SAMPLE = 2,
	CH_PPROF_MAPPING = 3,
	CH_PPROF_LOCATION = 4,
	CH_PPROF_FUNCTION = 5,
	CH_PPROF_STRING = 6,
	CH_PPROF_TIME_NANOS = 9,
	CH_PPROF_DURATION_NANOS = 10,
	CH_PPROF_PERIOD_TYPE = 11,
	CH_PPROF_PERIOD = 12,
	CH_PPROF_COMMENT = 13,
	CH_PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

/* A label with the moment a sample was taken, as number in nanoseconds since the epoch. */
#define CH_PPROF_TIME_LABEL "end_timestamp_ns"
/* Begins the comments in which our writer says which event the columns from N on belong to. */
#define CH_PPROF_EVENT_COMMENT "charcloth event "

/* A unit as written, and what it means here. */
struct ch_pprof_unit {
	char unit[64];  /* "ns", "bytes", "count" … */
	int64_t factor; /* one of the written unit is so many of ours */
	int64_t scale;  /* `count/1000000`: numbers are stored times this; else 1 */
};

struct ch_pprof_unit ch_pprof_unit_of(const char *written, size_t n);
/* Spells a unit as pprof does; to has room for 96 bytes. */
void ch_pprof_unit_spell(const char *unit, int64_t scale, char *to);

/*
 * True when a column of counts and the one behind it measure the same thing, one in samples and
 * one in value: samples and cpu, alloc_objects and alloc_space, contentions and delay.
 */
bool ch_pprof_is_pair(const char *count, const char *value);
/* The names other tools know for an event word's columns; false when there are none. */
bool ch_pprof_columns(const char *word, const char **ret_count, const char **ret_value);

/* --- the tables of a file ------------------------------------------------------------------- */

struct ch_pprof_string {
	const uint8_t *p;
	uint32_t n;
	uint32_t id; /* in the profile, plus one; 0 until asked for */
};

/* Functions, locations and mappings are known by numbers the file chose. */
struct ch_pprof_thing {
	uint64_t id;
	struct ch_cursor body;
	uint32_t a, b; /* what became of it: see resolve functions in pprof_tables.c */
};

struct ch_pprof_table {
	struct ch_pprof_thing *things;
	size_t n, cap;
	struct ch_index index;
};

struct ch_pprof_tables {
	struct ch_profile *profile; /* gets names and frames */
	struct ch_pprof_string *strings;
	size_t n_strings, strings_cap;
	struct ch_pprof_table functions, locations, mappings;
	uint32_t *frames; /* frame ids of all locations, outermost first */
	size_t n_frames, frames_cap;
	size_t bad_refs; /* references to what is not in the tables */
	bool cut;        /* the message ended early */
};

/*
 * Walks over the whole message and makes the frames of all locations. The bytes are borrowed. 0,
 * or -ENOMEM; damage is counted in the fields above.
 */
int ch_pprof_tables_init(struct ch_pprof_tables *t, struct ch_profile *p, const uint8_t *data,
                         size_t n);
void ch_pprof_tables_done(struct ch_pprof_tables *t);
/* The profile's id of a string of the file; 0, the empty string, when it is out of range. */
uint32_t ch_pprof_string_id(struct ch_pprof_tables *t, uint64_t i);
static inline const char *ch_pprof_text(struct ch_pprof_tables *t, uint64_t i)
{
	return ch_profile_text(t->profile, ch_pprof_string_id(t, i));
}
/* The frames of a location, outermost first: their number, 0 for an unknown location. */
uint32_t ch_pprof_location(struct ch_pprof_tables *t, uint64_t id, const uint32_t **ret_frames);

#endif
