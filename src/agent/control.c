#include "agent/agent.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/alloc.h"
#include "agent/cost_log.h"
#include "agent/cpu.h"
#include "agent/lock.h"
#include "agent/governor.h"
#include "agent/metrics.h"
#include "agent/perf.h"
#include "agent/events.h"
#include "agent/file.h"
#include "agent/perfmap.h"
#include "agent/recorder.h"
#include "agent/remarks.h"
#include "agent/sampler.h"
#include "agent/stubs.h"
#include "sys/fault.h"

#define METHODS_ENTRIES (1u << 15)
#define CLASSES_ENTRIES (1u << 13)
#define UNWIND_MAX      (4u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool recording, ending;
/* Who started it and does not expect others to end it; "" nobody. */
static char owner[128];

/* --- start ----------------------------------------------------------------------------------- */

/* libjvm keeps frame pointers, and its table would be the largest of all: only where they do not do. */
static bool needs_table(void *arg, const char *path)
{
	(void)arg;
	return !CH_ARCH_FP_ENDS_FRAME || strcmp(path, ch_agent.libjvm_path) != 0;
}

/* Memory is taken once and kept: a handler that is still under way may look at it. */
static int take_memory(struct ch_error *err)
{
	struct ch_sampler *s = &ch_sampler;
	int r = 0;

	if (!s->rings.memory)
		r = ch_rings_init(&s->rings, err);
	if (r >= 0 && !s->methods.entries)
		r = ch_ids_init(&s->methods, METHODS_ENTRIES, err);
	if (r >= 0 && !s->classes.entries)
		r = ch_ids_init(&s->classes, CLASSES_ENTRIES, err);
	/* Without counters nobody tells when what it holds has gone out of date. */
	if (!s->pc_cache && s->vm.nm_compile_id >= 0 && s->unloaded[0])
		s->pc_cache = ch_pc_cache_new();
	if (!s->unwind)
		s->unwind = ch_unwind_new(UNWIND_MAX, needs_table, NULL);
	if (s->unwind)
		ch_unwind_refresh(s->unwind);
	return r;
}

static int take_signal(struct ch_error *err)
{
	/* Libraries in Go run on small stacks of their own and rely on SA_ONSTACK. */
	struct sigaction sa = { .sa_sigaction = ch_sampler_signal,
		                .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK },
	                 before;

	if (sigaction(SIGPROF, NULL, &before) < 0)
		return ch_fail(err, -errno, "sigaction: %m");
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN &&
	    before.sa_sigaction != ch_sampler_signal)
		return ch_fail(err, -EBUSY,
		               "another profiler holds SIGPROF in this JVM: stop it first");
	return sigaction(SIGPROF, &sa, NULL) < 0 ? ch_fail(err, -errno, "sigaction: %m") : 0;
}

static void reset_counts(void)
{
	struct ch_sampler *s = &ch_sampler;

	for (unsigned i = 0; i < CH_EV_COUNT; i++)
		atomic_store(&s->taken[i], 0);
	for (unsigned i = 0; i < CH_DROP_COUNT; i++)
		atomic_store(&s->dropped[i], 0);
	for (unsigned i = 0; i < CH_WALK_ENDS; i++)
		atomic_store(&s->ends[i], 0);
	atomic_store(&s->handler_ns, 0);
	atomic_store(&s->handler_calls, 0);
}

/* Below the kernel's tick only perf's clock asks often enough, and only it sees the kernel. */
static enum ch_cpu_engine engine_for(const struct ch_args *a)
{
	if (a->itimer)
		return CH_CPU_ITIMER;
	if (!a->cpu && !a->ctimer)
		return CH_CPU_OFF;
	return a->cpu && (a->interval_ns < 4000000 || a->kernel) ? CH_CPU_PERF : CH_CPU_TIMER;
}

static void say_stretch(const struct ch_args *a, struct ch_buf *out)
{
	struct ch_governor_status g;

	ch_governor_status(&g);
	if (g.stretch > 1)
		ch_buf_printf(out,
		              "a signal costs %.0f µs on this machine: to stay below "
		              "maxoverhead=%g threads are asked every %g ms, not %g; each "
		              "sample says what it stands for\n",
		              (double)g.signal_ns / 1e3, a->max_overhead,
		              (double)a->interval_ns * g.stretch / 1e6,
		              (double)a->interval_ns / 1e6);
}

static int start_cpu(const struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	struct ch_cpu_config config = { engine_for(a), (uint64_t)a->interval_ns, !a->all_user };
	int r;

	if (config.engine == CH_CPU_OFF)
		return 0;
	r = ch_cpu_start(&config, err);
	if (r < 0 && config.engine == CH_CPU_PERF) {
		ch_buf_printf(out,
		              "perf's clock is not to be had (%s): samples come at the kernel's "
		              "tick, each with its true weight\n",
		              err->text);
		ch_governor_no_clock();
		config.engine = CH_CPU_TIMER;
		r = ch_cpu_start(&config, err);
	}
	if (r < 0 && config.engine == CH_CPU_TIMER) {
		ch_buf_printf(out, "no timers of threads (%s): one timer for all\n", err->text);
		config.engine = CH_CPU_ITIMER;
		r = ch_cpu_start(&config, err);
	}
	if (r >= 0)
		say_stretch(a, out);
	return r;
}

static int start_alloc(const struct ch_args *a, struct ch_error *err)
{
	struct ch_alloc_config config = { (uint64_t)a->alloc_bytes, a->live, a->alloc_governed };

	return a->alloc || a->live ? ch_alloc_start(&config, err) : 0;
}

static int start_events(const struct ch_args *a, JNIEnv *env, struct ch_buf *out,
                        struct ch_error *err)
{
	int r = start_cpu(a, out, err);

	if (r >= 0 && a->wall)
		r = ch_wall_start((uint64_t)a->wall_ns, a->tasks_only, err);
	if (r >= 0)
		r = start_alloc(a, err);
	if (r >= 0)
		r = ch_perf_start(out, err);
	if (r >= 0 && a->lock)
		r = ch_lock_start(env, (uint64_t)a->lock_ns, out, err);
	return r;
}

void ch_control_stop_events(void)
{
	ch_lock_stop();
	ch_alloc_stop();
	ch_wall_stop();
	ch_cpu_stop();
	ch_perf_stop();
	atomic_store(&ch_sampler.running, false);
}

/* A stack that does not fit into a ring would never be recorded. */
static void set_depth(unsigned depth, struct ch_buf *out)
{
	size_t room = ch_rings_record_max(&ch_sampler.rings) - sizeof(struct ch_rec_sample);
	unsigned max = (unsigned)(room / ch_sampler_frame_bytes());

	if (depth > max)
		ch_buf_printf(out, "jstackdepth: %u, for more there is no room on this machine\n",
		              max);
	ch_sampler.max_frames = depth < max ? depth : max;
}

static int start_recording(const struct ch_args *a, JNIEnv *env, struct ch_buf *out,
                           struct ch_error *err)
{
	int r = take_memory(err);

	if (r >= 0)
		r = take_signal(err);
	if (r >= 0)
		r = ch_perf_prepare(a, out, err);
	if (r < 0)
		return r;
	reset_counts();
	ch_governor_start(engine_for(a), (uint64_t)a->interval_ns, a->max_overhead);
	ch_cost_log_begin();
	set_depth((unsigned)a->depth, out);
	ch_sampler.native_frames = !a->cstack || strcmp(a->cstack, "no");
	ch_sampler.interval_ns = (uint64_t)a->interval_ns;
	ch_stubs_start(ch_agent.jvmti);
	ch_jvm_threads_scan(env);
	ch_native_threads_scan();
	r = ch_recorder_start(a, err);
	if (r < 0)
		return r;
	atomic_store(&ch_sampler.running, true);
	r = start_events(a, env, out, err);
	if (r >= 0)
		r = ch_recorder_sampling(err);
	if (r < 0) {
		ch_control_stop_events();
		ch_recorder_cancel();
	}
	return r;
}

static int attached(JNIEnv **ret, struct ch_error *err)
{
	if ((*ch_agent.vm)->GetEnv(ch_agent.vm, (void **)ret, JNI_VERSION_1_6) != JNI_OK)
		return ch_fail(err, -EINVAL, "not called from a thread of the JVM");
	return 0;
}

/* The way to walk stacks is chosen at the first command that needs to know the VM. */
static int get_ready(JNIEnv **ret_env, struct ch_error *err)
{
	int r = attached(ret_env, err);

	if (r >= 0 && !ch_agent.ready)
		r = ch_walker_choose(*ret_env, err);
	if (r >= 0)
		ch_agent.ready = true;
	return r;
}

/* The agent writes recordings only; who asks for another format gets one beside that name. */
static void name_recording(struct ch_args *a, struct ch_buf *out)
{
	static const char suffix[] = ".jfr";
	size_t n = strlen(a->file), s = sizeof(suffix) - 1;

	if (!n) {
		snprintf(a->file, sizeof(a->file), "charcloth-%%p-%%t.jfr");
	} else if ((n < s || strcmp(a->file + n - s, suffix)) && n + s < sizeof(a->file)) {
		memcpy(a->file + n, suffix, sizeof(suffix));
		ch_buf_printf(out, "recorded as '%s': make other formats with charcloth convert\n",
		              a->file);
	}
}

/* One that has ended by itself, and that nobody came for, is in nobody's way. */
static void clear_ended(void)
{
	struct ch_error told_before;
	struct ch_recorder_status s;

	if (!recording)
		return;
	ch_recorder_status(&s);
	if (!s.ended)
		return;
	recording = false;
	ch_control_stop_events();
	ch_cost_log_end();
	ch_recorder_stop(&told_before);
}

static int start(struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	JNIEnv *env;
	int r;

	if (ending)
		return ch_fail(err, -ESHUTDOWN, "the JVM is about to end");
	clear_ended();
	if (recording && owner[0])
		return ch_fail(err, -EALREADY, "a recording of %s runs already", owner);
	if (recording)
		return ch_fail(err, -EALREADY, "a recording runs already: stop it first");
	name_recording(a, out);
	r = get_ready(&env, err);
	if (r < 0)
		return r;
	r = start_recording(a, env, out, err);
	recording = r >= 0;
	snprintf(owner, sizeof(owner), "%s", a->owner ? a->owner : "");
	return r;
}

/* --- the other commands ---------------------------------------------------------------------- */

static void put_counts(struct ch_buf *out)
{
	static const char *const events[CH_EV_COUNT] = { "cpu",     "wall", "alloc", "live",
		                                         "monitor", "park", "perf" };
	static const char *const drops[CH_DROP_COUNT] = { "ring full", "all stripes taken",
		                                          "no room for names" };
	static const char *const ends[CH_WALK_ENDS] = { NULL,           NULL,
		                                        "truncated",    "stack out of bounds",
		                                        "unknown code", "unknown frame" };
	const struct ch_sampler *s = &ch_sampler;
	uint64_t calls = atomic_load(&s->handler_calls);

	for (unsigned i = 0; i < CH_EV_COUNT; i++)
		if (atomic_load(&s->taken[i]))
			ch_buf_printf(out, "samples %s: %llu\n", events[i],
			              (unsigned long long)atomic_load(&s->taken[i]));
	for (unsigned i = 0; i < CH_DROP_COUNT; i++)
		ch_buf_printf(out, "dropped, %s: %llu\n", drops[i],
		              (unsigned long long)atomic_load(&s->dropped[i]));
	for (unsigned i = CH_WALK_TRUNCATED; i < CH_WALK_ENDS; i++)
		ch_buf_printf(out, "walks ended, %s: %llu\n", ends[i],
		              (unsigned long long)atomic_load(&s->ends[i]));
	ch_lock_counts(out);
	ch_perf_counts(out);
	ch_buf_printf(out, "faults caught: %llu\n", (unsigned long long)ch_fault_count());
	if (calls)
		ch_buf_printf(out, "handler: %llu ns on average\n",
		              (unsigned long long)(atomic_load(&s->handler_ns) / calls));
}

static void put_cost(struct ch_buf *out)
{
	struct ch_governor_status g;

	ch_governor_status(&g);
	ch_buf_printf(out, "own share of the process's CPU: %.1f %%\n", g.percent);
	ch_buf_printf(out, "interval: %.3f ms", (double)ch_sampler.interval_ns * g.stretch / 1e6);
	if (g.stretch > 1)
		ch_buf_printf(out, ", %u times what was asked for, to stay below maxoverhead",
		              g.stretch);
	ch_buf_printf(out, "\ninterval changed: %u times\nsignal: %llu ns\nmetrics: %llu ns\n",
	              g.changes, (unsigned long long)g.signal_ns,
	              (unsigned long long)ch_metrics_cost_ns());
}

static int end(struct ch_buf *out, struct ch_error *err)
{
	int r;

	recording = false;
	ch_control_stop_events();
	ch_cost_log_end();
	r = ch_recorder_stop(err);
	put_counts(out);
	return r;
}

static int stop(const struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	if (!recording)
		return ch_fail(err, -ENOENT, "nothing is being recorded");
	if (owner[0] && (!a->owner || strcmp(a->owner, owner) != 0))
		return ch_fail(err, -EPERM, "this is a recording of %s", owner);
	return end(out, err);
}

static int dump(const struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	struct ch_recorder_status s;
	int r = recording ? ch_recorder_dump(a->file[0] ? a->file : NULL, err)
	                  : ch_fail(err, -ENOENT, "nothing is being recorded");

	if (r < 0)
		return r;
	ch_recorder_status(&s);
	if (s.file_start_ns > s.start_ns)
		ch_buf_printf(out,
		              "the last %llu s only: what came before is in files of its own\n",
		              (unsigned long long)((ch_now_ns() - s.file_start_ns) / 1000000000u));
	return 0;
}

static void put_status(struct ch_buf *out)
{
	struct ch_recorder_status s;
	uint64_t end_ns;

	ch_buf_printf(out, "walker: %s\n", ch_agent.ready ? ch_agent.walker : "not chosen yet");
	if (!recording) {
		ch_buf_printf(out, "nothing is being recorded\n");
		return;
	}
	ch_recorder_status(&s);
	end_ns = s.ended ? s.end_ns : ch_now_ns();
	ch_buf_printf(out, "recording to: %s\nfor: %llu s\nwritten: %llu bytes\n", s.path,
	              (unsigned long long)((end_ns - s.start_ns) / 1000000000u),
	              (unsigned long long)s.written_bytes);
	if (s.timeout_ns)
		ch_buf_printf(out, "ends after: %llu s\n",
		              (unsigned long long)(s.timeout_ns / 1000000000u));
	if (s.failure.code < 0)
		ch_buf_printf(out, "the recording has ended: %s\n", s.failure.text);
	else if (s.ended)
		ch_buf_printf(out, "the recording has ended: its time was over\n");
	put_counts(out);
	put_cost(out);
}

static int perfmap(const struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	char path[4096];
	JNIEnv *env;
	int r = get_ready(&env, err);

	if (r >= 0 && a->file[0])
		r = ch_args_file(a->file, 0, path, sizeof(path), err);
	if (r >= 0)
		r = ch_perfmap_write(&ch_sampler.vm, a->file[0] ? path : NULL, err);
	if (r >= 0)
		ch_buf_printf(out, "pieces of code: %d\n", r);
	return r;
}

static int run(struct ch_args *a, struct ch_buf *out, struct ch_error *err)
{
	switch (a->command) {
	case CH_CMD_START:
		return start(a, out, err);
	case CH_CMD_STOP:
		return stop(a, out, err);
	case CH_CMD_DUMP:
		return dump(a, out, err);
	case CH_CMD_STATUS:
		put_status(out);
		ch_remarks_put(out);
		return 0;
	case CH_CMD_LIST:
		ch_events_list(out);
		return 0;
	case CH_CMD_PERFMAP:
		return perfmap(a, out, err);
	case CH_CMD_VERSION:
		ch_buf_printf(out, "charcloth " CH_VERSION "\n");
		return 0;
	default:
		return ch_fail(
		    err, -EINVAL,
		    "no command: one of start, stop, dump, status, list, perfmap, version");
	}
}

/* The answer also goes to log=, for who cannot see ours; whether it could is nowhere to be said. */
static void write_log(const struct ch_args *a, const struct ch_buf *out)
{
	CH_CLEANUP(ch_closep) int fd = -1;
	struct ch_error ignored;

	if (a->log)
		fd = ch_file_create(a->log, &ignored);
	if (fd >= 0)
		ch_file_write(fd, a->log, out->data, out->len, 0, &ignored);
}

int ch_control_run(const char *text, struct ch_buf *out)
{
	struct ch_error err = { 0 };
	struct ch_buf said = CH_BUF(1u << 20);
	struct ch_args args;
	int r;

	pthread_mutex_lock(&lock);
	r = ch_args_parse(text, &args, &err);
	if (r >= 0)
		r = run(&args, &said, &err);
	if (r < 0)
		ch_buf_printf(out, "error: %s\n", err.text);
	else
		ch_buf_printf(out, "ok\n");
	ch_buf_put(out, said.data, said.len);
	write_log(&args, out);
	ch_buf_done(&said);
	pthread_mutex_unlock(&lock);
	return r;
}

void ch_control_end(void)
{
	struct ch_buf out = CH_BUF(1u << 16);
	struct ch_error err = { 0 };

	pthread_mutex_lock(&lock);
	ending = true;
	if (recording && end(&out, &err) < 0)
		fprintf(stderr, "[charcloth] %s\n", err.text);
	ch_buf_done(&out);
	pthread_mutex_unlock(&lock);
}
