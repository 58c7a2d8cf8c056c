/*
 * A thread that is renamed tells the system, by a native method: it is bound to ours, which notes
 * the name and calls the VM's own.
 */
#include "agent/bind.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/threads.h"

typedef void JNICALL rename_fn(JNIEnv *env, jobject thread, jstring name);

static struct {
	rename_fn *original; /* NULL: not hooked */
	jfieldID eetop;
} renames;

/* A thread mostly renames itself; up to JDK 17 others are told of, too. */
static struct ch_thread *slot_of(JNIEnv *env, jobject thread)
{
	uint64_t java = (uint64_t)(*env)->GetLongField(env, thread, renames.eetop);
	struct ch_thread *t = ch_thread_of_tid((int)syscall(SYS_gettid));

	if (t && atomic_load(&t->java) == java)
		return t;
	for (uint32_t i = 0; java && i < ch_threads_count(); i++) {
		t = ch_thread_at(i);
		if (atomic_load(&t->tid) && atomic_load(&t->java) == java)
			return t;
	}
	return NULL;
}

static void JNICALL rename_hook(JNIEnv *env, jobject thread, jstring name)
{
	struct ch_thread *t = name ? slot_of(env, thread) : NULL;
	const char *text = t ? (*env)->GetStringUTFChars(env, name, NULL) : NULL;

	if (text) {
		ch_thread_tell_name(t, text, strlen(text));
		(*env)->ReleaseStringUTFChars(env, name, text);
	}
	renames.original(env, thread, name);
}

static int hook(JNIEnv *env, struct ch_error *err)
{
	JNINativeMethod method = { (char *)"setNativeName", (char *)"(Ljava/lang/String;)V", NULL };
	void *function = dlsym(ch_agent.libjvm, "JVM_SetNativeThreadName");
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	rename_fn *ours = rename_hook;

	renames.eetop = class ? (*env)->GetFieldID(env, class, "eetop", "J") : NULL;
	if (!renames.eetop || !function)
		return ch_fail(err, -ENOTSUP, "this JDK names its threads in another way");
	memcpy(&renames.original, &function, sizeof(function));
	memcpy(&method.fnPtr, &ours, sizeof(ours));
	if (ch_bind(env, class, &method))
		return 0;
	renames.original = NULL;
	return ch_fail(err, -ENOTSUP, "Thread.setNativeName cannot be bound to another function");
}

int ch_rename_hook(JNIEnv *env, struct ch_error *err)
{
	return renames.original ? 0 : ch_bind_hook(env, hook, err);
}
