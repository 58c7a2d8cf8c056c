#include "agent/lock.h"

#include <errno.h>

#include "agent/agent.h"
#include "agent/callback.h"

static struct {
	atomic_bool on;
	bool has_capability;
	uint64_t threshold_ns, started_ns;
	_Atomic uint64_t short_n[2], short_ns[2]; /* monitors, parks */
} locks;

bool ch_lock_on(void)
{
	return atomic_load_explicit(&locks.on, memory_order_relaxed);
}

/* The same object has the same number for as long as it lives, wherever it is moved. */
static uint64_t id_of(jobject object)
{
	jint hash = 0;

	if ((*ch_agent.jvmti)->GetObjectHashCode(ch_agent.jvmti, object, &hash) != JVMTI_ERROR_NONE)
		return 0;
	return (uint32_t)hash;
}

void ch_lock_waited(JNIEnv *env, const struct ch_wait *w, jobject lock)
{
	uint64_t waited = ch_now_ns() - w->since_ns;
	struct ch_sample_of what = { .event = w->park ? CH_EV_PARK : CH_EV_MONITOR,
		                     .weight = 1,
		                     .extra = waited };
	jclass class;

	if (!ch_lock_on())
		return;
	if (waited < locks.threshold_ns) {
		atomic_fetch_add_explicit(&locks.short_n[w->park], 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&locks.short_ns[w->park], waited, memory_order_relaxed);
		return;
	}
	class = (*env)->GetObjectClass(env, lock);
	what.class_id = ch_callback_class(class);
	what.ref = id_of(lock);
	ch_callback_take(w->t, w->thread, &what);
	(*env)->DeleteLocalRef(env, class);
}

/* --- monitors -------------------------------------------------------------------------------- */

/*
 * Since when a thread waits is kept with the VM, by thread: a virtual one may begin to wait on one
 * thread of the system and go on on another.
 */
static void set_since(jthread thread, uint64_t ns)
{
	(*ch_agent.jvmti)->SetThreadLocalStorage(ch_agent.jvmti, thread, (void *)(uintptr_t)ns);
}

static uint64_t since(jthread thread)
{
	void *ns = NULL;

	(*ch_agent.jvmti)->GetThreadLocalStorage(ch_agent.jvmti, thread, &ns);
	return (uintptr_t)ns;
}

void JNICALL ch_lock_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
	(void)jvmti;
	(void)env;
	(void)object;
	if (ch_callback_thread())
		set_since(thread, ch_now_ns());
}

void JNICALL ch_lock_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
	struct ch_wait w = { .t = ch_callback_thread(), .thread = thread };

	(void)jvmti;
	if (!w.t)
		return;
	w.since_ns = since(thread);
	set_since(thread, 0);
	/* An earlier recording may have ended during a wait, whose beginning was kept ever since. */
	if (w.since_ns >= locks.started_ns)
		ch_lock_waited(env, &w, object);
}

/* --- start and stop -------------------------------------------------------------------------- */

static int enable_monitors(bool on, struct ch_error *err)
{
	int r = ch_jvm_enable(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, on, err);

	return r < 0 ? r : ch_jvm_enable(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, on, err);
}

int ch_lock_start(JNIEnv *env, uint64_t threshold_ns, struct ch_buf *out, struct ch_error *err)
{
	jvmtiCapabilities want = { .can_generate_monitor_events = 1 };
	struct ch_error why = { 0 };

	locks.threshold_ns = threshold_ns;
	locks.started_ns = ch_now_ns();
	for (unsigned i = 0; i < CH_LEN(locks.short_n); i++) {
		atomic_store(&locks.short_n[i], 0);
		atomic_store(&locks.short_ns[i], 0);
	}
	/* Kept from then on: giving it up and asking again makes the VM look at all threads. */
	if (!locks.has_capability &&
	    (*ch_agent.jvmti)->AddCapabilities(ch_agent.jvmti, &want) != JVMTI_ERROR_NONE)
		return ch_fail(err, -ENOTSUP, "the JVM does not tell about monitors");
	locks.has_capability = true;
	if (ch_park_hook(env, &why) < 0)
		ch_buf_printf(out, "parks of threads are not seen: %s\n", why.text);
	atomic_store(&locks.on, true);
	return enable_monitors(true, err);
}

void ch_lock_stop(void)
{
	struct ch_error ignored;

	if (atomic_exchange(&locks.on, false))
		enable_monitors(false, &ignored);
}

void ch_lock_counts(struct ch_buf *out)
{
	static const char *const what[] = { "monitors", "parks" };

	for (unsigned i = 0; i < CH_LEN(what); i++) {
		uint64_t n = atomic_load(&locks.short_n[i]);

		if (n)
			ch_buf_printf(out, "waits under the threshold, %s: %llu, %llu us in all\n",
			              what[i], (unsigned long long)n,
			              (unsigned long long)(atomic_load(&locks.short_ns[i]) / 1000));
	}
}
