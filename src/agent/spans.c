#include "agent/spans.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/emit.h"
#include "agent/names.h"
#include "agent/sampler.h"

#define BUCKETS  256
#define OPEN_MAX 16384
#define TRIES    50

struct open_span {
	struct open_span *next;
	int tid;
	int64_t java_id;
	size_t name_len;
	char name[CH_THREAD_NAME_MAX];
	struct ch_rec_span rec; /* with its texts behind it */
};

static struct {
	pthread_mutex_t lock;
	struct open_span *bucket[BUCKETS];
	unsigned n;
} spans = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct open_span **bucket_of(int64_t task_id)
{
	return &spans.bucket[(uint64_t)task_id % BUCKETS];
}

/* --- into the rings -------------------------------------------------------------------------- */

static bool put_in(struct ch_stripe *s, struct ch_thread *t, const struct ch_rec_span *from,
                   size_t n)
{
	struct ch_rec_span *rec = ch_ring_reserve(&s->samples, n);

	if (!rec)
		return false;
	memcpy(rec, from, n);
	if (!ch_name_thread(t, s, &rec->name))
		return false;
	ch_ring_commit(&s->samples, rec, n);
	return true;
}

/* A span is worth a few turns: there are few of them, and each says what many samples are for. */
static void put(struct ch_thread *t, const struct ch_rec_span *from, size_t n)
{
	struct ch_stripe *s = NULL;

	for (unsigned i = 0; i < TRIES; i++) {
		bool done = false;

		s = ch_stripe_take(&ch_sampler.rings);
		if (s) {
			done = put_in(s, t, from, n);
			ch_stripe_release(s);
		}
		if (done)
			return;
		ch_sampler_wake();
		sched_yield();
	}
	atomic_fetch_add(&ch_sampler.dropped[s ? CH_DROP_FULL : CH_DROP_BUSY], 1);
}

/* The thread is one of the VM's: it may have come before the agent knew of threads. */
static void put_now(const struct ch_rec_span *from, size_t n)
{
	struct ch_thread *t = ch_thread_of_tid((int)syscall(SYS_gettid));

	if (t && atomic_load(&ch_sampler.running))
		put(t, from, n);
}

/* --- what is open ---------------------------------------------------------------------------- */

static size_t size_of(const struct ch_rec_span *rec)
{
	size_t n = offsetof(struct ch_rec_span, text);

	for (unsigned i = 0; i < CH_SPAN_TEXTS; i++)
		n += rec->len[i];
	return n;
}

static size_t cut(size_t n)
{
	return n < CH_SPAN_TEXT_MAX ? n : CH_SPAN_TEXT_MAX;
}

static void take_told_name(struct open_span *o)
{
	struct ch_thread *t = ch_thread_of_tid(o->tid);
	int n = t ? ch_name_told(t, o->name) : -1;

	if (n < 0)
		return;
	o->name_len = (size_t)n;
	o->java_id = t->java_id;
}

/* The thread's name as of now: what it is called while it works on the task. */
static void take_thread(struct open_span *o)
{
	struct ch_thread *t = ch_thread_of_tid(o->tid);
	uint64_t java = t ? atomic_load(&t->java) : 0;
	int n = -1;

	if (java)
		n = ch_thread_name_sig(&ch_sampler.vm, &ch_sampler.names, java, o->name,
		                       sizeof(o->name));
	o->name_len = 0;
	o->java_id = t ? t->java_id : 0;
	if (n < 0)
		take_told_name(o);
	else
		o->name_len = (size_t)n;
}

static struct open_span *make(const struct ch_span_labels *l)
{
	size_t n = 0;
	struct open_span *o;
	char *to;

	for (unsigned i = 0; i < CH_SPAN_RESULT; i++)
		n += cut(l->len[i]);
	o = malloc(sizeof(*o) + n);
	if (!o)
		return NULL;
	o->tid = (int)syscall(SYS_gettid);
	take_thread(o);
	o->rec = (struct ch_rec_span){ .rec.type = CH_REC_SPAN,
		                       .start_ns = ch_now_ns(),
		                       .task_id = l->task_id,
		                       .sql_execution = l->sql_execution,
		                       .stage = l->stage,
		                       .stage_attempt = l->stage_attempt,
		                       .partition = l->partition,
		                       .attempt = l->attempt };
	to = o->rec.text;
	for (unsigned i = 0; i < CH_SPAN_RESULT; i++) {
		o->rec.len[i] = (uint16_t)cut(l->len[i]);
		if (l->text[i])
			memcpy(to, l->text[i], o->rec.len[i]);
		to += o->rec.len[i];
	}
	return o;
}

/* Under the lock. */
static struct open_span *unlink_at(struct open_span **at)
{
	struct open_span *o = *at;

	*at = o->next;
	spans.n--;
	return o;
}

/* Of the calling thread: others may have a part in the same task. */
static struct open_span *take_out(int64_t task_id)
{
	struct open_span *found = NULL;
	int tid = (int)syscall(SYS_gettid);

	pthread_mutex_lock(&spans.lock);
	for (struct open_span **at = bucket_of(task_id); *at && !found; at = &(*at)->next)
		if ((*at)->rec.task_id == task_id && (*at)->tid == tid)
			found = unlink_at(at);
	pthread_mutex_unlock(&spans.lock);
	return found;
}

/* Whatever the calling thread has open, one behind the other. */
static struct open_span *take_out_all(void)
{
	struct open_span *all = NULL;
	int tid = (int)syscall(SYS_gettid);

	pthread_mutex_lock(&spans.lock);
	for (unsigned i = 0; i < BUCKETS && spans.n; i++)
		for (struct open_span **at = &spans.bucket[i]; *at;) {
			struct open_span *o;

			if ((*at)->tid != tid) {
				at = &(*at)->next;
				continue;
			}
			o = unlink_at(at);
			o->next = all;
			all = o;
		}
	pthread_mutex_unlock(&spans.lock);
	return all;
}

static bool put_open(struct open_span *o)
{
	bool room;

	pthread_mutex_lock(&spans.lock);
	room = spans.n < OPEN_MAX;
	if (room) {
		struct open_span **at = bucket_of(o->rec.task_id);

		o->next = *at;
		*at = o;
		spans.n++;
	}
	pthread_mutex_unlock(&spans.lock);
	return room;
}

/*
 * Into the list first: a recording that starts meanwhile takes from there what it has not been told.
 * Only this thread takes it out again.
 */
static void open_now(struct open_span *o)
{
	if (put_open(o)) {
		put_now(&o->rec, size_of(&o->rec));
	} else {
		atomic_fetch_add(&ch_sampler.dropped[CH_DROP_FULL], 1);
		free(o);
	}
}

static void end(struct open_span *o, const char *result, size_t n)
{
	size_t size = size_of(&o->rec), len = result ? cut(n) : 0;
	struct open_span *grown = realloc(o, sizeof(*o) + size + len);

	if (grown) {
		struct ch_rec_span *rec = &grown->rec;

		o = grown;
		if (len)
			memcpy((char *)rec + size, result, len);
		rec->len[CH_SPAN_RESULT] = (uint16_t)len;
		rec->end_ns = ch_now_ns();
		put_now(rec, size_of(rec));
	}
	free(o);
}

void ch_spans_end_thread(void)
{
	for (struct open_span *o = take_out_all(), *next; o; o = next) {
		next = o->next;
		end(o, NULL, 0);
	}
}

void ch_span_start(const struct ch_span_labels *labels)
{
	struct open_span *o;

	ch_spans_end_thread();
	o = make(labels);
	if (o)
		open_now(o);
}

/* A copy of the task, whoever works on it. */
static struct open_span *copy_of(int64_t task_id)
{
	struct open_span *copy = NULL;

	pthread_mutex_lock(&spans.lock);
	for (struct open_span *o = *bucket_of(task_id); o && !copy; o = o->next) {
		size_t n = offsetof(struct open_span, rec) + size_of(&o->rec);

		if (o->rec.task_id != task_id)
			continue;
		copy = malloc(n);
		if (!copy)
			break;
		memcpy(copy, o, n);
	}
	pthread_mutex_unlock(&spans.lock);
	return copy;
}

void ch_span_join(int64_t task_id)
{
	struct open_span *o = copy_of(task_id);

	if (!o)
		return;
	o->tid = (int)syscall(SYS_gettid);
	o->rec.start_ns = ch_now_ns();
	take_thread(o);
	open_now(o);
}

void ch_span_end(int64_t task_id, const char *result, size_t n)
{
	struct open_span *o = take_out(task_id);

	if (o)
		end(o, result, n);
}

/* --- in the recorder ------------------------------------------------------------------------- */

static void write_one(struct ch_chunk *c, struct ch_intern *in, struct open_span *o)
{
	union {
		struct ch_rec_thread def;
		char room[sizeof(struct ch_rec_thread) + CH_THREAD_NAME_MAX];
	} t;

	if (!o->name_len)
		take_told_name(o); /* the task began before the agent looked at threads */
	t.def = (struct ch_rec_thread){ .id = atomic_fetch_add(&ch_sampler.thread_names, 1) + 1,
		                        .tid = o->tid,
		                        .java_id = o->java_id,
		                        .len = (uint32_t)o->name_len };
	memcpy(t.def.name, o->name, o->name_len);
	ch_intern_define_thread(in, &t.def);
	/* The record is only read: its thread may be putting it into a ring. */
	ch_emit_span(c, in, t.def.id, &o->rec);
}

void ch_spans_write_open(struct ch_chunk *c, struct ch_intern *in)
{
	pthread_mutex_lock(&spans.lock);
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct open_span *o = spans.bucket[i]; o; o = o->next)
			write_one(c, in, o);
	pthread_mutex_unlock(&spans.lock);
}
