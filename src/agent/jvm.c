#include "agent/agent.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/cpu.h"
#include "agent/helpers.h"
#include "agent/spans.h"
#include "agent/intern.h"
#include "agent/own_thread.h"
#include "agent/perf.h"
#include "agent/sampler.h"
#include "sys/peek.h"

int ch_jvm_enable(jvmtiEvent event, bool on, struct ch_error *err)
{
	jvmtiError e = (*ch_agent.jvmti)
	                   ->SetEventNotificationMode(
	                       ch_agent.jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL);

	return e == JVMTI_ERROR_NONE
	           ? 0
	           : ch_fail(err, -ENOTSUP, "the JVM refuses the event %d: JVMTI error %d", event,
	                     e);
}

/* --- threads --------------------------------------------------------------------------------- */

static struct {
	jfieldID eetop, tid;
	bool known;
} fields;

static bool find_fields(JNIEnv *env)
{
	jclass class;

	if (fields.known)
		return true;
	class = (*env)->FindClass(env, "java/lang/Thread");
	if (class) {
		fields.eetop = (*env)->GetFieldID(env, class, "eetop", "J");
		fields.tid = fields.eetop ? (*env)->GetFieldID(env, class, "tid", "J") : NULL;
	}
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	fields.known = fields.eetop && fields.tid;
	return fields.known;
}

static void tell_java_name(struct ch_thread *t, jthread thread)
{
	jvmtiThreadInfo info = { 0 };

	if ((*ch_agent.jvmti)->GetThreadInfo(ch_agent.jvmti, thread, &info) != JVMTI_ERROR_NONE ||
	    !info.name)
		return;
	ch_thread_tell_name(t, info.name, strlen(info.name));
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)info.name);
}

static struct ch_thread *add_java(JNIEnv *env, jthread thread, int tid)
{
	uint64_t java = (uint64_t)(*env)->GetLongField(env, thread, fields.eetop);
	int64_t id = (*env)->GetLongField(env, thread, fields.tid);
	struct ch_thread *t;

	if (!java)
		return NULL;
	if (!tid) {
		uint64_t os = ch_peek64(java + (uint64_t)ch_sampler.vm.thread_osthread, 0);

		tid = os ? (int)ch_peek32(os + (uint64_t)ch_sampler.vm.osthread_id, 0) : 0;
	}
	t = ch_thread_add(tid, java, id);
	if (t)
		tell_java_name(t, thread);
	return t;
}

void ch_jvm_threads_scan(JNIEnv *env)
{
	jthread *threads;
	jint n;

	if (!find_fields(env) ||
	    (*ch_agent.jvmti)->GetAllThreads(ch_agent.jvmti, &n, &threads) != JVMTI_ERROR_NONE)
		return;
	for (jint i = 0; i < n; i++) {
		add_java(env, threads[i], 0);
		(*env)->DeleteLocalRef(env, threads[i]);
	}
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)threads);
}

static void tell_native_name(struct ch_thread *t, int tid)
{
	char path[64], name[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(name, sizeof(name), f))
		ch_thread_tell_name(t, name, strcspn(name, "\n"));
	fclose(f);
}

static void add_native(int tid, bool running)
{
	struct ch_thread *t = ch_thread_of_tid(tid);

	if (t)
		return;
	t = ch_thread_add(tid, 0, 0);
	if (!t)
		return;
	tell_native_name(t, tid);
	t->ours = !strncmp(t->name, CH_OWN_THREAD, sizeof(CH_OWN_THREAD) - 1);
	if (running && !t->ours) {
		ch_cpu_add(t, CH_AGE_LATE);
		ch_perf_add(t);
	}
}

static bool is_gone(int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	return access(path, F_OK) < 0;
}

static void remove_gone(void)
{
	for (uint32_t i = 0; i < ch_threads_count(); i++) {
		struct ch_thread *t = ch_thread_at(i);
		uint32_t generation = atomic_load(&t->generation);
		int tid = atomic_load(&t->tid);

		/*
		 * It may have said so itself meanwhile, and the slot be another's by now. If it is
		 * still in it, nobody else will take it out.
		 */
		if (!tid || !is_gone(tid) || atomic_load(&t->tid) != tid ||
		    atomic_load(&t->generation) != generation)
			continue;
		ch_cpu_gone(t);
		ch_perf_forget(t);
		ch_thread_remove(t);
	}
}

void ch_native_threads_scan(void)
{
	DIR *d = opendir("/proc/self/task");
	bool running = atomic_load(&ch_sampler.running);
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			add_native(atoi(e->d_name), running);
	closedir(d);
	remove_gone();
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
	struct ch_thread *t;

	(void)jvmti;
	if (!ch_agent.ready || !find_fields(env))
		return;
	t = add_java(env, thread, (int)syscall(SYS_gettid));
	if (!t)
		return;
	if (!strncmp(t->name, CH_OWN_THREAD, sizeof(CH_OWN_THREAD) - 1)) {
		t->ours = true;
	} else if (atomic_load(&ch_sampler.running)) {
		ch_cpu_add(t, CH_AGE_BORN);
		ch_perf_add(t);
	}
	ch_helper_start(env, t);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
	struct ch_thread *t = ch_thread_of_tid((int)syscall(SYS_gettid));

	(void)jvmti;
	(void)env;
	(void)thread;
	ch_spans_end_thread(); /* it may have begun some before the agent looked at threads */
	if (!t)
		return;
	if (!t->ours)
		ch_cpu_end(t);
	ch_perf_forget(t);
	ch_thread_remove(t);
}

/* --- names by jmethodID ---------------------------------------------------------------------- */

static void keep_text(char *to, char *text)
{
	snprintf(to, CH_METHOD_TEXT_MAX, "%s", text ? text : "");
	if (text)
		(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)text);
}

static unsigned line_of(jmethodID method, unsigned bci)
{
	jvmtiLineNumberEntry *lines;
	unsigned line = 0;
	jint n;

	if ((*ch_agent.jvmti)->GetLineNumberTable(ch_agent.jvmti, method, &n, &lines) !=
	    JVMTI_ERROR_NONE)
		return 0;
	for (jint i = 0; i < n; i++)
		if (lines[i].start_location <= (jlocation)bci)
			line = (unsigned)lines[i].line_number;
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)lines);
	return line;
}

bool ch_jvm_jmethod(void *arg, uint64_t jmethod, unsigned bci, struct ch_jmethod_name *ret,
                    unsigned *ret_line)
{
	jvmtiEnv *jvmti = ch_agent.jvmti;
	jmethodID method = (jmethodID)(uintptr_t)jmethod;
	char *name = NULL, *sig = NULL, *class_sig = NULL;
	jclass class;
	size_t n;
	JNIEnv *env;

	(void)arg;
	if ((*ch_agent.vm)->GetEnv(ch_agent.vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK ||
	    (*jvmti)->GetMethodName(jvmti, method, &name, &sig, NULL) != JVMTI_ERROR_NONE)
		return false;
	keep_text(ret->method, name);
	keep_text(ret->sig, sig);
	ret->class_name[0] = 0;
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == JVMTI_ERROR_NONE) {
		if ((*jvmti)->GetClassSignature(jvmti, class, &class_sig, NULL) == JVMTI_ERROR_NONE)
			keep_text(ret->class_name, class_sig);
		(*env)->DeleteLocalRef(env, class);
	}
	/* Ljava/lang/String; is written as java/lang/String. */
	n = strlen(ret->class_name);
	if (n > 2 && ret->class_name[0] == 'L') {
		memmove(ret->class_name, ret->class_name + 1, n);
		ret->class_name[n - 2] = 0;
	}
	*ret_line = bci == CH_FRAME_BCI_NONE ? 0 : line_of(method, bci);
	return true;
}

/* --- callbacks ------------------------------------------------------------------------------- */

void ch_jvm_callbacks(jvmtiEventCallbacks *to)
{
	to->ThreadStart = on_thread_start;
	to->ThreadEnd = on_thread_end;
}
