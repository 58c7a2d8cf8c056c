#include "agent/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/bind.h"
#include "agent/sampler.h"
#include "hotspot/counters.h"
#include "sys/fault.h"

#define CHECK_FRAMES 64
#define CHECK_TRIES  20
#define CHECK_NAP_NS 2000000

/*
 * The check: a thread of the VM that nearly always waits (it hands references to their queues) is
 * walked by us and by the VM; both must name the same methods. It may be at work after a
 * collection: then it is tried again.
 */
static const char check_thread[] = "Reference Handler";

static bool same_method(jvmtiEnv *jvmti, JNIEnv *env, jmethodID theirs, uint64_t ours)
{
	union {
		struct ch_method_copy copy;
		char room[CH_METHOD_COPY_MAX];
	} m;
	char *name = NULL, *class_sig = NULL;
	jclass class;
	bool same = false;

	ch_method_copy_sig(&ch_sampler.vm, ours, &m.copy);
	if ((*jvmti)->GetMethodName(jvmti, theirs, &name, NULL, NULL) != JVMTI_ERROR_NONE)
		return false;
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, theirs, &class) == JVMTI_ERROR_NONE &&
	    (*jvmti)->GetClassSignature(jvmti, class, &class_sig, NULL) == JVMTI_ERROR_NONE) {
		const char *bytes = m.copy.bytes;

		same = strlen(name) == m.copy.name_len &&
		       strlen(class_sig) == m.copy.class_len + 2u &&
		       !memcmp(class_sig + 1, bytes, m.copy.class_len) &&
		       !memcmp(name, bytes + m.copy.class_len, m.copy.name_len);
		(*env)->DeleteLocalRef(env, class);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)name);
	if (class_sig)
		(*jvmti)->Deallocate(jvmti, (unsigned char *)class_sig);
	return same;
}

static int compare_walks(JNIEnv *env, jthread thread, uint64_t java, struct ch_error *err)
{
	jvmtiEnv *jvmti = ch_agent.jvmti;
	jvmtiFrameInfo theirs[CHECK_FRAMES];
	uint64_t ours[CHECK_FRAMES];
	struct ch_walk w = { &ch_sampler.vm, java, ours, CHECK_FRAMES, 0, false };
	enum ch_walk_end end = ch_walk_sig(&w, NULL);
	jint n = 0;

	(*jvmti)->GetStackTrace(jvmti, thread, 0, CHECK_FRAMES, theirs, &n);
	if (end != CH_WALK_DONE || !n || (unsigned)n != w.n)
		return ch_fail(err, -ENOTSUP, "a walk of a known stack gave %u frames for %d", w.n,
		               n);
	for (jint i = 0; i < n; i++)
		if (!same_method(jvmti, env, theirs[i].method, ch_frame_what(ours[i]) << 3))
			return ch_fail(err, -ENOTSUP, "a walk of a known stack gave other methods");
	return 0;
}

/* The jfieldID of an instance field holds its offset above two bits of flags. */
static uint32_t offset_of(JNIEnv *env, const char *class_name, const char *name, const char *type)
{
	jclass class = (*env)->FindClass(env, class_name);
	jfieldID id = class ? (*env)->GetFieldID(env, class, name, type) : NULL;

	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	return id ? (uint32_t)((uintptr_t)id >> 2) : 0;
}

static void find_names(JNIEnv *env, uint64_t java)
{
	struct ch_names *n = &ch_sampler.names;

	n->thread_name = offset_of(env, "java/lang/Thread", "name", "Ljava/lang/String;");
	n->string_value = offset_of(env, "java/lang/String", "value", "[B");
	n->string_coder = offset_of(env, "java/lang/String", "coder", "B");
	if (n->thread_name && n->string_value && n->string_coder)
		ch_names_check(&ch_sampler.vm, n, java, check_thread);
}

static int check_with(JNIEnv *env, jthread thread, jfieldID eetop, bool *ret_found,
                      struct ch_error *err)
{
	jvmtiThreadInfo info = { 0 };
	uint64_t java;
	int r = 0;

	if ((*ch_agent.jvmti)->GetThreadInfo(ch_agent.jvmti, thread, &info) != JVMTI_ERROR_NONE)
		return 0;
	*ret_found = info.name && !strcmp(info.name, check_thread);
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)info.name);
	if (!*ret_found)
		return 0;
	java = (uint64_t)(*env)->GetLongField(env, thread, eetop);
	for (unsigned i = 0; i < CHECK_TRIES; i++) {
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = CHECK_NAP_NS }, NULL);
		find_names(env, java);
		r = compare_walks(env, thread, java, err);
		if (r >= 0 && (ch_sampler.names.known || ch_sampler.vm.moves_concurrently))
			break;
	}
	return r;
}

static int check_walker(JNIEnv *env, struct ch_error *err)
{
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	jfieldID eetop = class ? (*env)->GetFieldID(env, class, "eetop", "J") : NULL;
	jthread *threads;
	bool found = false;
	jint n;
	int r = 0;

	if (!eetop) {
		(*env)->ExceptionClear(env);
		return ch_fail(err, -ENOTSUP, "java.lang.Thread has no eetop");
	}
	if ((*ch_agent.jvmti)->GetAllThreads(ch_agent.jvmti, &n, &threads) != JVMTI_ERROR_NONE)
		return ch_fail(err, -ENOTSUP, "the JVM does not list its threads");
	for (jint i = 0; i < n; i++) {
		if (!found)
			r = check_with(env, threads[i], eetop, &found, err);
		(*env)->DeleteLocalRef(env, threads[i]);
	}
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)threads);
	return found ? r
	             : ch_fail(err, -ENOTSUP, "no thread '%s' to check a walk with", check_thread);
}

/* Counters of the VM that tell when classes were unloaded. */
static void find_counters(void)
{
	struct ch_perfdata p;

	if (ch_counters_open(&ch_sampler.vm, &p) < 0)
		return;
	ch_sampler.unloaded[0] = ch_perfdata_number(&p, "java.cls.unloadedClasses");
	ch_sampler.unloaded[1] = ch_perfdata_number(&p, "java.cls.sharedUnloadedClasses");
}

/* The second way: the VM walks, and names by jmethodIDs, which must exist beforehand. */
static void prepare_class(jvmtiEnv *jvmti, jclass class)
{
	jmethodID *methods;
	jint n;

	if ((*jvmti)->GetClassMethods(jvmti, class, &n, &methods) == JVMTI_ERROR_NONE)
		(*jvmti)->Deallocate(jvmti, (unsigned char *)methods);
}

void JNICALL ch_walker_on_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
	(void)env;
	(void)thread;
	prepare_class(jvmti, class);
}

void JNICALL ch_walker_on_load(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass class)
{
	(void)jvmti;
	(void)env;
	(void)thread;
	(void)class; /* AsyncGetCallTrace only asks whether somebody listens */
}

/* Where in a JavaThread its JNIEnv is, which is how AsyncGetCallTrace is told the thread. */
static int find_env_offset(JNIEnv *env)
{
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	jfieldID eetop = class ? (*env)->GetFieldID(env, class, "eetop", "J") : NULL;
	jthread thread = NULL;
	uint64_t java;

	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	if (!eetop ||
	    (*ch_agent.jvmti)->GetCurrentThread(ch_agent.jvmti, &thread) != JVMTI_ERROR_NONE)
		return -ENOTSUP;
	java = (uint64_t)(*env)->GetLongField(env, thread, eetop);
	ch_sampler.env_offset = (int64_t)((uintptr_t)env - java);
	(*env)->DeleteLocalRef(env, thread);
	return java ? 0 : -ENOTSUP;
}

static int use_asgct(JNIEnv *env, struct ch_error *err)
{
	void *function = dlsym(ch_agent.libjvm, "AsyncGetCallTrace");
	jclass *classes;
	jint n;

	if (!function || ch_sampler.vm.thread_osthread < 0 || find_env_offset(env) < 0)
		return ch_fail(err, -ENOTSUP, "this JVM has no AsyncGetCallTrace either");
	if (ch_jvm_enable(JVMTI_EVENT_CLASS_LOAD, true, err) < 0 ||
	    ch_jvm_enable(JVMTI_EVENT_CLASS_PREPARE, true, err) < 0)
		return err->code;
	if ((*ch_agent.jvmti)->GetLoadedClasses(ch_agent.jvmti, &n, &classes) == JVMTI_ERROR_NONE) {
		for (jint i = 0; i < n; i++) {
			prepare_class(ch_agent.jvmti, classes[i]);
			(*env)->DeleteLocalRef(env, classes[i]);
		}
		(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)classes);
	}
	memcpy(&ch_sampler.asgct, &function, sizeof(function));
	return 0;
}

/* Where names cannot be read when a sample is taken, threads tell them when they change. */
static void watch_names(JNIEnv *env, char *to, size_t room)
{
	struct ch_error why = { 0 };

	if (!ch_sampler.names.known && ch_rename_hook(env, &why) < 0)
		snprintf(to, room, "; threads keep the names they began with: %s", why.text);
}

int ch_walker_choose(JNIEnv *env, struct ch_error *err)
{
	const char *wanted = getenv("CHARCLOTH_WALKER");
	char names[600] = "";
	struct ch_error why = { 0 };
	int r = ch_fault_install(err);

	if (r < 0)
		return r;
	r = ch_vm_read(&ch_sampler.vm, ch_agent.libjvm, &why);
	if (r >= 0)
		r = check_walker(env, &why);
	/* For tests, and for who wants to compare. */
	if (r >= 0 && wanted && !strcmp(wanted, "asgct"))
		r = ch_fail(&why, -ENOTSUP, "CHARCLOTH_WALKER=asgct");
	watch_names(env, names, sizeof(names));
	if (r >= 0) {
		find_counters();
		snprintf(ch_agent.walker, sizeof(ch_agent.walker), "own walker, JDK %d%s",
		         ch_sampler.vm.major, names);
		return 0;
	}
	snprintf(ch_agent.walker, sizeof(ch_agent.walker), "AsyncGetCallTrace, because %s%s",
	         why.text, names);
	return use_asgct(env, err);
}
