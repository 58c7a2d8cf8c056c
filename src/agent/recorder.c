#include "agent/recorder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/alloc.h"
#include "agent/cpu.h"
#include "agent/drain.h"
#include "agent/emit.h"
#include "agent/file.h"
#include "agent/governor.h"
#include "agent/live.h"
#include "agent/metrics.h"
#include "agent/names.h"
#include "agent/own_thread.h"
#include "agent/sampler.h"
#include "agent/spans.h"
#include "sys/symbols.h"

#define DRAIN_MS       100
#define FLUSH_NS       1000000000u
#define FIRST_FLUSH_NS 200000000u
#define SYMBOLS_MAX    (64u << 20)

static struct {
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows, between the thread and commands */
	bool started, stopping, ended;
	bool sampling;  /* all events have started: they may be stopped from here */
	bool spans_due; /* the file is new: tasks that run already are to be told */
	struct ch_args args;
	struct ch_chunk chunk;
	struct ch_intern *intern;
	struct ch_runs runs;
	struct ch_symbols *symbols;
	struct ch_live live;
	struct ch_error failure;
	char path[4096];
	uint64_t start_ns, end_ns, file_start_ns, chunk_start_ns, own_cpu_ns;
	int64_t start_ms;
	unsigned files;
} rec = { .lock = PTHREAD_MUTEX_INITIALIZER, .chunk.fd = -1 };

/* Of the calling thread: the recorder's own, or one that gives a command. */
static JNIEnv *env(void)
{
	JNIEnv *e = NULL;

	(*ch_agent.vm)->GetEnv(ch_agent.vm, (void **)&e, JNI_VERSION_1_6);
	return e;
}

static void take_sample(const struct ch_rec_sample *s)
{
	if (s->event == CH_EV_WALL) {
		ch_emit_wall(&rec.chunk, rec.intern, &rec.runs, s);
		return;
	}
	if (s->event != CH_EV_LIVE) {
		ch_emit_sample(&rec.chunk, rec.intern, s, s->event);
		return;
	}
	if (rec.args.alloc)
		ch_emit_sample(&rec.chunk, rec.intern, s, CH_EV_ALLOC);
	ch_live_add(&rec.live, env(), s);
}

static void take_span(const struct ch_rec_span *s)
{
	ch_emit_span(&rec.chunk, rec.intern, s->name, s);
}

static void take(void *arg, const struct ch_rec *r)
{
	(void)arg;
	if (r->type == CH_REC_SAMPLE)
		take_sample((const struct ch_rec_sample *)r);
	else if (r->type == CH_REC_SPAN)
		take_span((const struct ch_rec_span *)r);
}

/* Not before tasks that start write themselves: there may be none between the two. */
static void write_open_spans(void)
{
	if (!rec.spans_due || !(atomic_load(&ch_sampler.running) || rec.stopping))
		return;
	rec.spans_due = false;
	ch_spans_write_open(&rec.chunk, rec.intern);
}

static void drain(void)
{
	write_open_spans();
	ch_drain(&ch_sampler.rings, rec.intern, take, NULL);
	ch_rings_rewind(&ch_sampler.rings);
}

/* --- chunks ---------------------------------------------------------------------------------- */

/* Names are told anew in a new chunk. Waiting threads are sampled again, to have a stack there. */
static void forget_names(void)
{
	ch_names_forget();
	ch_cpu_forget_name();
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		atomic_store(&ch_thread_at(i)->name_hash, 0);
		atomic_store(&ch_thread_at(i)->wall_cpu_ns, 0);
	}
	ch_live_next_chunk(&rec.live, env(), rec.intern);
}

static bool chunk_is_full(uint64_t now)
{
	return rec.chunk.size >= (uint64_t)rec.args.chunk_bytes ||
	       now - rec.chunk_start_ns >= (uint64_t)rec.args.chunk_ns ||
	       ch_intern_memory(rec.intern) >= (size_t)rec.args.mem_bytes ||
	       ch_ids_crowded(&ch_sampler.methods) || ch_ids_crowded(&ch_sampler.classes);
}

static int flush(struct ch_error *err)
{
	ch_runs_close(&rec.runs, &rec.chunk);
	return ch_chunk_flush(&rec.chunk, err);
}

static void begin_chunk(uint64_t now)
{
	forget_names();
	ch_emit_head(&rec.chunk, &rec.args, rec.start_ms);
	rec.chunk_start_ns = now;
}

static int next_chunk(uint64_t now, struct ch_error *err)
{
	int r = ch_chunk_next(&rec.chunk, err);

	begin_chunk(now);
	return r;
}

/*
 * loop=…: the next file, under its own name. Live objects are told in the last one only: files are
 * read together, and what is alive in two of them is there once.
 */
static int next_file(uint64_t now, struct ch_error *err)
{
	char path[sizeof(rec.path)];
	int r;

	r = ch_chunk_close(&rec.chunk, err);
	if (r >= 0)
		r = ch_args_file(rec.args.file, ++rec.files, path, sizeof(path), err);
	if (r >= 0)
		r = ch_chunk_open(&rec.chunk, path, err);
	if (r < 0)
		return r;
	snprintf(rec.path, sizeof(rec.path), "%s", path);
	rec.file_start_ns = now;
	rec.spans_due = true;
	begin_chunk(now);
	return 0;
}

static int every_second(uint64_t now, struct ch_error *err)
{
	int r;

	ch_native_threads_scan();
	ch_cpu_write_unseen();
	if (ch_sampler.unwind)
		ch_unwind_refresh(ch_sampler.unwind);
	if (rec.symbols)
		ch_symbols_refresh(rec.symbols);
	rec.own_cpu_ns = ch_cpu_ns() + ch_wall_cpu_ns();
	ch_governor_second(rec.own_cpu_ns, rec.args.max_overhead);
	ch_metrics_write(&rec.chunk);
	ch_emit_stats(&rec.chunk, rec.own_cpu_ns);
	r = flush(err);
	if (r >= 0 && ch_intern_error(rec.intern) < 0)
		r = ch_fail(err, ch_intern_error(rec.intern), "names of the recording: %m");
	if (r >= 0 && rec.args.loop_ns && now - rec.file_start_ns >= (uint64_t)rec.args.loop_ns)
		r = next_file(now, err);
	else if (r >= 0 && chunk_is_full(now))
		r = next_chunk(now, err);
	return r;
}

/* --- the thread ------------------------------------------------------------------------------ */

/* What belongs at the end of a recording, once sampling has stopped. */
static void write_end(void)
{
	drain();
	ch_runs_close(&rec.runs, &rec.chunk);
	ch_live_write(&rec.live, env(), &rec.chunk, rec.intern);
	ch_metrics_write(&rec.chunk);
	ch_emit_stats(&rec.chunk, rec.own_cpu_ns);
}

/* All that only a recording which goes on needs. */
static void release(void)
{
	struct ch_error ignored;

	ch_metrics_stop();
	ch_chunk_close(&rec.chunk, &ignored);
	ch_intern_free(rec.intern);
	rec.intern = NULL;
	ch_live_clear(&rec.live, env());
	ch_live_skip(&ch_sampler.rings, env());
}

static void end_now(void)
{
	rec.ended = true;
	rec.end_ns = ch_now_ns();
}

/* On failure the JVM goes on, only the recording ends; status and stop tell why, too. */
static void give_up(const struct ch_error *err)
{
	rec.failure = *err;
	end_now();
	/* Before that, who starts them is told, and stops them. */
	if (!rec.sampling)
		return;
	ch_control_stop_events();
	fprintf(stderr, "[charcloth] the recording has ended: %s\n", err->text);
}

static bool time_is_over(uint64_t now)
{
	return rec.sampling && rec.args.timeout_ns &&
	       now - rec.start_ns >= (uint64_t)rec.args.timeout_ns;
}

static void work(uint64_t *flushed)
{
	uint64_t now = ch_now_ns();
	struct ch_error err = { 0 };
	int r = 0;

	drain();
	if (time_is_over(now)) {
		ch_control_stop_events();
		end_now();
		write_end();
		r = ch_chunk_close(&rec.chunk, &err);
	} else if (now - *flushed >= FLUSH_NS) {
		*flushed = now;
		r = every_second(now, &err);
	}
	if (r < 0)
		give_up(&err);
}

static void wait_for_work(void)
{
	struct pollfd p = { ch_sampler.wake_fd, POLLIN, 0 };
	uint64_t n;

	if (poll(&p, 1, DRAIN_MS) > 0 && read(ch_sampler.wake_fd, &n, sizeof(n)) < 0)
		return;
}

/* Without a JNIEnv there is no way to ask the VM for anything. */
static void *refused(void)
{
	struct ch_error err;

	ch_fail(&err, -ENOTSUP, "the JVM does not take the recorder as a thread");
	pthread_mutex_lock(&rec.lock);
	give_up(&err);
	pthread_mutex_unlock(&rec.lock);
	return NULL;
}

static void *run(void *arg)
{
	JavaVMAttachArgs attach = { JNI_VERSION_1_6, (char *)CH_OWN_THREAD, NULL };
	JNIEnv *attached;
	/* The first flush comes early: even a short life leaves something. */
	uint64_t flushed = ch_now_ns() - FLUSH_NS + FIRST_FLUSH_NS;
	bool over = false;

	(void)arg;
	if ((*ch_agent.vm)->AttachCurrentThreadAsDaemon(ch_agent.vm, (void **)&attached, &attach) !=
	    JNI_OK)
		return refused();
	while (!over) {
		wait_for_work();
		ch_cpu_tend();
		ch_alloc_tend();
		pthread_mutex_lock(&rec.lock);
		if (!rec.ended)
			work(&flushed);
		over = rec.stopping || rec.ended;
		/* Nobody need ever come to stop what has ended. */
		if (rec.ended)
			release();
		pthread_mutex_unlock(&rec.lock);
	}
	(*ch_agent.vm)->DetachCurrentThread(ch_agent.vm);
	return NULL;
}

/*
 * What handlers left that were under way when the last recording stopped, and ids that they gave
 * out: nobody knows them in this one.
 */
static void forget_leftovers(void)
{
	ch_live_skip(&ch_sampler.rings, env());
	ch_rings_skip(&ch_sampler.rings);
	ch_names_forget();
	for (uint32_t i = 0; i < ch_threads_count(); i++)
		atomic_store(&ch_thread_at(i)->name_id, 0);
}

/* Everything but the file's name is as if nothing had been recorded before. */
static int prepare(const struct ch_args *args, struct ch_error *err)
{
	struct timespec now;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	rec.start_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	rec.args = *args;
	rec.failure = (struct ch_error){ 0 };
	rec.stopping = rec.ended = rec.sampling = false;
	rec.start_ns = rec.file_start_ns = rec.chunk_start_ns = ch_now_ns();
	rec.own_cpu_ns = 0;
	ch_wall_begin();
	rec.files = 0;
	rec.runs = (struct ch_runs){ 0 };
	r = ch_args_file(rec.args.file, 0, rec.path, sizeof(rec.path), err);
	if (r < 0)
		return r;
	r = ch_chunk_open(&rec.chunk, rec.path, err);
	if (r < 0)
		return r;
	if (!rec.symbols)
		rec.symbols = ch_symbols_new(SYMBOLS_MAX);
	rec.intern = ch_intern_new(&rec.chunk, &ch_sampler.vm, rec.symbols, ch_jvm_jmethod, NULL);
	if (!rec.intern)
		return ch_fail(err, -ENOMEM, "memory for names: %m");
	if (ch_sampler.wake_fd < 0)
		ch_sampler.wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	forget_leftovers();
	ch_metrics_start();
	ch_emit_head(&rec.chunk, &rec.args, rec.start_ms);
	rec.spans_due = true;
	/* Who this is stands in the file before the first sample does. */
	return flush(err);
}

int ch_recorder_start(const struct ch_args *args, struct ch_error *err)
{
	int r = prepare(args, err);

	if (r >= 0)
		r = ch_own_thread_start(CH_OWN_THREAD, run, &rec.thread, err);
	if (r < 0) {
		release();
		return r;
	}
	rec.started = true;
	return 0;
}

int ch_recorder_sampling(struct ch_error *err)
{
	int r;

	pthread_mutex_lock(&rec.lock);
	r = rec.failure.code;
	if (r < 0)
		*err = rec.failure;
	rec.sampling = r >= 0;
	pthread_mutex_unlock(&rec.lock);
	return r;
}

int ch_recorder_stop(struct ch_error *err)
{
	int r = 0;

	if (!rec.started)
		return 0;
	pthread_mutex_lock(&rec.lock);
	rec.stopping = true;
	pthread_mutex_unlock(&rec.lock);
	ch_sampler_wake();
	pthread_join(rec.thread, NULL);
	rec.started = false;
	if (rec.failure.code < 0) {
		*err = rec.failure;
		r = err->code;
	} else if (!rec.ended) {
		write_end();
	}
	if (r >= 0)
		r = ch_chunk_close(&rec.chunk, err);
	release();
	return r;
}

void ch_recorder_cancel(void)
{
	struct ch_error ignored;

	ch_recorder_stop(&ignored);
	unlink(rec.path);
}

/*
 * Objects alive now are told in the copy only: in the recording itself they would stand beside
 * those that are alive at its end. They go into a chunk of their own, which is then begun anew.
 */
static int copy_with_live(const char *path, struct ch_error *err)
{
	struct ch_error broken;
	int r = next_chunk(ch_now_ns(), err);

	if (r < 0) {
		give_up(err);
		return r;
	}
	ch_live_write(&rec.live, env(), &rec.chunk, rec.intern);
	r = flush(err);
	if (r >= 0)
		r = ch_file_copy(rec.path, path, err);
	if (ch_chunk_again(&rec.chunk, &broken) < 0) {
		give_up(&broken);
		return r;
	}
	ch_intern_unwrite(rec.intern);
	ch_emit_head(&rec.chunk, &rec.args, rec.start_ms);
	return r;
}

int ch_recorder_dump(const char *pattern, struct ch_error *err)
{
	char path[sizeof(rec.path)];
	int r = pattern ? ch_args_file(pattern, 0, path, sizeof(path), err) : 0;

	if (r < 0)
		return r;
	pthread_mutex_lock(&rec.lock);
	if (!rec.ended) {
		drain();
		ch_emit_stats(&rec.chunk, rec.own_cpu_ns);
		r = flush(err);
	}
	if (r >= 0 && pattern && strcmp(path, rec.path))
		r = rec.live.n && !rec.ended ? copy_with_live(path, err)
		                             : ch_file_copy(rec.path, path, err);
	pthread_mutex_unlock(&rec.lock);
	return r;
}

void ch_recorder_status(struct ch_recorder_status *ret)
{
	pthread_mutex_lock(&rec.lock);
	*ret = (struct ch_recorder_status){ .timeout_ns = (uint64_t)rec.args.timeout_ns,
		                            .start_ns = rec.start_ns,
		                            .end_ns = rec.end_ns,
		                            .file_start_ns = rec.file_start_ns,
		                            .written_bytes = rec.chunk.written,
		                            .ended = rec.ended,
		                            .failure = rec.failure };
	snprintf(ret->path, sizeof(ret->path), "%s", rec.path);
	pthread_mutex_unlock(&rec.lock);
}
