#include "agent/alloc.h"

#include <errno.h>
#include <math.h>

#include "agent/agent.h"
#include "agent/callback.h"

/*
 * An event costs some 5 us: this many a second are one percent of a core. What was not used for a
 * while is credit, so that bursts are seen as sharply as the rest.
 */
#define RATE_MAX     2000
#define CREDIT_MAX   (10 * RATE_MAX)
#define TEND_NS      100000000u
#define INTERVAL_MAX (64u << 20)
#define TOO_LARGE    (64u << 10) /* about where JDK 11 goes past a thread's buffer */

static struct {
	struct ch_alloc_config config;
	bool on;
	_Atomic uint64_t interval, events;
	uint64_t tended_ns, tended_events;
	int64_t credit;
} alloc;

/*
 * JDK 11 takes what a sampled object had too much off the way to the next sample, but only when
 * that way is the longer of the two: short ways stay as they are, and samples come too often after
 * large objects. `again` is how likely that is; for objects in a thread's buffer all of the object
 * counts as too much, for those that are too large for it what lies behind the sampled byte.
 */
static double chance_jdk11(double s, double i)
{
	double chance = -expm1(-s / i);
	double again = s < TOO_LARGE ? chance : 1 - s / i * (1 - chance) / chance;

	return chance / (1 - again * (1 - chance));
}

uint64_t ch_alloc_weight(uint64_t bytes, uint64_t interval, bool jdk11)
{
	double s = (double)bytes, i = (double)interval;

	if (!interval)
		return bytes;
	return (uint64_t)(s / (jdk11 ? chance_jdk11(s, i) : -expm1(-s / i)) + 0.5);
}

static void take(struct ch_thread *t, JNIEnv *env, jthread thread, jobject object, jclass class,
                 uint64_t bytes)
{
	uint64_t interval = atomic_load(&alloc.interval);
	struct ch_sample_of what = { .event = CH_EV_ALLOC,
		                     .weight = ch_alloc_weight(bytes, interval,
		                                               ch_sampler.vm.major == 11),
		                     .extra = bytes };
	jweak weak = NULL;

	what.class_id = ch_callback_class(class);
	if (alloc.config.live) {
		/* The recorder owns it from here on: it decides when the object is asked for. */
		weak = (*env)->NewWeakGlobalRef(env, object);
		what.event = weak ? CH_EV_LIVE : CH_EV_ALLOC;
		what.ref = (uintptr_t)weak;
	}
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	if (!ch_callback_take(t, thread, &what) && weak)
		(*env)->DeleteWeakGlobalRef(env, weak);
}

void JNICALL ch_alloc_on_object(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jclass class, jlong bytes)
{
	struct ch_thread *t = ch_callback_thread();

	(void)jvmti;
	if (!t || bytes <= 0)
		return;
	atomic_fetch_add_explicit(&alloc.events, 1, memory_order_relaxed);
	take(t, env, thread, object, class, (uint64_t)bytes);
}

static int set_interval(uint64_t bytes)
{
	if ((*ch_agent.jvmti)->SetHeapSamplingInterval(ch_agent.jvmti, (jint)bytes) !=
	    JVMTI_ERROR_NONE)
		return -ENOTSUP;
	atomic_store(&alloc.interval, bytes);
	return 0;
}

/*
 * How far the next sample of a thread is away was drawn with the interval before: for one sample
 * of each thread the weight is off by the change, which is little beside what they stand for.
 */
void ch_alloc_tend(void)
{
	uint64_t now = ch_now_ns(), interval = atomic_load(&alloc.interval), events, passed;

	if (!alloc.on || !alloc.config.govern || now - alloc.tended_ns < TEND_NS)
		return;
	events = atomic_load(&alloc.events) - alloc.tended_events;
	passed = now - alloc.tended_ns;
	alloc.tended_events += events;
	alloc.tended_ns = now;
	alloc.credit += (int64_t)(RATE_MAX * passed / 1000000000u) - (int64_t)events;
	if (alloc.credit > CREDIT_MAX)
		alloc.credit = CREDIT_MAX;
	if (alloc.credit < 0) {
		alloc.credit = 0;
		if (interval < INTERVAL_MAX)
			set_interval(interval * 2);
	} else if (alloc.credit > CREDIT_MAX / 2 && interval > alloc.config.interval_bytes) {
		set_interval(interval / 2);
	}
}

static jvmtiCapabilities wanted(void)
{
	return (jvmtiCapabilities){ .can_generate_sampled_object_alloc_events = 1 };
}

int ch_alloc_start(const struct ch_alloc_config *config, struct ch_error *err)
{
	jvmtiCapabilities want = wanted();

	if (config->interval_bytes > INT32_MAX)
		return ch_fail(err, -ERANGE, "alloc= goes up to 2 GB");
	if ((*ch_agent.jvmti)->AddCapabilities(ch_agent.jvmti, &want) != JVMTI_ERROR_NONE)
		return ch_fail(err, -EBUSY,
		               "the JVM samples no allocations for us: another agent does it");
	alloc.config = *config;
	alloc.on = true;
	alloc.credit = CREDIT_MAX;
	alloc.tended_ns = ch_now_ns();
	alloc.tended_events = atomic_load(&alloc.events);
	if (set_interval(config->interval_bytes) < 0) {
		ch_alloc_stop();
		return ch_fail(err, -ENOTSUP, "the JVM refuses an interval of %llu bytes",
		               (unsigned long long)config->interval_bytes);
	}
	return ch_jvm_enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, true, err);
}

void ch_alloc_stop(void)
{
	struct ch_error ignored;
	jvmtiCapabilities had = wanted();

	if (!alloc.on)
		return;
	alloc.on = false;
	ch_jvm_enable(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, false, &ignored);
	(*ch_agent.jvmti)->RelinquishCapabilities(ch_agent.jvmti, &had);
}
