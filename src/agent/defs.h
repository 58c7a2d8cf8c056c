/* What ids of methods, threads and classes mean: the definitions of one chunk. */
#ifndef CH_AGENT_DEFS_H
#define CH_AGENT_DEFS_H

#include "agent/record.h"
#include "base/arena.h"

struct ch_def_method {
	const char *bytes; /* class, name, signature, packed lines */
	uint16_t class_len, name_len, sig_len, lines_len;
	uint32_t key;     /* constant in the chunk, 0 not yet */
	uint32_t carried; /* its id among those that are carried over, 0 none */
};

struct ch_def_thread {
	const char *name;
	uint32_t len;
	int32_t tid;
	int64_t java_id;
	uint32_t carried;
	bool written;
	/* Its last wall sample, for those that say "as before". */
	uint64_t *wall_frames;
	uint32_t wall_n, wall_end;
};

struct ch_def_class {
	const char *name;
	uint32_t len;
	uint32_t carried;
};

/* Ids grow, but come in any order: an array from the smallest one seen on. */
struct ch_def_array {
	void *items;
	size_t first, n, cap;
	uint32_t next; /* of what is carried over: the last id given out */
};

struct ch_defs {
	struct ch_arena arena;
	struct ch_def_array methods, threads, classes;
	size_t wall_bytes; /* of all threads' last wall samples */
};

void ch_defs_init(struct ch_defs *d);
void ch_defs_done(struct ch_defs *d);
/* None of them is a constant of the chunk any more, nor carried over. */
void ch_defs_unwrite(struct ch_defs *d);
size_t ch_defs_memory(const struct ch_defs *d);

/* 0 or -ENOMEM. */
int ch_defs_add_method(struct ch_defs *d, const struct ch_rec_method *m);
int ch_defs_add_thread(struct ch_defs *d, const struct ch_rec_thread *t);
int ch_defs_add_class(struct ch_defs *d, const struct ch_rec_class *c);

/* Ids of what is carried over to d go on behind those of `before`. */
void ch_defs_follow(struct ch_defs *d, const struct ch_defs *before);
/* Copies a definition to another place, once; the id it has there, 0 without memory. */
uint32_t ch_defs_carry_method(struct ch_defs *to, struct ch_def_method *def);
uint32_t ch_defs_carry_thread(struct ch_defs *to, struct ch_def_thread *def);
uint32_t ch_defs_carry_class(struct ch_defs *to, struct ch_def_class *def);

/* Keeps the frames as the last wall sample of a thread defined in d; without memory it has none. */
void ch_defs_keep_wall(struct ch_defs *d, struct ch_def_thread *t, const uint64_t *frames,
                       uint32_t n, uint32_t end);

/* NULL when it is not defined here. */
struct ch_def_method *ch_defs_method(struct ch_defs *d, uint64_t id);
struct ch_def_thread *ch_defs_thread(struct ch_defs *d, uint64_t id);
struct ch_def_class *ch_defs_class(struct ch_defs *d, uint64_t id);

#endif
