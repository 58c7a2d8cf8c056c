/* The doors of the agent: -agentpath, attach, and Java. */
#include "agent/agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/alloc.h"
#include "agent/lock.h"
#include "agent/sampler.h"
#include "agent/stubs.h"

struct ch_agent ch_agent;

static char *start_text; /* of -agentpath, until the VM runs */

/* What went wrong or otherwise than asked; that all is well need not be said. */
static void say(const struct ch_buf *out)
{
	size_t skip = out->len >= 3 && !memcmp(out->data, "ok\n", 3) ? 3 : 0;

	if (out->len > skip)
		fprintf(stderr, "[charcloth] %.*s", (int)(out->len - skip), out->data + skip);
}

static void run_and_say(const char *text)
{
	struct ch_buf out = CH_BUF(1u << 20);

	ch_control_run(text, &out);
	say(&out);
	ch_buf_done(&out);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
	(void)jvmti;
	(void)env;
	(void)thread;
	if (start_text)
		run_and_say(start_text);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *env)
{
	(void)jvmti;
	(void)env;
	ch_control_end();
}

static int find_libjvm(JavaVM *vm, struct ch_error *err)
{
	Dl_info info;
	void *function;

	memcpy(&function, &(*vm)->GetEnv, sizeof(function));
	if (!dladdr(function, &info) || !info.dli_fname)
		return ch_fail(err, -ENOENT, "libjvm.so was not found");
	snprintf(ch_agent.libjvm_path, sizeof(ch_agent.libjvm_path), "%s", info.dli_fname);
	ch_agent.libjvm = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	return ch_agent.libjvm
	           ? 0
	           : ch_fail(err, -ENOENT, "dlopen '%s': %s", info.dli_fname, dlerror());
}

static int ask_for_events(struct ch_error *err)
{
	static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
		                             JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END };
	jvmtiEventCallbacks callbacks = { .VMInit = on_vm_init,
		                          .VMDeath = on_vm_death,
		                          .DynamicCodeGenerated = ch_stubs_on_code,
		                          .ClassLoad = ch_walker_on_load,
		                          .ClassPrepare = ch_walker_on_prepare,
		                          .SampledObjectAlloc = ch_alloc_on_object,
		                          .MonitorContendedEnter = ch_lock_on_enter,
		                          .MonitorContendedEntered = ch_lock_on_entered };

	ch_jvm_callbacks(&callbacks);
	if ((*ch_agent.jvmti)->SetEventCallbacks(ch_agent.jvmti, &callbacks, sizeof(callbacks)) !=
	    JVMTI_ERROR_NONE)
		return ch_fail(err, -ENOTSUP, "the JVM takes no callbacks");
	for (size_t i = 0; i < CH_LEN(events); i++) {
		int r = ch_jvm_enable(events[i], true, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static int init(JavaVM *vm, struct ch_error *err)
{
	int r = JNI_OK;

	ch_agent.vm = vm;
	if (!ch_agent.jvmti)
		r = (*vm)->GetEnv(vm, (void **)&ch_agent.jvmti, JVMTI_VERSION_11);
	if (r == JNI_EVERSION)
		return ch_fail(err, -ENOTSUP,
		               "this JVM has no JVMTI 11: JDK 11 or later is needed");
	if (r != JNI_OK)
		return ch_fail(err, -EAGAIN, "this JVM is only just starting: try again");
	r = find_libjvm(vm, err);
	if (r >= 0)
		r = ch_threads_init(err);
	return r < 0 ? r : ask_for_events(err);
}

/* Java code may load the library while a command attaches it. What failed once is tried again. */
static int init_or_say(JavaVM *vm)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool done;
	struct ch_error err = { 0 };
	int r = 0;

	pthread_mutex_lock(&lock);
	if (!done)
		r = init(vm, &err);
	done = r >= 0;
	pthread_mutex_unlock(&lock);
	if (r < 0)
		fprintf(stderr, "[charcloth] %s: nothing is recorded\n", err.text);
	return r;
}

/* A profiler that cannot work is no reason for a JVM not to start. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	if (init_or_say(vm) >= 0 && options && *options)
		start_text = strdup(options);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	struct ch_buf out = CH_BUF(1u << 20);
	int r;

	(void)reserved;
	if (init_or_say(vm) < 0)
		return JNI_ERR;
	r = ch_control_run(options, &out);
	ch_buf_done(&out);
	return r < 0 ? JNI_ERR : JNI_OK;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
	(void)reserved;
	return init_or_say(vm) < 0 ? JNI_ERR : JNI_VERSION_1_6;
}
