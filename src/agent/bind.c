#include "agent/bind.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"

/*
 * The VM warns on the host's output when a method of the platform is bound anew, unless code of
 * the platform does it. So it is done in a call that the platform makes: a file is looked for, in
 * whose native method a function of JNI is ours for that moment.
 */
static struct {
	int tid;
	bool tried;
	jint result;
	jclass class;
	const JNINativeMethod *method;
	jobject(JNICALL *get_object)(JNIEnv *env, jobject object, jfieldID field);
	jsize(JNICALL *array_length)(JNIEnv *env, jarray array);
} door;

static void bind(JNIEnv *env)
{
	door.tried = true;
	door.result = (*env)->RegisterNatives(env, door.class, door.method, 1);
}

static void bind_here(JNIEnv *env)
{
	if ((int)syscall(SYS_gettid) == door.tid && !door.tried)
		bind(env);
}

static jobject JNICALL get_object(JNIEnv *env, jobject object, jfieldID field)
{
	bind_here(env);
	return door.get_object(env, object, field);
}

static jsize JNICALL array_length(JNIEnv *env, jarray array)
{
	bind_here(env);
	return door.array_length(env, array);
}

static void look_for_file(JNIEnv *env)
{
	jclass class = (*env)->FindClass(env, "java/io/File");
	jmethodID make = (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;)V");
	jmethodID exists = (*env)->GetMethodID(env, class, "exists", "()Z");
	jstring name = (*env)->NewStringUTF(env, "/");
	jobject file = name ? (*env)->NewObject(env, class, make, name) : NULL;
	jniNativeInterface *table;

	if (!file ||
	    (*ch_agent.jvmti)->GetJNIFunctionTable(ch_agent.jvmti, &table) != JVMTI_ERROR_NONE)
		return;
	door.get_object = table->GetObjectField;
	door.array_length = table->GetArrayLength;
	table->GetObjectField = get_object;
	table->GetArrayLength = array_length;
	(*ch_agent.jvmti)->SetJNIFunctionTable(ch_agent.jvmti, table);
	(*env)->CallBooleanMethod(env, file, exists);
	table->GetObjectField = door.get_object;
	table->GetArrayLength = door.array_length;
	(*ch_agent.jvmti)->SetJNIFunctionTable(ch_agent.jvmti, table);
	(*ch_agent.jvmti)->Deallocate(ch_agent.jvmti, (unsigned char *)table);
}

bool ch_bind(JNIEnv *env, jclass class, const JNINativeMethod *method)
{
	door.tid = (int)syscall(SYS_gettid);
	door.tried = false;
	door.class = class;
	door.method = method;
	look_for_file(env);
	if (!door.tried)
		bind(env);
	return door.result == JNI_OK;
}

int ch_bind_hook(JNIEnv *env, int (*hook)(JNIEnv *env, struct ch_error *err), struct ch_error *err)
{
	int r;

	if ((*env)->PushLocalFrame(env, 16) < 0)
		return ch_fail(err, -ENOMEM, "no room for references");
	r = hook(env, err);
	if ((*env)->ExceptionCheck(env))
		(*env)->ExceptionClear(env);
	(*env)->PopLocalFrame(env, NULL);
	return r;
}
