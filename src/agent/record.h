/*
 * What a thread leaves for the recorder: records in rings, plain structs that start with their
 * size and type. Two kinds of rings: samples, and definitions (names) that samples refer to by id.
 * A definition is in its ring before its id can be seen anywhere, and the recorder reads the
 * definitions after it has looked how far the samples go: a sample's names are always known.
 */
#ifndef CH_AGENT_RECORD_H
#define CH_AGENT_RECORD_H

#include "hotspot/method.h"
#include "hotspot/walk.h"

enum ch_rec_type {
	CH_REC_SKIP, /* fills the end of a ring */
	CH_REC_SAMPLE,
	CH_REC_SPAN,
	CH_REC_METHOD,
	CH_REC_THREAD,
	CH_REC_CLASS,
};

struct ch_rec {
	uint32_t size; /* of the whole record, a multiple of 8 */
	uint32_t type;
};

/* What was measured. */
enum ch_event {
	CH_EV_CPU,
	CH_EV_WALL,
	CH_EV_ALLOC,
	CH_EV_LIVE,
	CH_EV_MONITOR,
	CH_EV_PARK,
	CH_EV_PERF,
	CH_EV_COUNT,
};

enum ch_state {
	CH_STATE_RUNNABLE,
	CH_STATE_SLEEPING,
	CH_STATE_COUNT,
};

/* Notes in the place of frames: the failures of AsyncGetCallTrace, then our own. */
enum ch_note {
	CH_NOTE_THREAD_ENDED = 11,
	CH_NOTE_UNSEEN,
	CH_NOTE_COUNT,
};

/* How many frames a wall sample has that is as the last one of its thread. */
#define CH_FRAMES_AS_BEFORE UINT32_MAX

struct ch_rec_sample {
	struct ch_rec rec;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t weight;  /* intervals, bytes, or events */
	uint64_t extra;   /* wall, locks: duration in ns; live: bytes of the object; perf: which */
	uint64_t ref;  /* live: its weak reference, or its birth while it is written; locks: id */
	uint32_t name; /* id of a thread definition */
	uint32_t class_id; /* id of a class definition, 0 none */
	uint8_t event, state;
	uint16_t end; /* enum ch_walk_end */
	uint32_t n_frames;
	uint64_t frames[];
};

struct ch_rec_method {
	struct ch_rec rec;
	uint64_t id;
	struct ch_method_copy copy;
};

#define CH_THREAD_NAME_MAX 240

struct ch_rec_thread {
	struct ch_rec rec;
	uint32_t id;
	int32_t tid;
	int64_t java_id; /* java.lang.Thread.getId(), 0 for threads that are none */
	uint32_t len;
	char name[];
};

/* A class: the bytes of its signature or its name. */
struct ch_rec_class {
	struct ch_rec rec;
	uint32_t id, len;
	char name[];
};

/* The texts of a span. */
enum ch_span_text {
	CH_SPAN_EXECUTOR,
	CH_SPAN_JOB_GROUP,
	CH_SPAN_DESCRIPTION,
	CH_SPAN_RESULT, /* of one that has ended */
	CH_SPAN_TEXTS,
};

/* What a thread works on. Numbers that are not known are -1. */
struct ch_rec_span {
	struct ch_rec rec;
	uint64_t start_ns, end_ns; /* end 0: still open */
	int64_t task_id, sql_execution;
	int32_t stage, stage_attempt, partition, attempt;
	uint32_t name;               /* thread definition */
	uint16_t len[CH_SPAN_TEXTS]; /* 0: there is none */
	char text[];                 /* one behind the other */
};

#endif
